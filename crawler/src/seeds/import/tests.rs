//! Tests of the import of downloaded files.

use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::io::Write as _;

fn imported(format: SeedFormat, bytes: &[u8]) -> Result<(Vec<String>, Counts), SeedError> {
    let (lines, counts, imported) = imported_until_error(format, bytes);
    imported.map(|()| (lines, counts))
}

fn imported_until_error(
    format: SeedFormat,
    bytes: &[u8],
) -> (Vec<String>, Counts, Result<(), SeedError>) {
    let (mut lines, mut counts) = (Vec::new(), Counts::default());
    let imported = import(format, bytes, &mut counts, &mut |line| {
        lines.push(line.to_owned());
        Ok(())
    });
    (lines, counts, imported)
}

/// Returns an archive with these files.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        let options = zip::write::SimpleFileOptions::default();
        if name.ends_with('/') {
            writer.add_directory(*name, options).unwrap();
            continue;
        }
        writer.start_file(*name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

const RANKING: &str =
    "1,shop.example\n2,https://desk.example/agents.txt\n3,192.0.2.7\n4,site.test\n";

#[test]
fn a_ranking_may_be_in_a_zip_archive() {
    for bytes in [
        RANKING.as_bytes().to_vec(),
        archive(&[("top-1m.csv", RANKING)]),
    ] {
        let (lines, counts) = imported(SeedFormat::List, &bytes).unwrap();
        assert_eq!(
            lines,
            [
                "shop.example",
                "desk.example",
                "https://desk.example/agents.txt"
            ]
        );
        assert_eq!((counts.lines, counts.seeds, counts.rejected), (4, 3, 2));
        let rejections = counts.rejections();
        assert!(rejections.contains("3: '3,192.0.2.7'"), "{rejections}");
    }
}

#[test]
fn folders_and_files_of_the_system_in_an_archive_are_no_lists() {
    let bytes = archive(&[
        ("top/", ""),
        ("top/.DS_Store", "\0\0"),
        ("top/top-1m.csv", RANKING),
        ("__MACOSX/top/._top-1m.csv", "\0\0"),
    ]);
    let (lines, _) = imported(SeedFormat::List, &bytes).unwrap();
    assert_eq!(lines.len(), 3);
    for bytes in [archive(&[]), archive(&[("top/", "")])] {
        let error = imported(SeedFormat::List, &bytes).unwrap_err().to_string();
        assert!(error.contains("it has no file"), "{error}");
        let crawled = SeedReader::new(&bytes[..], false).map(|_| ());
        assert!(matches!(crawled, Err(SeedError::Packed)), "{crawled:?}");
    }
}

#[test]
fn every_line_of_a_list_is_counted_and_every_seed_given_once() {
    let text = "rank,domain\n\n# ours\n1,a.example\nA.example\nhttps://a.example/x\n\
                a.example:443\nhttps://a.example/x\n192.0.2.7\n";
    let (lines, counts) = imported(SeedFormat::List, text.as_bytes()).unwrap();
    assert_eq!(lines, ["a.example", "https://a.example/x"]);
    // Each of the two URLs names the site, and the second one the document again.
    assert_eq!((counts.seeds, counts.repeated), (2, 5));
    assert_eq!(
        (counts.lines, counts.without_entry, counts.rejected),
        (9, 3, 1)
    );
}

#[test]
fn what_precedes_the_end_of_a_damaged_file_is_given_and_counted() {
    let page = servers().to_string();
    let cut = format!("{page}\n{}", &page[..page.len() / 2]);
    let (lines, counts, imported) = imported_until_error(SeedFormat::Mcp, cut.as_bytes());
    assert!(matches!(imported, Err(SeedError::Json(_))), "{imported:?}");
    assert_eq!((lines.len(), counts.lines, counts.seeds), (3, 4, 3));

    let names: Vec<String> = (0..50_000).map(|n| format!("site{n}.example")).collect();
    let text = names.join("\n");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let half = &packed[..packed.len() / 2];
    let (lines, counts, imported) = imported_until_error(SeedFormat::List, half);
    assert!(matches!(imported, Err(SeedError::Read(_))), "{imported:?}");
    assert!(!lines.is_empty());
    assert_eq!(lines.len() as u64, counts.seeds);
}

#[test]
fn an_archive_of_several_files_or_a_damaged_one_is_refused() {
    let two = archive(&[("a.csv", RANKING), ("b.csv", RANKING)]);
    let error = imported(SeedFormat::List, &two).unwrap_err().to_string();
    assert!(error.contains("2 files"), "{error}");
    let whole = archive(&[("a.csv", RANKING)]);
    let error = imported(SeedFormat::List, &whole[..whole.len() - 9]);
    assert!(matches!(error, Err(SeedError::Archive(_))), "{error:?}");
    let crawled = SeedReader::new(&whole[..], false).map(|_| ());
    assert!(matches!(crawled, Err(SeedError::Packed)), "{crawled:?}");
}

fn servers() -> Value {
    json!({"servers": [
        {"server": {"name": "com.shop.api/orders", "remotes": [
            {"type": "streamable-http", "url": "https://mcp.shop.com:8443/mcp?key=1"},
            {"type": "sse", "url": "https://{tenant}.shop.com/sse"}],
            "websiteUrl": "https://shop.com/agents"},
         "_meta": {"io.modelcontextprotocol.registry/official": {"status": "active"}}},
        {"server": {"name": "io.github.someone/tool", "websiteUrl": "https://github.com/someone/tool",
            "packages": [{"registryType": "npm", "identifier": "tool"}]}},
        {"server": {"name": "com.gone/tool", "remotes": [{"url": "https://gone.com/mcp"}]},
         "_meta": {"io.modelcontextprotocol.registry/official": {"status": "deleted"}}},
        {"server": {"name": "io.github.other/tool"}},
    ], "metadata": {"nextCursor": "x"}})
}

#[test]
fn servers_of_an_mcp_registry_give_their_origins_and_publishers() {
    let (lines, counts) = imported(SeedFormat::Mcp, servers().to_string().as_bytes()).unwrap();
    assert_eq!(lines, ["mcp.shop.com:8443", "shop.com", "api.shop.com"]);
    assert_eq!((counts.lines, counts.seeds, counts.rejected), (4, 3, 3));
    let reasons: Vec<_> = counts.reasons.keys().map(String::as_str).collect();
    assert_eq!(
        reasons,
        [
            "deleted in its registry",
            "no address of a site",
            "only a repository or a package, which is no site of the publisher"
        ]
    );
    assert_eq!(counts.examples[0].text, "io.github.someone/tool");
}

#[test]
fn pages_of_a_registry_follow_each_other_and_repeat_no_seed() {
    let page = servers().to_string();
    let bare = servers()["servers"][0]["server"].to_string();
    let pages = format!("{page}\n{page}[{bare}]{bare}");
    let (lines, counts) = imported(SeedFormat::Mcp, pages.as_bytes()).unwrap();
    assert_eq!((lines.len(), counts.lines, counts.seeds), (3, 10, 3));
}

#[test]
fn entries_of_catalogues_give_their_documents_and_publishers() {
    let catalog = json!({"specVersion": "1.0", "entries": [
        {"identifier": "urn:air:observatory.example:agent:sky", "type": "application/a2a-agent-card+json",
         "url": "https://observatory.example/agents/sky.json"},
        {"identifier": "urn:example:desk", "data": {"name": "Desk"}},
        {"displayName": "Bundle", "entries": [{"identifier": "urn:air:harbour.example:agent:tides"}]},
    ]});
    let (lines, counts) = imported(SeedFormat::Ard, catalog.to_string().as_bytes()).unwrap();
    assert_eq!(
        lines,
        [
            "https://observatory.example/agents/sky.json",
            "observatory.example",
            "harbour.example"
        ]
    );
    assert_eq!((counts.lines, counts.rejected), (3, 1));
    let results = json!({"results": catalog["entries"]});
    let (same, _) = imported(SeedFormat::Ard, results.to_string().as_bytes()).unwrap();
    assert_eq!(same, lines);
}

#[test]
fn a_file_of_another_kind_is_refused_with_the_reason() {
    for (text, expected) in [
        ("<html>", "not JSON"),
        ("", "no records"),
        (r#"{"servers": []}"#, "no records"),
        (
            r#"{"servers": [{"server": {"name": "x"}}]}"#,
            "no address of a site",
        ),
        (r#"{"servers": [{"#, "not JSON"),
        (
            r#"{"specVersion": "1.0", "entries": [{"url": "https://a.example/x"}]}"#,
            "a member 'servers'",
        ),
        (r#"{"error": "try again later"}"#, "a member 'servers'"),
    ] {
        let error = imported(SeedFormat::Mcp, text.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}

#[test]
fn an_export_may_begin_with_a_byte_order_mark() {
    let text = format!("\u{feff}{}", servers());
    let (lines, _) = imported(SeedFormat::Mcp, text.as_bytes()).unwrap();
    assert_eq!(lines.len(), 3);
}

#[test]
fn compressed_exports_are_unpacked() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(servers().to_string().as_bytes()).unwrap();
    let (lines, _) = imported(SeedFormat::Mcp, &packed.finish().unwrap()).unwrap();
    assert_eq!(lines.len(), 3);
}

proptest! {
    #[test]
    fn every_line_of_an_import_is_a_seed(
        format in prop::sample::select(vec![SeedFormat::Mcp, SeedFormat::Ard]),
        text in r#"[\{\}\[\]",:/a-z. ]{0,80}"#,
        url in ".{0,40}",
        name in ".{0,40}",
    ) {
        let record = json!({
            "url": url, "identifier": format!("urn:air:{name}:x"), "name": name, "websiteUrl": url,
            "remotes": [{"url": format!("https://{name}/{url}")}],
        });
        for bytes in [text.clone(), record.to_string(), format!("{record}{text}")] {
            if let Ok((lines, _)) = imported(format, bytes.as_bytes()) {
                for line in lines {
                    prop_assert!(entry::parse(line.as_bytes(), false).is_ok_and(|it| it.is_some()), "{line}");
                }
            }
        }
    }
}
