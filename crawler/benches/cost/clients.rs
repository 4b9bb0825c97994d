//! The two plain clients, which only send requests.

use crate::{AT_ONCE, web};
use anyhow::Context as _;
use bytes::Bytes;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{NameServerConfig, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use std::future::poll_fn;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;

/// Host and its address.
type Place = (String, SocketAddr);

/// Sends requests with tokio-rustls and h2.
pub(crate) async fn bare(folder: &Path) -> anyhow::Result<()> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(folder.join("ca.pem"))?)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    config.resumption = rustls::client::Resumption::disabled();
    let connector = TlsConnector::from(Arc::new(config));
    visit_all(folder, move |place| {
        let connector = connector.clone();
        async move { ask_barely(&connector, &place).await }
    })
    .await
}

async fn ask_barely(connector: &TlsConnector, (host, address): &Place) -> anyhow::Result<()> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let name = ServerName::try_from(host.clone())?;
    let stream = connector.connect(name, stream).await?;
    let (mut sender, connection) = h2::client::handshake(stream).await?;
    let connection = tokio::spawn(connection);
    for path in web::paths() {
        let uri = format!("https://{host}:{}{path}", address.port());
        let request = http::Request::get(uri).body(())?;
        sender = sender.ready().await?;
        let (response, _) = sender.send_request(request, true)?;
        let mut body = response.await?.into_body();
        while let Some(chunk) = body.data().await {
            let length = chunk?.len();
            body.flow_control().release_capacity(length)?;
        }
        poll_fn(|context| body.poll_trailers(context)).await?;
    }
    drop(sender);
    connection.await??;
    Ok(())
}

/// Sends requests with reqwest.
pub(crate) async fn prober(folder: &Path) -> anyhow::Result<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let root = reqwest::Certificate::from_pem(&std::fs::read(folder.join("ca.pem"))?)?;
    let client = reqwest::Client::builder()
        .tls_certs_only([root])
        .user_agent("prober/1.0")
        .timeout(Duration::from_secs(15))
        // The default keeps every connection for 90 seconds.
        .pool_idle_timeout(Duration::from_secs(1))
        .dns_resolver(Names::new(folder)?)
        .build()?;
    visit_all(folder, move |place| {
        let client = client.clone();
        async move { ask_with_reqwest(&client, &place).await }
    })
    .await
}

/// Resolves names at the name server of the simulated web, as any prober must.
#[derive(Clone)]
struct Names(TokioResolver);

impl Names {
    fn new(folder: &Path) -> anyhow::Result<Self> {
        let dns: SocketAddr = std::fs::read_to_string(folder.join("dns.txt"))?.parse()?;
        let mut server = NameServerConfig::udp_and_tcp(dns.ip());
        for connection in &mut server.connections {
            connection.port = dns.port();
        }
        let config = ResolverConfig::from_parts(None, Vec::new(), vec![server]);
        let builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        Ok(Self(builder.build()?))
    }
}

impl reqwest::dns::Resolve for Names {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let resolver = self.0.clone();
        Box::pin(async move {
            let found = resolver.ipv4_lookup(name.as_str()).await?;
            let addresses: Vec<_> = found
                .answers()
                .iter()
                .filter_map(|record| record.data.ip_addr())
                .map(|address| SocketAddr::new(address, 0))
                .collect();
            Ok(Box::new(addresses.into_iter()) as reqwest::dns::Addrs)
        })
    }
}

async fn ask_with_reqwest(
    client: &reqwest::Client,
    (host, address): &Place,
) -> anyhow::Result<Vec<Bytes>> {
    let mut answers = Vec::new();
    for path in web::paths() {
        let url = format!("https://{host}:{}{path}", address.port());
        let mut response = client.get(url).send().await?;
        while let Some(chunk) = response.chunk().await? {
            answers.push(chunk);
        }
    }
    Ok(answers)
}

/// Visits all hosts listed in the directory, some concurrently.
async fn visit_all<V, T>(
    folder: &Path,
    visit: impl Fn(Place) -> V + Clone + Send + 'static,
) -> anyhow::Result<()>
where
    V: Future<Output = anyhow::Result<T>> + Send,
{
    let places = Arc::new(places(folder)?);
    let next = Arc::new(AtomicUsize::new(0));
    let mut workers = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (places, next, visit) = (Arc::clone(&places), Arc::clone(&next), visit.clone());
        workers.spawn(async move {
            while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
                visit(place.clone())
                    .await
                    .with_context(|| place.0.clone())?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(worker) = workers.join_next().await {
        worker??;
    }
    Ok(())
}

fn places(folder: &Path) -> anyhow::Result<Vec<Place>> {
    let text = std::fs::read_to_string(folder.join("places.txt"))?;
    text.lines()
        .map(|line| {
            let (host, address) = line.split_once(' ').context("no address")?;
            Ok((host.to_owned(), address.parse()?))
        })
        .collect()
}
