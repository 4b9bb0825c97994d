//! The URL of the registry, for the addresses in pages that other sites read: a preview of a page needs
//! whole URLs.

tokio::task_local! {
    static PUBLIC_URL: String;
}

/// Runs `work`, in which [`absolute`] returns addresses below `url`, which has no trailing slash.
pub(crate) async fn scope<T>(url: &str, work: impl Future<Output = T>) -> T {
    PUBLIC_URL.scope(url.to_owned(), work).await
}

/// Returns the URL of a path of the registry that answers the present request; the path itself if there
/// is none.
pub(crate) fn absolute(path: &str) -> String {
    let url = PUBLIC_URL.try_with(|url| format!("{url}{path}"));
    url.unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_is_below_the_url_of_the_registry() {
        assert_eq!(absolute("/docs"), "/docs");
        let found = scope("https://agentdex.example", async { absolute("/docs") }).await;
        assert_eq!(found, "https://agentdex.example/docs");
    }
}
