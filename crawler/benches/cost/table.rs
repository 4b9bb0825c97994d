//! The costs of all rounds, and their medians.

use crate::child::Cost;
use std::io::Write as _;

/// Costs of each client, in the order in which they are shown.
pub(crate) struct Table {
    hosts: u32,
    clients: [(&'static str, Vec<Cost>); 3],
}

impl Table {
    /// Returns an empty table for visits to this number of hosts.
    pub(crate) fn new(hosts: u32) -> Self {
        let clients = ["bare", "prober", "crawler"].map(|client| (client, Vec::new()));
        Self { hosts, clients }
    }

    /// Adds a round of a client.
    pub(crate) fn add(&mut self, client: &str, cost: Cost) {
        for (_, costs) in self.clients.iter_mut().filter(|it| it.0 == client) {
            costs.push(cost);
        }
    }

    /// Prints the median of each column, and the CPU time of every round to show the spread.
    pub(crate) fn print(&self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        let thousands = f64::from(self.hosts) / 1000.0;
        let bare = median(&self.clients[0].1, Cost::cpu);
        writeln!(
            out,
            "\n{} hosts; seconds of CPU per 1,000 hosts",
            self.hosts
        )?;
        writeln!(
            out,
            "{:9}{:>7}{:>7}{:>8}{:>8}{:>9}{:>10}  rounds",
            "client", "CPU", "user", "system", "/ bare", "wall s", "peak MiB"
        )?;
        for (client, costs) in &self.clients {
            let of = |figure: fn(&Cost) -> f64| median(costs, figure);
            let rounds: Vec<String> = costs
                .iter()
                .map(|cost| format!("{:.2}", cost.cpu() / thousands))
                .collect();
            writeln!(
                out,
                "{client:9}{:7.2}{:7.2}{:8.2}{:8.2}{:9.1}{:10.0}  {}",
                of(Cost::cpu) / thousands,
                of(|cost| cost.user) / thousands,
                of(|cost| cost.system) / thousands,
                of(Cost::cpu) / bare,
                of(|cost| cost.wall),
                of(|cost| cost.peak),
                rounds.join(" "),
            )?;
        }
        Ok(())
    }
}

/// Returns the median of a figure; of an even number of rounds the higher of the two.
fn median(costs: &[Cost], figure: impl Fn(&Cost) -> f64) -> f64 {
    let mut figures: Vec<f64> = costs.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
