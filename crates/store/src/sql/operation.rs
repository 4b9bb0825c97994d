//! Statements on what an operator watches.

/// Time of the last complete backup.
pub(crate) const LAST_BACKUP: &str = "SELECT at FROM last_backup";

/// Records a complete backup.
pub(crate) const RECORD_BACKUP: &str = "
    INSERT INTO last_backup (id, at) VALUES (1, $1)
    ON CONFLICT (id) DO UPDATE SET at = excluded.at";
