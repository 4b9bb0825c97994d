//! Every format that is read, and how a document's format is recognised.
