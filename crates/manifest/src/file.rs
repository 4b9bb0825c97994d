//! Documents from files that no site serves yet.

use crate::format::Reading;
use crate::formats::{self, ALL};
use crate::{Document, Domain, domain::DomainError, placeholder};
use url::Url;

impl Document {
    /// Creates a document from a file that no site serves yet, as if the site that it names served
    /// it.
    ///
    /// `name` is the path at which it will be served, such as `/.well-known/agent.json`, or a bare
    /// file name, which stands for the first place at which a format expects a file of that name.
    /// The site is the registrable domain of the first URL that is given for the first agent. If
    /// the document gives none, it is `manifest.invalid`, and rules that depend on the site are not
    /// checked.
    pub fn of_file(name: &str, body: impl Into<Vec<u8>>) -> Self {
        let path = place_of(name);
        let document = at(Domain::unknown(), &path, body.into());
        let reading = formats::read(&document);
        let Some(site) = site(&reading, &document.domain) else {
            return document;
        };
        let there = at(site, &path, document.body.clone());
        // A catalogue may describe documents of other sites; then its URLs do not name its own
        // site.
        if reading.is_indexable() && !formats::read(&there).is_indexable() {
            return document;
        }
        there
    }

    /// Works like [`Document::of_file`], but for the site of `origin`.
    ///
    /// ```
    /// let origin = "https://ferry.example".parse()?;
    /// let document = manifest::Document::of_file_at(&origin, "agents.json", "{}")?;
    /// assert_eq!(document.url.as_str(), "https://ferry.example/.well-known/agents.json");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_file_at(
        origin: &Url,
        name: &str,
        body: impl Into<Vec<u8>>,
    ) -> Result<Self, DomainError> {
        let domain = Domain::parse(origin.host_str().unwrap_or_default())?;
        let mut url = origin.clone();
        url.set_path(&place_of(name));
        Ok(Self::new(domain, url, body))
    }
}

/// Creates a document as if `https://<domain><path>` had answered with `body`.
fn at(domain: Domain, path: &str, body: Vec<u8>) -> Document {
    let mut url = Url::parse(&format!("https://{domain}/")).expect("a domain is a host");
    url.set_path(path);
    Document::new(domain, url, body)
}

/// Returns the site at which the first agent is, unless it is `read_at`.
fn site(reading: &Reading, read_at: &Domain) -> Option<Domain> {
    let agent = reading.agents.first()?;
    let interfaces = agent.interfaces.iter().map(|interface| &interface.url);
    let addresses = agent.homepage.iter().chain(&agent.url).chain(interfaces);
    let hosts = addresses.filter_map(|url| Domain::parse(Url::parse(url).ok()?.host_str()?).ok());
    let hosts = hosts.filter(|host| !placeholder::is_host(host.as_str()));
    let mut sites = hosts.filter_map(|host| Domain::parse(host.registrable()).ok());
    sites.find(|site| site != read_at)
}

/// Returns the path at which clients look for a file of this name; a path is returned unchanged.
fn place_of(name: &str) -> String {
    if name.starts_with('/') {
        return name.to_owned();
    }
    let mut places = ALL.iter().flat_map(|entry| entry.places);
    let known = places.find(|place| place.rsplit('/').next() == Some(name));
    known.map_or_else(|| format!("/{name}"), |place| (*place).to_owned())
}
