//! Statements about those who are left alone.

/// Excludes a name, or changes why.
pub(crate) const EXCLUDE: &str = "
    INSERT INTO exclusions (name, is_suffix, reason, source, since)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (name, is_suffix) DO UPDATE
    SET reason = excluded.reason, source = excluded.source, since = excluded.since";

/// Takes an exclusion back.
pub(crate) const INCLUDE: &str = "DELETE FROM exclusions WHERE name = $1 AND is_suffix = $2";

/// Every exclusion.
pub(crate) const EXCLUSIONS: &str = "
    SELECT name, is_suffix, reason, source, since FROM exclusions
    ORDER BY name, is_suffix";

/// Whether anybody is excluded.
pub(crate) const ANY_EXCLUSION: &str = "SELECT EXISTS (SELECT 1 FROM exclusions)";

/// What was sent in of the domain `$1`.
pub(crate) const FORGET_SUBMISSIONS: &str = "DELETE FROM submissions WHERE domain = $1";

/// What was sent in of the domain `$1`, or of those that end in `$2`.
pub(crate) const FORGET_SUBMISSIONS_BELOW: &str = "
    DELETE FROM submissions
    WHERE domain = $1 OR substr(domain, length(domain) - length($2) + 1) = $2";

/// The domain `$1` and those that end in `$2`, after the row `$3`.
pub(crate) const DOMAINS_BELOW: &str = "
    SELECT id FROM domains
    WHERE id > $3 AND (name = $1 OR substr(name, length(name) - length($2) + 1) = $2)
    ORDER BY id
    LIMIT CAST($4 AS BIGINT)";

/// Exclusions of names: a list of binds and a closing parenthesis follow.
pub(crate) const EXCLUSIONS_OF: &str = "
    SELECT name, is_suffix, reason, source, since FROM exclusions
    WHERE name IN (";
