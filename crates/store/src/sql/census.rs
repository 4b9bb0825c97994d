//! Statements on daily counts.

/// Stores the counts of a day, unless it has some.
pub(crate) const RECORD: &str = "
    INSERT INTO census (day, at, counts) VALUES ($1, $2, $3)
    ON CONFLICT (day) DO NOTHING";

/// Counts from a day on, oldest first.
pub(crate) const SINCE: &str = "
    SELECT day, at, counts FROM census
    WHERE day >= $1
    ORDER BY day";
