//! Headers by which shared edges make themselves known (P50).
//!
//! A name's owner can set the headers of its own answers, so a header alone proves nothing:
//! [`Learned`](super::learned::Learned) decides by the answers of many sites.

use hyper::header::HeaderMap;

/// Header that an edge adds to all answers that it passes on.
struct EdgeHeader {
    /// The edge, as it is called in the log.
    edge: &'static str,
    /// Name of the header, in lower case.
    header: &'static str,
    value: Pattern,
}

/// Values of a header that count.
enum Pattern {
    /// Any; the header is the edge's own.
    Any,
    /// This word.
    Word(&'static str),
    /// All that begin like this.
    Start(&'static str),
}

/// The edges that are known. Load balancers such as Google's (`via: 1.1 google`), whose addresses
/// belong to one customer each, are not among them: a header of theirs says nothing about how much
/// the machines behind can take.
const HEADERS: [EdgeHeader; 7] = [
    // https://developers.cloudflare.com/rules/transform/response-header-modification/ (customers
    // cannot change it)
    EdgeHeader {
        edge: "cloudflare",
        header: "server",
        value: Pattern::Word("cloudflare"),
    },
    // https://vercel.com/docs/headers/response-headers
    EdgeHeader {
        edge: "vercel",
        header: "x-vercel-id",
        value: Pattern::Any,
    },
    // Before Fastly, whose header answers of GitHub Pages have as well.
    // https://httr2.r-lib.org/reference/resp_headers.html (recorded from a site there)
    EdgeHeader {
        edge: "github",
        header: "server",
        value: Pattern::Word("github.com"),
    },
    // https://www.fastly.com/documentation/reference/http/http-headers/X-Served-By/
    EdgeHeader {
        edge: "fastly",
        header: "x-served-by",
        value: Pattern::Start("cache-"),
    },
    // https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html
    // (the field x-edge-request-id)
    EdgeHeader {
        edge: "cloudfront",
        header: "x-amz-cf-id",
        value: Pattern::Any,
    },
    // https://answers.netlify.com/t/support-guide-netlify-s-unique-request-id/34
    EdgeHeader {
        edge: "netlify",
        header: "x-nf-request-id",
        value: Pattern::Any,
    },
    // https://learn.microsoft.com/azure/frontdoor/front-door-http-headers-protocol
    EdgeHeader {
        edge: "azure-front-door",
        header: "x-azure-ref",
        value: Pattern::Any,
    },
];

/// Edges whose own headers an answer has, by their places in `HEADERS`. An answer can have
/// passed several, such as one that stands before another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u16);

impl Marks {
    /// Returns the marks of an answer with these headers.
    pub fn of(headers: &HeaderMap) -> Self {
        let marked = HEADERS.iter().enumerate().filter(|(_, it)| {
            let mut values = headers.get_all(it.header).iter();
            values.any(|value| it.value.matches(value.as_bytes()))
        });
        Self(marked.fold(0, |marks, (place, _)| marks | 1 << place))
    }

    /// Reports whether an answer has no mark.
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Numbers of answers, and of those with the mark of each edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    answers: u16,
    marked: [u16; HEADERS.len()],
}

impl Tally {
    /// Counts an answer.
    pub(super) fn count(&mut self, Marks(marks): Marks) {
        self.answers = self.answers.saturating_add(1);
        for (place, count) in self.marked.iter_mut().enumerate() {
            *count = count.saturating_add(marks >> place & 1);
        }
    }

    /// Returns the number of answers.
    pub(super) fn answers(&self) -> u16 {
        self.answers
    }

    /// Halves all numbers, so that later answers count for more.
    pub(super) fn halve(&mut self) {
        self.answers /= 2;
        self.marked.iter_mut().for_each(|count| *count /= 2);
    }

    /// Returns the sum of both.
    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut sum = *self;
        sum.answers = sum.answers.saturating_add(other.answers);
        for (count, more) in sum.marked.iter_mut().zip(other.marked) {
            *count = count.saturating_add(more);
        }
        sum
    }

    /// Returns the edges whose marks at least nine in ten answers have, in a fixed order.
    pub(super) fn edges(&self) -> impl Iterator<Item = &'static str> {
        let fewest = (u32::from(self.answers) * 9).div_ceil(10);
        let marked = HEADERS.iter().zip(self.marked);
        marked
            .filter(move |(_, count)| u32::from(*count) >= fewest)
            .map(|(it, _)| it.edge)
    }
}

impl Pattern {
    fn matches(&self, value: &[u8]) -> bool {
        let value = value.trim_ascii();
        match self {
            Self::Any => !value.is_empty(),
            Self::Word(word) => value.eq_ignore_ascii_case(word.as_bytes()),
            Self::Start(start) => {
                let same = value.get(..start.len());
                same.is_some_and(|it| it.eq_ignore_ascii_case(start.as_bytes()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::{HeaderName, HeaderValue};

    /// Returns the edges whose marks an answer with these headers has.
    fn edges(headers: &[(&'static str, &str)]) -> Vec<&'static str> {
        let pairs = headers.iter().map(|(name, value)| {
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            (HeaderName::from_static(name), value)
        });
        let Marks(marks) = Marks::of(&pairs.collect());
        let marked = HEADERS.iter().enumerate();
        marked
            .filter(|(place, _)| marks & 1 << place != 0)
            .map(|(_, it)| it.edge)
            .collect()
    }

    #[test]
    fn p50_an_edge_is_known_by_its_own_header() {
        let rows: [(&str, &str, &[&str]); 14] = [
            ("server", "cloudflare", &["cloudflare"]),
            ("server", " Cloudflare ", &["cloudflare"]),
            ("server", "cloudflare-nginx", &[]),
            ("server", "GitHub.com", &["github"]),
            ("server", "nginx", &[]),
            ("via", "cloudflare", &[]),
            ("x-vercel-id", "fra1::abc-1700000000000-0123", &["vercel"]),
            ("x-vercel-id", "", &[]),
            ("x-served-by", "cache-fra-eddf8230085-FRA", &["fastly"]),
            ("x-served-by", "wordpress", &[]),
            ("x-served-by", "cache", &[]),
            ("x-amz-cf-id", "q4gk==", &["cloudfront"]),
            ("x-nf-request-id", "01JQ", &["netlify"]),
            ("x-azure-ref", "0zxV", &["azure-front-door"]),
        ];
        for (name, value, expected) in rows {
            assert_eq!(edges(&[(name, value)]), expected, "{name}: {value}");
        }
        assert_eq!(edges(&[]), Vec::<&str>::new());
    }

    #[test]
    fn p50_an_answer_can_have_the_marks_of_several_edges() {
        let both = [("server", "cloudflare"), ("x-vercel-id", "fra1::1")];
        assert_eq!(edges(&both), ["cloudflare", "vercel"]);
        let repeated = [("x-served-by", "wordpress"), ("x-served-by", "cache-a")];
        assert_eq!(edges(&repeated).len(), 1);
    }

    #[test]
    fn each_edge_has_one_header_and_a_bit() {
        let names: std::collections::HashSet<_> = HEADERS.iter().map(|it| it.edge).collect();
        assert_eq!(names.len(), HEADERS.len());
        assert!(HEADERS.len() <= 16);
        let is_lower = |it: &EdgeHeader| it.header.bytes().all(|it| !it.is_ascii_uppercase());
        assert!(HEADERS.iter().all(is_lower));
    }
}
