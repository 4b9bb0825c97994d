//! Tests of seed lists in every form, and of files that are none.

use super::*;
use manifest::ajson::{AjsonError, Unresolvable};
use manifest::domain::DomainError;
use proptest::prelude::*;
use std::io::Write as _;

fn read(bytes: &[u8]) -> Result<(Vec<String>, Counts), SeedError> {
    let mut reader = SeedReader::new(bytes, false)?;
    let mut names = Vec::new();
    loop {
        let batch = reader.next_batch(3)?;
        if batch.is_empty() {
            return Ok((names, reader.counts().clone()));
        }
        assert!(batch.len() <= 3);
        names.extend(batch.into_iter().map(|seed| match seed.port {
            Some(port) => format!("{}:{port}", seed.domain),
            None => seed.domain.to_string(),
        }));
    }
}

#[test]
fn every_form_of_line_gives_its_domain() {
    for (line, expected) in [
        ("shop.example", "shop.example"),
        ("  Shop.EXAMPLE.  ", "shop.example"),
        ("shop.example:8443", "shop.example:8443"),
        ("shop.example:443", "shop.example"),
        ("https://shop.example/agents.txt?x#y", "shop.example"),
        ("http://shop.example", "shop.example"),
        ("http://shop.example:80/", "shop.example"),
        ("https://shop.example:8443/", "shop.example:8443"),
        ("shop.example/agents.txt", "shop.example"),
        ("12,shop.example", "shop.example"),
        ("shop.example,12", "shop.example"),
        ("\"3\",\"shop.example\",\"9.81\"", "shop.example"),
        ("7,2,shop.example,example,400", "shop.example"),
        ("5\tshop.example", "shop.example"),
        ("9,https://shop.example/", "shop.example"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("shop.example # ours", "shop.example"),
        ("v2--otter.example", "v2--otter.example"),
        ("9,https://My_Desk.otter.example/", "my_desk.otter.example"),
        ("\u{feff}shop.example", "shop.example"),
        ("shop.example\r", "shop.example"),
    ] {
        let (names, counts) = read(line.as_bytes()).unwrap();
        assert_eq!(names, [expected], "{line:?}");
        assert_eq!((counts.lines, counts.seeds, counts.rejected), (1, 1, 0));
    }
}

#[test]
fn lines_without_a_domain_are_rejected_with_a_reason() {
    for (line, reason) in [
        ("192.0.2.1", Rejection::Domain(DomainError::IpAddress)),
        ("https://0x7f.1/", Rejection::Domain(DomainError::IpAddress)),
        (
            "[2001:db8::1]:80",
            Rejection::Domain(DomainError::IpAddress),
        ),
        ("2001:db8::1", Rejection::Domain(DomainError::IpAddress)),
        ("localhost", Rejection::Domain(DomainError::SingleLabel)),
        ("rank,domain", Rejection::Domain(DomainError::SingleLabel)),
        ("co.uk", Rejection::Domain(DomainError::PublicSuffix)),
        ("xn--a.example", Rejection::Domain(DomainError::Invalid)),
        ("two words.example", Rejection::Domain(DomainError::Invalid)),
        ("shop.test", Rejection::SpecialUse),
        ("printer.local", Rejection::SpecialUse),
        ("ftp://shop.example/", Rejection::Scheme),
        ("https://ann@shop.example/", Rejection::Userinfo),
        ("ann@shop.example", Rejection::Userinfo),
        ("https://shop example/", Rejection::Url),
        ("shop.example:0", Rejection::Port),
        ("shop.example:99999", Rejection::Port),
        ("shop.example:http", Rejection::Port),
        ("http://shop.example:8080/", Rejection::PlainPort),
        ("http://shop.example:443/", Rejection::PlainPort),
        ("shop.example:22", Rejection::OtherService),
        ("https://shop.example:6667/", Rejection::OtherService),
        ("shop.example\0", Rejection::NotText),
        (
            "ajson://me@shop.example/x",
            Rejection::Ajson(AjsonError::UserInfo),
        ),
        (
            "ajson://router",
            Rejection::Unresolvable(Unresolvable::NoPath),
        ),
    ] {
        let text = format!("good.example\n{line}\n");
        let (names, counts) = read(text.as_bytes()).unwrap();
        assert_eq!(names, ["good.example"], "{line:?}");
        assert_eq!(counts.examples.len(), 1, "{line:?}");
        assert_eq!(counts.examples[0].reason, reason, "{line:?}");
        assert_eq!(counts.examples[0].line, 2);
    }
}

#[test]
fn comments_and_blank_lines_count_as_lines_only() {
    let text = b"\xef\xbb\xbf# list\r\n\r\n   \r\na.example\r\n  # end\r\nb.example";
    let (names, counts) = read(text).unwrap();
    assert_eq!(names, ["a.example", "b.example"]);
    assert_eq!((counts.lines, counts.seeds, counts.rejected), (6, 2, 0));
}

#[test]
fn special_use_names_are_accepted_if_the_operator_allowed_addresses() {
    let mut reader = SeedReader::new(&b"shop.test:8443"[..], true).unwrap();
    assert_eq!(reader.next_batch(10).unwrap().len(), 1);
}

#[test]
fn compressed_lists_are_detected_by_their_first_bytes() {
    let text = "a.example\nb.example\n".repeat(5000);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let two = [gzip.clone(), gzip.clone()].concat();
    let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
    for (bytes, count) in [(gzip, 10_000), (two, 20_000), (zstd, 10_000)] {
        let (names, _) = read(&bytes).unwrap();
        assert_eq!(names.len(), count);
    }
}

#[test]
fn a_damaged_compressed_list_is_an_error() {
    let packed = zstd::encode_all("a.example\n".repeat(50_000).as_bytes(), 1).unwrap();
    let result = read(&packed[..packed.len() - 5]);
    assert!(matches!(result, Err(SeedError::Read(_))));
    assert!(matches!(
        read(&[0x1f, 0x8b, 8, 0, 1, 2, 3]),
        Err(SeedError::Read(_))
    ));
}

#[test]
fn a_line_of_any_length_is_skipped_in_constant_memory() {
    let long = std::io::repeat(b'a').take(1 << 26);
    let input = (&b"a.example\n"[..])
        .chain(long)
        .chain(&b"\nb.example\n"[..]);
    let mut reader = SeedReader::new(input, false).unwrap();
    assert_eq!(reader.next_batch(10).unwrap().len(), 2);
    let counts = reader.counts();
    assert_eq!((counts.lines, counts.too_long, counts.rejected), (3, 1, 1));
    assert_eq!(counts.examples[0].text.len(), EXAMPLE_LENGTH);
    assert!(reader.line.capacity() <= 2 * LINE_CAP);
}

#[test]
fn errors_of_lists_without_a_domain_describe_the_expected_form() {
    assert!(matches!(read(b""), Err(SeedError::Empty)));
    let nothing = read(b"# nothing\n\n").unwrap_err();
    assert_eq!(
        nothing.to_string(),
        "no domain in the seed list (2 lines); give one domain, host:port, URL or ajson:// URI a line"
    );
    let program: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    assert!(matches!(read(&program), Err(SeedError::Binary)));
    let utf16: Vec<u8> = "a.example\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(matches!(read(&utf16), Err(SeedError::Binary)));
    let packed = zstd::encode_all(&program[..], 1).unwrap();
    assert!(matches!(read(&packed), Err(SeedError::Binary)));
}

#[test]
fn a_list_of_refused_lines_names_the_first_with_their_reasons() {
    let refused = read(b"localhost\n\n192.0.2.1\n").unwrap_err().to_string();
    for part in [
        "3 lines",
        "line 1 'localhost'",
        "; line 3 '192.0.2.1' is refused: ",
    ] {
        assert!(refused.contains(part), "{refused}");
    }
    let many = read("localhost\n".repeat(50).as_bytes()).unwrap_err();
    assert_eq!(many.to_string().matches("'localhost'").count(), EXAMPLES);
}

#[test]
fn the_header_of_a_ranking_is_not_refused() {
    for header in [
        "rank,domain",
        "GlobalRank,TldRank,Domain,TLD",
        "\"origin\",\"rank\"",
        "\u{feff}domain",
        "Site\tVisits",
    ] {
        let list = format!("{header}\n1,shop.example\n");
        let (names, counts) = read(list.as_bytes()).unwrap();
        assert_eq!(names, ["shop.example"], "{header}");
        assert_eq!((counts.lines, counts.rejected), (2, 0), "{header}");
    }
    let (_, counts) = read(b"rank,place\n1,shop.example\n").unwrap();
    assert_eq!(counts.rejected, 1);
    let (_, counts) = read(b"1,shop.example\nrank,domain\n").unwrap();
    assert_eq!(counts.rejected, 1);
}

#[test]
fn examples_are_few_and_printable() {
    let text = "a.example\n".to_owned() + &"\u{202e}bad name\u{7}\n".repeat(50);
    let (_, counts) = read(text.as_bytes()).unwrap();
    assert_eq!(counts.rejected, 50);
    assert_eq!(counts.examples.len(), EXAMPLES);
    assert_eq!(counts.examples[0].text, "\u{fffd}bad name\u{fffd}");
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
        if let Ok((names, counts)) = read(&bytes) {
            prop_assert_eq!(names.len() as u64, counts.seeds);
            prop_assert!(counts.seeds + counts.rejected <= counts.lines);
        }
    }

    #[test]
    fn a_list_reads_the_same_in_chunks_of_any_size(
        lines in prop::collection::vec("[a-c.:/#, ]{0,12}(\\.example)?", 1..20),
        size in 1_usize..7,
    ) {
        struct Slow<'a>(&'a [u8], usize);
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let length = self.1.min(buffer.len());
                self.0.read(&mut buffer[..length])
            }
        }
        let text = "x.example\n".to_owned() + &lines.join("\n");
        let (names, counts) = read(text.as_bytes()).unwrap();
        let mut reader = SeedReader::new(Slow(text.as_bytes(), size), false).unwrap();
        let slowly: Vec<_> = std::iter::from_fn(|| {
            let batch = reader.next_batch(100).unwrap();
            (!batch.is_empty()).then_some(batch)
        })
        .flatten()
        .collect();
        prop_assert_eq!(slowly.len(), names.len());
        prop_assert_eq!(reader.counts(), &counts);
    }
}

