//! Statements of a transfer from a file to a server. The record of it is on the server, in tables that
//! no migration makes: databases that began empty do without.

/// Makes the tables of the record.
pub(crate) const RECORD: &str = "
    CREATE TABLE transfer (
        id BIGINT PRIMARY KEY CHECK (id = 1),
        epoch TEXT NOT NULL,             -- of the feed of the source
        size BIGINT NOT NULL,            -- of the source in bytes, as it began
        modified BIGINT NOT NULL,        -- of the source, as it began
        schema BIGINT NOT NULL,
        begun TIMESTAMPTZ NOT NULL DEFAULT now(),
        completed TIMESTAMPTZ            -- NULL: it is under way
    );
    CREATE TABLE transfer_tables (
        name TEXT PRIMARY KEY,
        position TEXT NOT NULL,          -- JSON: key of the last row in the order of the source
        rows BIGINT NOT NULL
    );
    CREATE TABLE transfer_indexes (
        position BIGINT PRIMARY KEY,     -- in which they are made again
        statement TEXT NOT NULL
    );
    DELETE FROM feed";

/// Records the begin of a transfer.
pub(crate) const BEGIN: &str =
    "INSERT INTO transfer (id, epoch, size, modified, schema) VALUES (1, $1, $2, $3, $4)";

/// Record of a transfer.
pub(crate) const CURRENT: &str =
    "SELECT epoch, size, modified, schema, completed IS NOT NULL AS is_complete FROM transfer";

/// Reports whether a transfer is under way.
pub(crate) const IS_UNDER_WAY: &str =
    "SELECT EXISTS (SELECT 1 FROM transfer WHERE completed IS NULL)";

/// Reports whether a database has the record of a transfer.
pub(crate) const HAS_RECORD: &str = "SELECT to_regclass('transfer') IS NOT NULL";

/// Position and number of rows of each table.
pub(crate) const PROGRESS: &str = "SELECT name, position, rows FROM transfer_tables";

/// Records the position in a table and the number of its rows.
pub(crate) const ADVANCE: &str = "
    INSERT INTO transfer_tables (name, position, rows) VALUES ($1, $2, $3)
    ON CONFLICT (name) DO UPDATE SET position = excluded.position, rows = excluded.rows";

/// Records the end of a transfer.
pub(crate) const COMPLETE: &str = "
    DROP TABLE transfer_tables;
    DROP TABLE transfer_indexes;
    UPDATE transfer SET completed = now()";

/// Gathers statistics on the tables of the registry; those of the server are not this user's.
pub(crate) const ANALYZE: &str = "
    DO $$
    DECLARE name TEXT;
    BEGIN
        FOR name IN SELECT relname FROM pg_class
                    WHERE relnamespace = CAST(current_schema() AS regnamespace)
                      AND relkind IN ('r', 'p') AND NOT relispartition
        LOOP
            EXECUTE format('ANALYZE %I', name);
        END LOOP;
    END
    $$";

/// Other connections of programs of this registry.
pub(crate) const OTHERS: &str = "
    SELECT COUNT(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'agentdex'";

/// Columns of the tables of a server, but not of the partitions of a table.
pub(crate) const TARGET_COLUMNS: &str = "
    SELECT CAST(class.relname AS TEXT), CAST(attribute.attname AS TEXT),
           format_type(attribute.atttypid, NULL)
    FROM pg_attribute AS attribute
    JOIN pg_class AS class ON class.oid = attribute.attrelid
    WHERE class.relnamespace = CAST(current_schema() AS regnamespace)
      AND class.relkind IN ('r', 'p') AND NOT class.relispartition
      AND attribute.attnum > 0 AND NOT attribute.attisdropped AND attribute.attgenerated = ''
    ORDER BY class.relname, attribute.attnum";

/// Columns of the tables of a file: the table, whether it has row ids, the column, its type, and its
/// place in the primary key.
pub(crate) const SOURCE_COLUMNS: &str = "
    SELECT list.name, list.wr = 0, info.name, info.type, info.pk
    FROM pragma_table_list AS list JOIN pragma_table_info(list.name) AS info
    WHERE list.schema = 'main' AND list.type = 'table' AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    ORDER BY list.name, info.cid";

/// Columns whose numbers the server gives.
pub(crate) const IDENTITIES: &str = "
    SELECT CAST(class.relname AS TEXT), CAST(attribute.attname AS TEXT)
    FROM pg_attribute AS attribute
    JOIN pg_class AS class ON class.oid = attribute.attrelid
    WHERE class.relnamespace = CAST(current_schema() AS regnamespace)
      AND class.relkind IN ('r', 'p') AND NOT class.relispartition
      AND attribute.attidentity <> ''";

/// Epoch of the feed.
pub(crate) const EPOCH: &str = "SELECT epoch FROM feed";
