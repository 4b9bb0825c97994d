//! Sites that speak no https.

use crate::support::line::{self, Line};
use crate::support::skip;
use simweb::{Behaviour, Simweb};

/// P14: where nobody listens for https, http is asked when the operator says so, and only then.
#[tokio::test(flavor = "multi_thread")]
async fn p14_a_site_without_https_is_found_over_http() {
    for (flags, expected) in [
        (&["--delay", "50"][..], &[][..]),
        (
            &["--delay", "50", "--http-fallback"],
            &["http://plain.example/agents.txt"],
        ),
    ] {
        // The port is the one that URLs mean, which only some machines let anybody listen on.
        let web = Simweb::builder()
            .http_port(80)
            .site("plain.example")
            .file(
                "/agents.txt",
                "Name: Shop\nURL: http://plain.example\nDescription: Sells tea\nCapabilities: search\n",
            )
            .behaviour(Behaviour {
                plain_http: true,
                ..Behaviour::default()
            })
            .start();
        let web = match web.await {
            Ok(web) => web,
            Err(error) => return skip(&format!("port 80 of loopback: {error}")),
        };
        let line = Line::new(web);
        // Without its port: there is nobody at 443.
        let seeds = line.folder.path().join("seeds.txt");
        std::fs::write(seeds, "plain.example\n").unwrap();
        let ran = line.crawl(flags);
        assert_eq!(ran.code, Some(0), "{}", ran.output);
        let store = line.store().await;
        let domain = line::domain("plain.example");
        let documents = store.documents(&domain).await.unwrap();
        let urls: Vec<_> = documents
            .iter()
            .map(|it| it.document.url.as_str())
            .collect();
        assert_eq!(urls, expected, "{flags:?}");
        assert_eq!(line.web.requests().is_empty(), expected.is_empty());
    }
}
