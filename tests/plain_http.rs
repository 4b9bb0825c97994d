//! Sites that speak no https.

use crate::support::pipeline::{self, Pipeline};
use crate::support::skip;
use simweb::{Behaviour, Simweb};

/// P14: if no server listens for https, http is used only if the operator allows it.
#[tokio::test(flavor = "multi_thread")]
async fn p14_a_site_without_https_is_found_over_http() {
    for (flags, expected) in [
        (&["--delay", "50"][..], &[][..]),
        (
            &["--delay", "50", "--http-fallback"],
            &["http://plain.example/agents.txt"],
        ),
    ] {
        // Listening on the default port of http is permitted only on some machines.
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
        let pipeline = Pipeline::new(web);
        // Without its port: no server listens on 443.
        let seeds = pipeline.folder.path().join("seeds.txt");
        std::fs::write(seeds, "plain.example\n").unwrap();
        let ran = pipeline.crawl(flags);
        assert_eq!(ran.code, Some(0), "{}", ran.output);
        let store = pipeline.store().await;
        let domain = pipeline::domain("plain.example");
        let documents = store.documents(&domain).await.unwrap();
        let urls: Vec<_> = documents
            .iter()
            .map(|it| it.document.url.as_str())
            .collect();
        assert_eq!(urls, expected, "{flags:?}");
        assert_eq!(pipeline.web.requests().is_empty(), expected.is_empty());
    }
}
