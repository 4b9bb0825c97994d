//! The directory of an index: commits, rebuilds, locks and damage.

use super::*;
use crate::WriteError;

#[test]
fn a_reader_sees_each_commit_and_each_rebuild() {
    let dir = tempfile::tempdir().unwrap();
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    assert!(matches!(
        searcher.search(&request("")),
        Err(SearchError::NotBuilt { .. })
    ));
    build(dir.path(), &town()[..1], 1);
    assert_eq!(searcher.search(&request("")).unwrap().total, 1);
    let mut writer = IndexWriter::open(dir.path(), embedding::shipped()).unwrap();
    assert_eq!(writer.position(), Some(&position(1)));
    let agents = town();
    let all: Vec<_> = agents.iter().map(|it| it.listing.id.clone()).collect();
    writer
        .apply(&all, &agents[1..3], &SentenceVectors::new(), position(4))
        .unwrap();
    let results = searcher.search(&request("")).unwrap();
    assert_eq!((results.total, results.generation), (2, 4));
    drop(writer);
    build(dir.path(), &agents, 5);
    let results = searcher.search(&request("")).unwrap();
    assert_eq!((results.total, results.generation), (9, 5));
    let builds = std::fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(builds, 3, "one build, the marker and the lock remain");
}

#[test]
fn a_second_writer_is_refused_with_the_process_id_of_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let first = IndexWriter::open(dir.path(), embedding::shipped()).unwrap();
    let error = IndexWriter::open(dir.path(), embedding::shipped()).unwrap_err();
    assert!(matches!(error, WriteError::Locked { .. }));
    assert!(
        error.to_string().contains(&std::process::id().to_string()),
        "{error}"
    );
    drop(first);
    assert!(IndexWriter::open(dir.path(), embedding::shipped()).is_ok());
}

#[test]
fn a_directory_of_other_files_is_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("holiday.jpg"), "a picture").unwrap();
    assert!(matches!(
        IndexWriter::open(dir.path(), embedding::shipped()),
        Err(WriteError::Foreign { .. })
    ));
    assert!(matches!(
        Searcher::open(dir.path(), embedding::shipped()),
        Err(SearchError::Foreign { .. })
    ));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn a_damaged_index_can_be_rebuilt() {
    let break_it: [fn(&Path); 4] = [
        |dir| std::fs::write(dir.join("agentdex-index.json"), "{").unwrap(),
        |dir| {
            let text = r#"{"kind":"agentdex-index","version":999,"build":"build-1"}"#;
            std::fs::write(dir.join("agentdex-index.json"), text).unwrap();
        },
        |dir| std::fs::remove_dir_all(dir.join("build-1")).unwrap(),
        |dir| {
            for entry in std::fs::read_dir(dir.join("build-1")).unwrap() {
                let path = entry.unwrap().path();
                if path
                    .extension()
                    .is_some_and(|it| it == "store" || it == "fast")
                {
                    let mut bytes = std::fs::read(&path).unwrap();
                    bytes[3] ^= 0xff;
                    std::fs::write(&path, bytes).unwrap();
                }
            }
        },
    ];
    for (number, damage) in break_it.into_iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        build(dir.path(), &town(), 9);
        damage(dir.path());
        assert!(
            IndexWriter::open(dir.path(), embedding::shipped())
                .unwrap()
                .position()
                .is_none(),
            "{number}"
        );
        build(dir.path(), &town(), 9);
        let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
        assert_eq!(searcher.search(&request("parcel")).unwrap().total, 4);
    }
}

#[test]
fn an_index_of_another_embedding_table_is_not_used() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path(), &town(), 9);
    let words_only = IndexWriter::open(dir.path(), None).unwrap();
    assert_eq!(
        words_only.position(),
        None,
        "an index with vectors is not current"
    );
    drop(words_only);
    let mut writer = IndexWriter::open(dir.path(), None).unwrap();
    let without = writer.rebuild().unwrap();
    for agent in &town() {
        without.add(agent).unwrap();
    }
    writer.switch(without, position(9)).unwrap();
    drop(writer);
    assert!(
        IndexWriter::open(dir.path(), None)
            .unwrap()
            .position()
            .is_some()
    );
    let again = IndexWriter::open(dir.path(), embedding::shipped()).unwrap();
    assert_eq!(
        again.position(),
        None,
        "an index without vectors is not current"
    );

    // An index without vectors is searched by words, with or without a table.
    for table in [None, embedding::shipped()] {
        let searcher = Searcher::open(dir.path(), table).unwrap();
        let results = searcher.search(&request("restaurant table")).unwrap();
        assert_eq!(
            ids(&results).first(),
            Some(&"mesa.example/mesa-reservations")
        );
        assert_eq!(
            searcher.search(&request("locksmith")).unwrap().fit,
            Fit::None
        );
    }
}

#[test]
fn terms_of_removed_agents_are_neither_suggestions_nor_corrections() {
    let dir = tempfile::tempdir().unwrap();
    let agents = town();
    build(dir.path(), &agents, 1);
    let searcher = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let offered = || {
        let suggestions = searcher.suggest("papierk", 10).unwrap().len();
        let results = searcher.search(&request("papierkam")).unwrap();
        (suggestions, results.corrected.len())
    };
    assert_eq!(offered(), (2, 1));
    let mut writer = IndexWriter::open(dir.path(), embedding::shipped()).unwrap();
    let gone = [agents[3].listing.id.clone()];
    assert_eq!(gone[0].as_str(), "papierkram.example/papierkram");
    writer
        .apply(&gone, &[], &SentenceVectors::new(), position(2))
        .unwrap();
    assert_eq!(offered(), (0, 0));
}
