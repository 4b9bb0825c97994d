//! The addresses of the hosts of one visit: each is looked up and checked once, and that address is
//! connected to.

use crate::fetch::FetchError;
use crate::fetch::resolver::Resolver;
use crate::plan::REQUEST_CAP;
use hyper_util::client::legacy::connect::dns::Name;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tower_service::Service;

/// Looks hosts up, and caches up to `most` of them.
#[derive(Clone, Debug)]
pub(super) struct Addresses {
    resolver: Resolver,
    /// A list, as it is faster than a map for so few.
    known: Arc<Mutex<Vec<(String, IpAddr)>>>,
    most: usize,
}

impl Addresses {
    /// Creates an empty cache that stores nothing.
    pub(super) fn new(resolver: Resolver) -> Self {
        Self {
            resolver,
            known: Arc::default(),
            most: 0,
        }
    }

    /// Creates a cache with the address of one host and room for as many as a visit can send
    /// requests to.
    pub(super) fn of_visit(&self, host: &str, address: IpAddr) -> Self {
        Self {
            resolver: self.resolver.clone(),
            known: Arc::new(Mutex::new(vec![(host.to_owned(), address)])),
            most: REQUEST_CAP as usize,
        }
    }

    /// Returns the cached address of a host.
    pub(super) fn known(&self, host: &str) -> Option<IpAddr> {
        self.lock().iter().find(|it| it.0 == host).map(|it| it.1)
    }

    /// Looks a host up.
    pub(super) async fn look_up(&self, host: &str) -> Result<IpAddr, FetchError> {
        self.resolver.address(host).await
    }

    /// Looks up the TXT records of a name.
    pub(super) async fn texts(&self, name: &str) -> Result<Vec<String>, FetchError> {
        self.resolver.texts(name).await
    }

    /// Caches the address of a host, once it may be connected to.
    pub(super) fn remember(&self, host: &str, address: IpAddr) {
        let mut known = self.lock();
        if known.len() < self.most && known.iter().all(|it| it.0 != host) {
            known.push((host.to_owned(), address));
        }
    }

    /// Returns the address to connect to.
    async fn checked(&self, name: &str) -> Result<SocketAddr, FetchError> {
        let address = match self.known(name) {
            Some(address) => address,
            None => self.look_up(name).await?,
        };
        // Port 0 stands for the port of the URL.
        Ok(SocketAddr::new(address, 0))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(String, IpAddr)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives reqwest the checked address.
impl reqwest::dns::Resolve for Addresses {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let addresses = self.clone();
        Box::pin(async move {
            let checked = addresses.checked(name.as_str()).await?;
            Ok(Box::new(std::iter::once(checked)) as reqwest::dns::Addrs)
        })
    }
}

/// Gives the examining client the checked address.
impl Service<Name> for Addresses {
    type Response = std::iter::Once<SocketAddr>;
    type Error = FetchError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, FetchError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), FetchError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let addresses = self.clone();
        Box::pin(async move { addresses.checked(name.as_str()).await.map(std::iter::once) })
    }
}
