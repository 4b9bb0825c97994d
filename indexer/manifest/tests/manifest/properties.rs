//! What holds for every input.

use crate::support::document;
use manifest::formats;
use proptest::prelude::*;

proptest! {
    #[test]
    fn reading_any_bytes_never_panics_and_is_deterministic(body: Vec<u8>) {
        for path in ["/.well-known/agents.json", "/agents.txt"] {
            let document = document(&format!("https://a.example{path}"), body.clone());
            prop_assert_eq!(formats::read(&document), formats::read(&document));
        }
    }
}
