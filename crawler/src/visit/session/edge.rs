//! Answers by which a site, or what stands before it, refuses a request (P49).

use super::Session;
use crate::fetch::{Fetch, Response, edge};
use crate::observer::Observer;
use store::EdgeAnswer;
use url::Url;

/// Maximum length of a stored URL, in characters.
const URL_CHARS: usize = 500;

impl<F: Fetch, O: Observer> Session<'_, F, O> {
    /// Returns the answer to the last request, sent to `url`, as evidence; `None` if an answer with
    /// its status refuses nothing. No more of the body is kept than was read anyway.
    pub(in crate::visit) fn edge_answer(
        &self,
        url: &Url,
        response: &Response,
    ) -> Option<EdgeAnswer> {
        if !edge::may_refuse(response.status) {
            return None;
        }
        let headers = response.edge.iter();
        let start = start(&response.body);
        let pending = self.pending.as_ref();
        Some(EdgeAnswer {
            at: pending.map_or_else(|| self.now(), |exchange| exchange.at),
            url: manifest::text::clean(url.as_str(), URL_CHARS),
            status: response.status,
            headers: headers
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
            body: String::from_utf8_lossy(start).into_owned(),
            is_cut: response.was_cut || start.len() < response.body.len(),
            user_agent: self.settings.sender.user_agent.clone(),
            signed_by: self.settings.sender.signed_by.clone(),
        })
    }
}

/// Returns the start of a body, which ends with a whole character of UTF-8.
fn start(body: &[u8]) -> &[u8] {
    if body.len() <= EdgeAnswer::BODY_CAP {
        return body;
    }
    let begins = |position: &usize| body[*position] & 0b1100_0000 != 0b1000_0000;
    let last = (EdgeAnswer::BODY_CAP - 3..=EdgeAnswer::BODY_CAP)
        .rev()
        .find(begins);
    &body[..last.unwrap_or(EdgeAnswer::BODY_CAP)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p49_the_start_of_a_body_is_bounded_and_ends_with_a_character() {
        for text in ["", "short", &"a".repeat(10_000), &"aé€😀".repeat(1_000)] {
            let start = start(text.as_bytes());
            assert!(start.len() <= EdgeAnswer::BODY_CAP);
            assert!(start.len() + 3 >= text.len().min(EdgeAnswer::BODY_CAP));
            assert!(text.starts_with(std::str::from_utf8(start).unwrap()));
        }
        assert_eq!(start(&[0x80; 600]).len(), EdgeAnswer::BODY_CAP);
    }
}
