-- Documents besides the usual places, which something names: asked for a few a visit.
CREATE TABLE named_documents (
    domain_id INTEGER NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
    url       TEXT    NOT NULL,
    named_by  TEXT    NOT NULL,                 -- a URL, or an entry of a seed list
    is_own    INTEGER NOT NULL,                 -- 0: another domain names it
    since     INTEGER NOT NULL,
    asked     INTEGER,                          -- was not there then; NULL: not asked for yet
    PRIMARY KEY (domain_id, url)
) STRICT, WITHOUT ROWID;

-- Usual paths that the last visit got no answer for, as JSON; NULL: none.
ALTER TABLE domains ADD COLUMN unanswered TEXT;
