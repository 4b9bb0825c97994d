//! Several documents of one domain become its agents (PR-01, PR-02, PR-05).
