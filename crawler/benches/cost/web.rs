//! The simulated web, in a separate process so that its work is not measured.
//!
//! Every host has a robots.txt that disallows one of the paths, and answers 404 to the rest: a
//! visit requests robots.txt and eight paths, over HTTP/2.

use anyhow::Context as _;
use crawler::probes::{self, Turn};
use simweb::Simweb;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Path that robots.txt disallows.
const CLOSED: &str = "/api/";

/// Number of requests by path, and under `""` the number of connections.
pub(crate) type RequestCounts = BTreeMap<String, u64>;

/// The simulated web, as controlled by the bench.
pub(crate) struct Web {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    hosts: u32,
    dns: String,
}

impl Web {
    /// Starts a web, which writes the files that its clients need into `folder`.
    pub(crate) fn start(hosts: u32, folder: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("web")
            .arg(hosts.to_string())
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().context("no way to the web")?;
        let stdout = child.stdout.take().context("no way from the web")?;
        let mut web = Self {
            child,
            stdin,
            stdout: BufReader::new(stdout),
            hosts,
            dns: String::new(),
        };
        web.dns = web.hear()?;
        Ok(web)
    }

    /// Returns the address of its name server.
    pub(crate) fn dns(&self) -> &str {
        &self.dns
    }

    /// Returns the requests since the last call.
    pub(crate) fn asked(&mut self) -> anyhow::Result<RequestCounts> {
        writeln!(self.stdin)?;
        Ok(serde_json::from_str(&self.hear()?)?)
    }

    /// Returns the expected requests of a client: each path of each host once, and one connection
    /// per host.
    pub(crate) fn expected(&self) -> RequestCounts {
        let paths = paths().into_iter().chain([""]);
        paths
            .map(|path| (path.to_owned(), u64::from(self.hosts)))
            .collect()
    }

    fn hear(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // The process has nothing to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Paths that every client requests from every host, in this order: those of the crawler's first
/// visit.
pub(crate) fn paths() -> Vec<&'static str> {
    let table = probes::ALL.iter();
    let first = table.filter(|probe| probe.turn != Turn::Rotation);
    let paths = first.map(|probe| probe.path);
    let open = paths.filter(|path| !path.starts_with(CLOSED));
    ["/robots.txt"].into_iter().chain(open).collect()
}

/// Serves the web until standard input ends, and prints the requests since the last line at each
/// line.
pub(crate) async fn serve(hosts: u32, folder: &Path) -> anyhow::Result<()> {
    // Several addresses, because one has too few ports for so many connections.
    let mut builder = Simweb::builder().addresses(50);
    for number in 0..hosts {
        let host = format!("site{number}.example");
        // All hosts differ, because otherwise they would count as parked domains (P12).
        let robots = format!("# {host}\nUser-agent: *\nDisallow: {CLOSED}\n");
        builder = builder.site(&host).file("/robots.txt", robots);
    }
    let web = builder.start().await?;
    std::fs::write(folder.join("ca.pem"), web.ca_pem())?;
    std::fs::write(folder.join("seeds.txt"), web.seeds().join("\n") + "\n")?;
    let mut places = String::new();
    for host in web.hosts() {
        let address = web.addresses_of(&host).pop().context("no address")?;
        writeln!(places, "{host} {address}:{}", web.https_port())?;
    }
    std::fs::write(folder.join("places.txt"), places)?;
    std::fs::write(folder.join("dns.txt"), web.dns_address().to_string())?;
    writeln!(std::io::stdout(), "{}", web.dns_address())?;
    let mut before = 0;
    for line in std::io::stdin().lines() {
        line?;
        let mut asked = RequestCounts::new();
        for request in web.requests() {
            *asked.entry(request.path).or_default() += 1;
        }
        asked.insert(String::new(), web.connections() - before);
        before = web.connections();
        web.forget();
        writeln!(std::io::stdout(), "{}", serde_json::to_string(&asked)?)?;
    }
    Ok(())
}
