//! Statements on exclusions.

/// Excludes a name, or changes the reason.
pub(crate) const EXCLUDE: &str = "
    INSERT INTO exclusions (name, is_suffix, reason, source, since)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (name, is_suffix) DO UPDATE
    SET reason = excluded.reason, source = excluded.source, since = excluded.since";

/// Removes an exclusion.
pub(crate) const INCLUDE: &str = "DELETE FROM exclusions WHERE name = $1 AND is_suffix = $2";

/// Completes a statement on exclusions with its condition or order.
macro_rules! exclusions {
    ($rest:literal) => {
        concat!(
            "SELECT CASE WHEN is_suffix = 1 THEN '.' || name ELSE name END AS scope, reason,
                    source, since
             FROM exclusions ",
            $rest
        )
    };
}
pub(crate) use exclusions;

/// All exclusions.
pub(crate) const EXCLUSIONS: &str = exclusions!("ORDER BY name, is_suffix");

/// The exclusion of exactly this scope.
pub(crate) const EXCLUSION_OF_SCOPE: &str = exclusions!("WHERE name = $1 AND is_suffix = $2");

/// Reports whether there is any exclusion.
pub(crate) const ANY_EXCLUSION: &str = "SELECT EXISTS (SELECT 1 FROM exclusions)";

/// Deletes the submissions of the domain `$1`.
pub(crate) const FORGET_SUBMISSIONS: &str = "DELETE FROM submissions WHERE domain = $1";

/// Deletes the submissions of the domain `$1` and of domains that end in `$2`.
pub(crate) const FORGET_SUBMISSIONS_BELOW: &str = "
    DELETE FROM submissions
    WHERE domain = $1 OR substr(domain, length(domain) - length($2) + 1) = $2";

/// The domain `$1` and domains that end in `$2`, after the row `$3`.
pub(crate) const DOMAINS_BELOW: &str = "
    SELECT id FROM domains
    WHERE id > $3 AND (name = $1 OR substr(name, length(name) - length($2) + 1) = $2)
    ORDER BY id
    LIMIT CAST($4 AS BIGINT)";

/// Deletes the block of the host `$1`.
pub(crate) const FORGET_HOST: &str = "DELETE FROM host_blocks WHERE host = $1";

/// Deletes the blocks of the host `$1` and of hosts that end in `$2`.
pub(crate) const FORGET_HOSTS_BELOW: &str = "
    DELETE FROM host_blocks
    WHERE host = $1 OR substr(host, length(host) - length($2) + 1) = $2";
