//! The HTML that Markdown becomes: link targets, links, tables.

use super::*;

const PAGE: &str = "formats";

fn html(markdown: &'static str) -> String {
    rendered(PAGE, markdown, &ids([(PAGE, markdown)].into_iter()))
}

#[test]
fn html_is_shown_as_text_and_comments_are_left_out() {
    let html = html("a <b>\n\n<!-- c -->\n\n<script>x</script>\n\n| a |\n|---|\n| 1 |\n");
    assert!(html.contains("a &lt;b&gt;"), "{html}");
    assert!(html.contains("&lt;script&gt;"), "{html}");
    assert!(html.contains("<td data-label=\"a\">1</td>"), "{html}");
    assert!(!html.contains("c --"), "{html}");
}

#[test]
fn ids_are_targets_where_they_are_defined_and_links_elsewhere() {
    let html = html(
        "See A2-06 (P9), not `A2-06`.\n\n| Id | x |\n|---|---|\n| A2-06 | P9 |\n| P9 | A2-07 `a/<b>` |\n",
    );
    assert!(html.contains("See <a href=\"#A2-06\">A2-06</a> (<a href=\"#P9\">P9</a>), not <code>"));
    let target = "<a class=\"id\" id=\"A2-06\" href=\"/docs/rules/A2-06\">A2-06</a></td>";
    assert!(html.contains(target), "{html}");
    assert!(
        html.contains("<span class=\"id\" id=\"P9\">P9</span>"),
        "{html}"
    );
    assert!(
        html.contains(">A2-07 <code>a/<wbr>&lt;b&gt;</code></td>"),
        "{html}"
    );
}

#[test]
fn links_lead_to_pages_and_headings_can_be_linked_to() {
    let html = html(
        "# A\n\n## `b:` A2-06, c\n\n## b a2-06 C\n\n[s](search.md#fields) [x](other.md) [y](#b)\n",
    );
    assert!(html.contains("<h1>A</h1>"), "{html}");
    assert!(
        html.contains("<h2 id=\"b-a2-06-c\"><code>b:</code> A2-06, c</h2>"),
        "{html}"
    );
    assert!(html.contains("<h2 id=\"b-a2-06-c-1\">"), "{html}");
    assert!(
        html.contains("<a href=\"/docs/search#fields\">s</a> x <a href=\"#b\">y</a>"),
        "{html}"
    );
}

#[test]
fn an_id_is_a_short_word_in_capitals_and_a_number() {
    for (text, expected) in [
        ("A2-06", true),
        ("A2S-01", true),
        ("C-102", true),
        ("HS-42", true),
        ("P9", true),
        ("P19a", true),
        ("404", false),
        ("a2-06", false),
        ("UTF-", false),
        ("P", false),
        ("", false),
        ("A-é1", false),
    ] {
        assert_eq!(is_id(text), expected, "{text}");
    }
}
