//! Statements on claims of owners.

/// Completes a statement on claims with its condition and order.
macro_rules! claims {
    ($rest:literal) => {
        concat!(
            "SELECT id, action, CASE WHEN is_suffix = 1 THEN '.' || domain ELSE domain END AS scope,
                    domain, port, token_hash, at, expires, state, checks, next_check, checked,
                    seen_dns, seen_file, network
             FROM claims ",
            $rest
        )
    };
}

/// Number of claims on the names below a site since `$2`, and the time of the oldest: of all networks,
/// or of the network `$3`.
pub(crate) const CLAIMS_SINCE: &str = "
    SELECT CAST(COUNT(*) AS BIGINT), MIN(at) FROM claims
    WHERE site = $1 AND domain <> $1 AND at > $2 AND ($3 IS NULL OR network = $3)";

/// Number of claims to own the domain `$1` since `$2`, and the time of the oldest.
pub(crate) const OWN_CLAIMS_SINCE: &str = "
    SELECT CAST(COUNT(*) AS BIGINT), MIN(at) FROM claims
    WHERE domain = $1 AND action = 'own' AND at > $2 AND ($3 IS NULL OR network = $3)";

/// Number of claims of the network `$1` since `$2`, and the time of the oldest.
pub(crate) const CLAIMS_OF_NETWORK: &str = "
    SELECT CAST(COUNT(*) AS BIGINT), MIN(at) FROM claims
    WHERE network = $1 AND at > $2";

/// Open claim of an action on a domain; of those to own it only one of the network `$4`, because its
/// token stays with the owner.
pub(crate) const OPEN_CLAIM: &str = claims!(
    "WHERE action = $1 AND domain = $2 AND is_suffix = $3 AND next_check IS NOT NULL
      AND (action <> 'own' OR COALESCE(network, '') = $4)
    LIMIT 1"
);

/// Renews an open claim, and begins its checks anew, with the first at `$3`, if that is not null.
pub(crate) const RENEW: &str = "
    UPDATE claims
    SET checks = CASE WHEN $3 IS NULL THEN checks ELSE 0 END, expires = $2,
        port = COALESCE($4, port),
        next_check = CASE WHEN state = 'waiting' AND $3 < next_check THEN $3 ELSE next_check END
    WHERE id = $1";

/// Deletes claims that ended long ago, except those by which a domain has left: they know its port.
pub(crate) const FORGET_OLD: &str = "
    DELETE FROM claims
    WHERE expires < $1
      AND NOT (action = 'leave' AND state = 'verified'
               AND EXISTS (SELECT 1 FROM exclusions WHERE name = domain))";

/// Inserts a claim.
pub(crate) const CLAIM: &str = "
    INSERT INTO claims (id, action, domain, port, site, is_suffix, token_hash, at, expires,
                        state, next_check, network)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'waiting', $10, $11)";

/// Port of a known domain, or of one that has left.
pub(crate) const PORT: &str = "
    SELECT CASE WHEN EXISTS (SELECT 1 FROM domains WHERE name = $1)
                THEN (SELECT port FROM domains WHERE name = $1)
                ELSE (SELECT port FROM claims
                      WHERE domain = $1 AND action = 'leave' AND state = 'verified'
                      ORDER BY at DESC
                      LIMIT 1) END";

/// One claim.
pub(crate) const CLAIM_BY_ID: &str = claims!("WHERE id = $1");

/// Claims whose next check is due. Networks take turns, and none has more than `$3` under check.
pub(crate) const DUE_CLAIMS: &str = claims!(
    "JOIN (SELECT id AS due_id,
                  ROW_NUMBER() OVER (PARTITION BY COALESCE(network, '') ORDER BY next_check)
                  + (SELECT COUNT(*) FROM claims AS checked
                     WHERE next_check > $1 AND state = 'checking'
                       AND COALESCE(checked.network, '') = COALESCE(claims.network, '')) AS turn
           FROM claims
           WHERE next_check <= $1) AS due ON due_id = claims.id
    WHERE turn <= CAST($3 AS BIGINT)
    ORDER BY turn, next_check
    LIMIT CAST($2 AS BIGINT)"
);

/// Number of checks on a site since `$2`, and the time of the oldest: of all claims, or of those of
/// the network `$3`.
pub(crate) const CHECKS_SINCE: &str = "
    SELECT CAST(COUNT(*) AS BIGINT), MIN(at) FROM claim_checks
    WHERE site = $1 AND at > $2 AND ($3 IS NULL OR network = $3)";

/// Number of checks on a name below the site `$1` since `$2`, and the time of the oldest.
pub(crate) const CHECKS_OF_NAME: &str = "
    SELECT CAST(COUNT(*) AS BIGINT), MIN(at) FROM claim_checks
    WHERE site = $1 AND at > $2 AND domain = $3";

/// Records a check.
pub(crate) const RECORD_CHECK: &str = "
    INSERT INTO claim_checks (site, at, domain, network) VALUES ($1, $2, $3, $4)";

/// Deletes old checks.
pub(crate) const FORGET_CHECKS: &str = "DELETE FROM claim_checks WHERE at <= $1";

/// Begins a check, which is repeated at `$2` if it never ends.
pub(crate) const BEGIN_CHECK: &str = "
    UPDATE claims SET state = 'checking', checks = checks + 1, next_check = $2 WHERE id = $1";

/// Postpones a check.
pub(crate) const POSTPONE_CHECK: &str = "UPDATE claims SET next_check = $2 WHERE id = $1";

/// Ends a check, if it is still under way.
pub(crate) const END_CHECK: &str = "
    UPDATE claims SET state = $2, next_check = $3, checked = $4, seen_dns = $5, seen_file = $6
    WHERE id = $1 AND state = 'checking'";
