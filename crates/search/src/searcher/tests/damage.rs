//! Damage to each file of an index, for programs that have the index open and for those that open
//! it.

use super::*;
use std::fmt::Write as _;
use std::fs::{self, File};
use tantivy::directory::FileSlice;
use tantivy::directory::footer::Footer;

/// Name and action of a kind of damage.
type Damage = (&'static str, fn(&Path));

const DAMAGES: [Damage; 6] = [
    ("cut to nothing", |file| cut(file, 0)),
    ("cut to half", |file| cut(file, length(file) / 2)),
    ("deleted", |file| fs::remove_file(file).unwrap()),
    ("overwritten", |file| {
        let length = fs::read(file).unwrap().len();
        fs::write(file, vec![0xa5; length]).unwrap();
    }),
    ("made longer", |file| cut(file, length(file) + 4_096)),
    ("changed in one bit", |file| {
        let mut bytes = fs::read(file).unwrap();
        // The end of a segment file holds its checksum, with bytes that have no effect.
        let at = if kind(file) == "json" {
            bytes.len() / 2
        } else {
            0
        };
        bytes[at] ^= 1;
        fs::write(file, bytes).unwrap();
    }),
];

fn length(file: &Path) -> u64 {
    fs::metadata(file).unwrap().len()
}

fn cut(file: &Path, length: u64) {
    let file = File::options().write(true).open(file).unwrap();
    file.set_len(length).unwrap();
}

/// Waits until the clock of the file system has advanced since a file was written, as it does
/// between two checks.
fn tick(file: &Path) {
    let modified = |file: &Path| fs::metadata(file).unwrap().modified().unwrap();
    let probe = tempfile::NamedTempFile::new().unwrap();
    while modified(probe.path()) <= modified(file) {
        fs::write(probe.path(), "now").unwrap();
    }
}

/// Builds an index of two segments, one with a deleted agent, and lists its files, which are of
/// every kind.
fn index_files(dir: &Path) -> Vec<PathBuf> {
    let agents = town();
    build(dir, &agents, 9);
    let mut writer = IndexWriter::open(dir, embedding::shipped()).unwrap();
    let ids = [agents[0].listing.id.clone()];
    writer
        .apply(&ids, &agents[..1], &SentenceVectors::new(), position(10))
        .unwrap();
    drop(writer);
    let build = fs::read_dir(dir).unwrap().map(|it| it.unwrap().path());
    let build = build.into_iter().find(|it| it.is_dir()).unwrap();
    let files = fs::read_dir(build).unwrap().map(|it| it.unwrap().path());
    let mut files: Vec<_> = files.filter(|it| kind(it) != "lock").collect();
    files.push(dir.join("agentdex-index.json"));
    files.sort();
    let kinds: BTreeSet<_> = files.iter().map(|it| kind(it)).collect();
    let all = [
        "del",
        "fast",
        "fieldnorm",
        "idx",
        "json",
        "pos",
        "store",
        "term",
    ];
    assert_eq!(kinds, all.map(str::to_owned).into());
    files
}

fn kind(file: &Path) -> String {
    let extension = file.extension().unwrap_or_default();
    extension.to_str().unwrap().to_owned()
}

/// Returns the answers to searches that read every file.
fn answers(searcher: &Searcher) -> Result<String, SearchError> {
    let mut answers = String::new();
    for text in ["book a table", "\"weather forecast\"", "Papierkram", ""] {
        let mut request = request(text);
        request.facets = vec![Facet::Site, Facet::Level];
        let results = searcher.search(&request)?;
        writeln!(answers, "{:?} {:?}", results.hits, results.facets).unwrap();
    }
    Ok(answers + &format!("{:?}", searcher.suggest("me", 10)?))
}

#[test]
fn damage_to_any_file_changes_no_answer_and_is_detected_on_opening() {
    let dir = tempfile::tempdir().unwrap();
    let files = index_files(dir.path());
    let served = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    let right = answers(&served).unwrap();
    for file in &files {
        let whole = fs::read(file).unwrap();
        for (name, damage) in DAMAGES {
            let case = format!("{} {name}", file.display());
            damage(file);
            let is_of_a_segment = kind(file) != "json";
            let fresh = Searcher::at(dir.path(), embedding::shipped());
            for (searcher, is_served) in [(&served, true), (&fresh, false)] {
                // The second answer uses the state that the first left.
                for _ in 0..2 {
                    match answers(searcher) {
                        // The changed marker or list of segments may still be valid.
                        Ok(_) if !is_of_a_segment && name == "changed in one bit" => {}
                        Ok(answers) => assert_eq!(answers, right, "{case}"),
                        Err(error) => {
                            assert!(!(is_served && is_of_a_segment), "{case}: {error:?}");
                        }
                    }
                }
            }
            assert!(!is_of_a_segment || answers(&fresh).is_err(), "{case}");
            let writer = IndexWriter::open(dir.path(), embedding::shipped()).unwrap();
            assert_eq!(writer.position(), None, "{case}");
            drop(writer);
            fs::write(file, &whole).unwrap();
            for searcher in [&served, &fresh] {
                assert_eq!(answers(searcher).unwrap(), right, "{case}, repaired");
            }
        }
    }
    for file in &files {
        cut(file, 0);
    }
    build(dir.path(), &town(), 11);
    let rebuilt = Searcher::open(dir.path(), embedding::shipped()).unwrap();
    assert_eq!(answers(&served).unwrap(), answers(&rebuilt).unwrap());
}

#[test]
fn an_open_writer_detects_damage_to_any_file() {
    let dir = tempfile::tempdir().unwrap();
    let files = index_files(dir.path());
    let writer = IndexWriter::open(dir.path(), embedding::shipped()).unwrap();
    for file in &files {
        let whole = fs::read(file).unwrap();
        for (name, damage) in DAMAGES {
            let case = format!("{} {name}", file.display());
            assert_eq!(writer.check(), Ok(()), "{case}");
            tick(file);
            damage(file);
            assert!(writer.check().is_err(), "{case}");
            fs::write(file, &whole).unwrap();
        }
    }
    assert_eq!(writer.check(), Ok(()));
    fs::remove_dir_all(dir.path()).unwrap();
    assert!(writer.check().is_err());
}

#[test]
fn garbage_with_a_valid_checksum_causes_no_panic() {
    let dir = tempfile::tempdir().unwrap();
    for file in index_files(dir.path()) {
        if kind(&file) == "json" {
            continue;
        }
        let whole = fs::read(&file).unwrap();
        for garbage in [0x00, 0x01, 0x7f, 0xff] {
            let files = FileSlice::from(whole.clone());
            let (footer, body) = Footer::extract_footer(files).unwrap();
            let length = tantivy::HasLen::len(&body);
            let mut bytes = vec![garbage; length];
            let sum = crc32fast::hash(&bytes).to_string();
            let end = String::from_utf8_lossy(&whole[length..whole.len() - 8]).into_owned();
            let end = end.replace(&footer.crc.to_string(), &sum);
            bytes.extend(end.as_bytes());
            bytes.extend(u32::try_from(end.len()).unwrap().to_le_bytes());
            bytes.extend(&whole[whole.len() - 4..]);
            fs::write(&file, bytes).unwrap();
            let searcher = Searcher::at(dir.path(), embedding::shipped());
            // The answer is arbitrary or an error.
            let _ = answers(&searcher);
        }
        fs::write(&file, &whole).unwrap();
    }
    let searcher = Searcher::at(dir.path(), embedding::shipped());
    assert!(answers(&searcher).is_ok());
}
