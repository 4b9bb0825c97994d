//! Tests of the import of downloaded files.

use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::io::Write as _;

fn imported(format: SeedFormat, bytes: &[u8]) -> Result<(Vec<String>, Counts), SeedError> {
    let mut lines = Vec::new();
    let counts = import(format, bytes, &mut |line| {
        lines.push(line.to_owned());
        Ok(())
    })?;
    Ok((lines, counts))
}

/// Returns an archive with these files.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        let options = zip::write::SimpleFileOptions::default();
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
        assert_eq!((counts.lines, counts.seeds, counts.rejected), (4, 2, 2));
        let rejections = counts.rejections();
        assert!(rejections.contains("3: '3,192.0.2.7'"), "{rejections}");
    }
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
    ] {
        let error = imported(SeedFormat::Mcp, text.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
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
