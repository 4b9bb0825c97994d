//! The demo: example sites, served on loopback and crawled through the real network code.

use crate::config::Options;
use anyhow::Context as _;
use simweb::Simweb;
use simweb::endpoints::{KEY, PASSWORD, TOKEN};
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use terminal::without_password;

/// Sites of `seeds/demo`, compiled in so that the program needs no other files.
#[derive(rust_embed::RustEmbed)]
#[folder = "../seeds/demo"]
struct Sites;

/// Running demo; its temporary data is removed when it is dropped.
pub(crate) struct Demo {
    web: Simweb,
    /// Number of sites that are crawled.
    sites: usize,
    /// Locations of its data, and which of them are kept.
    data: String,
    directory: tempfile::TempDir,
}

impl Demo {
    /// Starts the demo's web, and sets the command line to crawl it.
    pub(crate) async fn start(line: &mut Options) -> anyhow::Result<Self> {
        let files = Sites::iter().filter_map(|path| {
            // Files beside the directories of sites only describe them.
            path.contains('/').then_some(())?;
            let file = Sites::get(&path)?;
            Some((path.into_owned(), file.data.into_owned()))
        });
        let web = Simweb::builder()
            .files(files)
            .endpoints()
            .start()
            .await
            .context("cannot start the demo's web")?;
        let folder = tempfile::Builder::new()
            .prefix("agentdex-demo-")
            .tempdir()
            .context("cannot create a directory for the demo's data")?;
        let root_ca = write(folder.path(), "ca.pem", web.ca_pem())?;
        write(
            folder.path(),
            ".curlrc",
            &curl_settings(&root_ca, web.https_port(), &web.seeds()),
        )?;
        let seeds = seeds(&web);
        let sites = seeds.len();
        let seeds = write(folder.path(), "seeds.txt", &(seeds.join("\n") + "\n"))?;
        line.seeds = vec![seeds];
        line.network.nameserver = vec![web.dns_address()];
        line.network.root_ca = vec![root_ca];
        line.network.allow_address = vec![IpAddr::V4(Ipv4Addr::LOCALHOST).into()];
        line.network.address_delay = 0;
        line.network
            .contact
            .get_or_insert_with(|| "https://agentdex.example/bot".to_owned());
        let place = |what: &str, given: Option<String>, own: &str| match given {
            Some(given) => format!("{what}: {} (kept)", without_password(&given)),
            None => format!("{what}: {own} (removed at the end)"),
        };
        let index = folder.path().join("index");
        let database = format!("sqlite:{}", folder.path().join("agentdex.db").display());
        let given = line.index.as_ref().map(|it| it.display().to_string());
        let data = format!(
            "{}\n{}",
            place("database", line.database.clone(), &database),
            place("index", given, &index.display().to_string())
        );
        line.database.get_or_insert(database);
        line.index.get_or_insert(index);
        Ok(Self {
            web,
            sites,
            data,
            directory: folder,
        })
    }

    /// Describes the demo for the operator.
    pub(crate) fn introduction(&self) -> String {
        format!(
            "demo: {} sites on https port {}, with DNS at {}; nothing leaves this machine\n\
             {}\n\
             to call its agents with the curl commands on their pages, enter in another terminal:\n  \
             export CURL_HOME='{}'\n\
             the agents accept the API key '{KEY}', the token '{TOKEN}', and '{PASSWORD}' as user and password",
            self.sites,
            self.web.https_port(),
            self.web.dns_address(),
            self.data,
            self.directory.path().display()
        )
    }
}

/// Lists the sites to crawl as lines of a seed list. Hosts that have only endpoints are none.
fn seeds(web: &Simweb) -> Vec<String> {
    let files: Vec<_> = Sites::iter().collect();
    let hosts: BTreeSet<&str> = files
        .iter()
        .filter_map(|it| Some(it.split_once('/')?.0))
        .collect();
    let mut seeds = web.seeds();
    seeds.retain(|seed| seed.split(':').next().is_some_and(|it| hosts.contains(it)));
    seeds
}

/// Returns settings of curl (`.curlrc`) with which it reaches every host of the demo, whose names resolve
/// nowhere else, and any other host as before.
fn curl_settings(root_ca: &Path, https_port: u16, seeds: &[String]) -> String {
    let root_ca = root_ca.display().to_string();
    let root_ca = root_ca.replace('\\', "\\\\").replace('"', "\\\"");
    let hosts = seeds.iter().filter_map(|it| it.split(':').next());
    let connected = hosts.map(|host| format!("connect-to = \"{host}::127.0.0.1:{https_port}\"\n"));
    let connected: String = connected.collect();
    format!("cacert = \"{root_ca}\"\n{connected}noproxy = \"*\"\n")
}

fn write(folder: &Path, name: &str, text: &str) -> anyhow::Result<PathBuf> {
    let path = folder.join(name);
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}
