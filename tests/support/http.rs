//! Requests to servers under test on loopback.

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The body.
    pub(crate) text: String,
}

/// Gets a URL of a server that a test started.
#[expect(clippy::disallowed_methods, reason = "our own server is not hostile")]
pub(crate) async fn get(url: &str) -> Answer {
    // A second installation of the same provider changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let response = client.get(url).send().await.unwrap();
    Answer {
        status: response.status().as_u16(),
        text: response.text().await.unwrap(),
    }
}
