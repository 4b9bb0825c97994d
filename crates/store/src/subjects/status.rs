//! Logs changes of the status of agents, so that the index follows them.

use super::Connection;
use super::changes::append;
use crate::model::{AgentStatus, Change, Operation, Visit};
use crate::row::{Column as _, json};
use manifest::AgentId;
use std::collections::BTreeMap;

/// Appends a change for each listed agent of the domains whose status changed with these visits, by
/// row id of the domain. An agent that is not listed yet gets its status with the change that adds
/// it.
///
/// While a lease is current, its record of the previous visit is too, so no statement is needed to
/// find the domains concerned.
pub(super) async fn log(connection: &mut Connection, visits: &[(i64, &Visit)]) -> sqlx::Result<()> {
    let turns: BTreeMap<i64, (&Visit, String)> = visits
        .iter()
        .filter_map(|(domain_id, visit)| Some((*domain_id, (*visit, turn(visit)?))))
        .collect();
    if turns.is_empty() {
        return Ok(());
    }
    let domains: Vec<&i64> = turns.keys().collect();
    let agents: Vec<(i64, String, String)> = super::query_as(
        "SELECT domain_id, agents.id, hash FROM agents
         JOIN domains ON domains.id = agents.domain_id
         WHERE domain_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))
           AND NOT EXISTS (SELECT 1 FROM hidden WHERE target IN (agents.id, domains.name))
         ORDER BY domain_id, agents.id",
    )
    .bind(json(&domains)?)
    .fetch_all(&mut *connection)
    .await?;
    let mut changes = Vec::with_capacity(agents.len());
    for (domain_id, id, hash) in agents {
        let Some((visit, reason)) = turns.get(&domain_id) else {
            continue;
        };
        changes.push(Change {
            hash: Some(hash.clone()),
            previous_hash: Some(hash),
            ..Change::new(
                Operation::Status,
                AgentId::read(id)?,
                reason.clone(),
                visit.ended,
            )
        });
    }
    if changes.is_empty() {
        return Ok(());
    }
    append(connection, &mut changes).await
}

/// Returns the old and new status of a domain's agents; `None` if the visit did not change it.
fn turn(visit: &Visit) -> Option<String> {
    let before = AgentStatus::after(visit.lease.last_outcome);
    let after = AgentStatus::after(Some(visit.outcome));
    (before != after && !visit.next.is_again)
        .then(|| format!("from {} to {}", before.as_str(), after.as_str()))
}