/// P9: a URL with a path, or an `ajson://` URI, names a document of its site.
#[test]
fn p09_a_url_in_a_list_names_a_document() {
    for (line, urls) in [
        ("https://shop.example/", &[][..]),
        ("https://shop.example", &[]),
        (
            "https://shop.example:8443/bots/clerk.json?v=1",
            &["https://shop.example:8443/bots/clerk.json?v=1"],
        ),
        ("http://shop.example/a.txt", &["https://shop.example/a.txt"]),
        (
            "3,https://shop.example/a.txt",
            &["https://shop.example/a.txt"],
        ),
        (
            "ajson://shop.example/bots/clerk",
            &[
                "https://shop.example/.well-known/agents/bots/clerk.agents.json",
                "https://shop.example/.well-known/bots/clerk.agents.json",
            ],
        ),
        ("shop.example/agents.txt", &[]),
    ] {
        let mut reader = SeedReader::new(line.as_bytes(), false).unwrap();
        let seeds = reader.next_batch(9).unwrap();
        assert_eq!(seeds[0].domain.as_str(), "shop.example", "{line}");
        let named = reader.take_named();
        let named: Vec<_> = named.iter().map(|(_, named)| named.url.as_str()).collect();
        assert_eq!(named, urls, "{line}");
        assert!(reader.take_named().is_empty());
    }
}
