//! Requests to servers under test on loopback.

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The body.
    pub(crate) text: String,
}

impl Answer {
    /// Returns the body as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

/// Gets a URL of a server that a test started.
pub(crate) async fn get(url: &str) -> Answer {
    answer(client().get(url)).await
}

/// Posts a body to a URL of a server that a test started.
pub(crate) async fn post(url: &str, body: impl Into<reqwest::Body>) -> Answer {
    answer(client().post(url).body(body)).await
}

/// Posts a JSON object to a URL of a server that a test started.
pub(crate) async fn post_json(url: &str, body: &serde_json::Value) -> Answer {
    post_text(url, "application/json", &body.to_string()).await
}

/// Posts a text of a media type to a URL of a server that a test started.
pub(crate) async fn post_text(url: &str, media_type: &str, body: &str) -> Answer {
    let request = client().post(url).header("content-type", media_type);
    answer(request.body(body.to_owned())).await
}

/// Returns a client of servers that a test started.
pub(crate) fn client() -> reqwest::Client {
    // A second installation of the same provider changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// Sends a request to a server that a test started.
#[expect(clippy::disallowed_methods, reason = "our own server is not hostile")]
pub(crate) async fn answer(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    Answer {
        status: response.status().as_u16(),
        text: response.text().await.unwrap(),
    }
}
