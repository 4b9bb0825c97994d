//! agents.txt in its dialects (FORMATS.md section 4).

pub(super) mod lines;
