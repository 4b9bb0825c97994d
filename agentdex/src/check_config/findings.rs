//! Checks of a configuration. They read files, bind the address for a moment, and change nothing.

use crate::config::Options;
use crate::seeds::summary;
use crawler::config::Config as CrawlerConfig;
use crawler::descriptors;
use crawler::seeds::{SeedError, SeedReader};
use std::error::Error;
use std::fs::File;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use store::blocklist::Blocklist;
use web::run::ServeError;

/// Consequence of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Severity {
    /// The registry would not start, or not work.
    Error,
    /// The registry would work, but lacks this in public.
    Missing,
    /// A fact.
    Fact,
}

/// Result of a check, worded for the operator.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) severity: Severity,
    pub(super) text: String,
}

impl Finding {
    fn new(severity: Severity, text: impl Into<String>) -> Self {
        Self {
            severity,
            text: text.into(),
        }
    }

    fn error(error: &dyn Error) -> Self {
        let text = terminal::failure(error);
        Self::new(Severity::Error, text.trim_start_matches("error: "))
    }
}

/// Returns the findings about a configuration.
pub(super) async fn of(options: &Options) -> Vec<Finding> {
    let mut findings = files(options);
    findings.push(match store::inspect(options.database()).await {
        Ok(()) => database(options),
        Err(error) => Finding::error(&error),
    });
    if let Some(replica) = &options.read_database
        && let Err(error) = store::check_replica(options.database(), replica)
    {
        findings.push(Finding::error(&error));
    }
    for finding in seeds(options) {
        // The configuration names the first list that cannot be read too.
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    findings.extend(missing(options));
    findings.extend(address(options).await);
    findings
}

/// Checks the data and the files that options name.
fn files(options: &Options) -> Vec<Finding> {
    let mut findings = Vec::new();
    let web = web::Config {
        // A directory is looked at without the models, which take seconds to load.
        no_semantic: true,
        ..options.web()
    };
    if let Err(error) = CrawlerConfig::try_from(options.crawler()) {
        findings.push(Finding::error(&error));
    }
    if let Err(error) = web::run::searcher(&web) {
        findings.push(Finding::error(&error));
    }
    if let Err(error) = web::run::crawler(&web) {
        findings.push(Finding::error(&error));
    }
    if let Some(path) = &options.blocklist
        && let Err(error) = Blocklist::open(path)
    {
        findings.push(Finding::error(&error));
    }
    if let Err(error) = web::secrets::check(&web::run::secrets_file(&web)) {
        findings.push(Finding::error(&error));
    }
    if let Err(error) = descriptors::room(descriptors::raise().map(|files| files / 2)) {
        findings.push(Finding::error(&error));
    }
    if let Some(reason) = unwritable(&options.index().join("meta.json")) {
        let shown = options.index().display().to_string();
        let text = format!("the index {shown} cannot be written: {reason}");
        findings.push(Finding::new(Severity::Error, text));
    }
    findings
}

/// Checks the database: its name, its file, or else the directory that it will be in.
fn database(options: &Options) -> Finding {
    if store::is_postgres(options.database()) {
        let place = "the database is on a server, to which the start connects";
        return Finding::new(Severity::Fact, place.to_owned());
    }
    let path = match store::file_of(options.database()) {
        Ok(path) => path,
        Err(error) => return Finding::error(&error),
    };
    let shown = path.display();
    match std::fs::metadata(&path) {
        Ok(file) if file.is_file() => match File::options().read(true).write(true).open(&path) {
            Ok(_) => Finding::new(
                Severity::Fact,
                format!("the database {shown} has {} bytes", file.len()),
            ),
            Err(error) => Finding::new(
                Severity::Error,
                format!("this user may not write to the database {shown}: {error}"),
            ),
        },
        Ok(_) => Finding::new(Severity::Error, format!("the database {shown} is no file")),
        Err(_) if options.seeds.is_empty() => Finding::new(
            Severity::Error,
            format!("there is no database at {shown} yet, and --seeds names no domains to visit"),
        ),
        Err(_) => match unwritable(&path) {
            None => Finding::new(
                Severity::Fact,
                format!("the database {shown} is made at the start"),
            ),
            Some(reason) => Finding::new(
                Severity::Error,
                format!("the database {shown} cannot be made: {reason}"),
            ),
        },
    }
}

/// Returns the reason why no file can be made at a path whose directories may be missing.
fn unwritable(path: &Path) -> Option<String> {
    let existing = path.ancestors().skip(1).find(|it| it.exists());
    // A path such as `agentdex.db` is in the current directory.
    let directory = existing.filter(|it| !it.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let made = tempfile::tempfile_in(directory);
    made.err()
        .map(|error| format!("{}: {error}", directory.display()))
}

/// Reads the seed lists and counts their lines.
fn seeds(options: &Options) -> Vec<Finding> {
    let lists = options.seeds.iter().filter(|path| *path != Path::new("-"));
    lists.map(|path| seed_list(path, options)).collect()
}

fn seed_list(path: &PathBuf, options: &Options) -> Finding {
    /// Number of seeds that are read at once.
    const BATCH: usize = 10_000;
    let admits_special_use = !options.network.allow_address.is_empty();
    let shown = path.display();
    let opened = if path.is_dir() {
        Err("it is a directory".to_owned())
    } else {
        File::open(path).map_err(|error| error.to_string())
    };
    let file = match opened {
        Ok(file) => file,
        Err(error) => {
            let text = format!("cannot read --seeds {shown}: {error}");
            return Finding::new(Severity::Error, text);
        }
    };
    let count = || {
        let mut reader = SeedReader::new(file, admits_special_use)?;
        while !reader.next_batch(BATCH)?.is_empty() {
            reader.take_named();
        }
        Ok::<_, SeedError>(reader.counts().clone())
    };
    match count() {
        Err(error) => Finding::new(
            Severity::Error,
            format!("the seed list {shown} cannot be used: {error}"),
        ),
        Ok(counts) => {
            let text = format!("the seed list {shown}: {}", summary(&counts, "line"));
            Finding::new(Severity::Fact, text.trim_end())
        }
    }
}

/// Returns what visitors, owners of sites and operators would miss.
fn missing(options: &Options) -> Vec<Finding> {
    let missing = |text: &str| Finding::new(Severity::Missing, text);
    let mut findings = Vec::new();
    if options.network.contact.is_none() {
        findings.push(missing(
            "--contact: owners of sites cannot reach you; more than 1,000 due domains are refused without it",
        ));
    }
    match &options.public_url {
        None => findings.push(missing(
            "--public-url: links and manifests name the listen address, which visitors cannot use",
        )),
        Some(url) if url.scheme() == "http" => {
            findings.push(missing("TLS: --public-url begins with http://"));
        }
        Some(_)
            if options.listen.ip().is_loopback() && options.proxies.trusted_proxy.is_empty() =>
        {
            findings.push(missing(
                "--trusted-proxy 127.0.0.1: without it, all visitors that come through a proxy on this machine share one rate limit",
            ));
        }
        Some(_) => {}
    }
    if options.crawler.crawler_addresses.is_empty() {
        findings.push(missing(
            "--crawler-addresses: sites that admit crawlers by address cannot admit yours",
        ));
    }
    if options.network.sign_key.is_none() {
        findings.push(missing(
            "--sign-key: sites that admit crawlers by signature cannot admit yours",
        ));
    }
    findings
}

/// Binds the listen address, to report whether it is free.
async fn address(options: &Options) -> Option<Finding> {
    let address = options.listen;
    match web::run::listen(&options.web()).await {
        Ok(_) if is_everywhere(address.ip()) => Some(Finding::new(
            Severity::Fact,
            format!("--listen {address} serves plain HTTP to the whole network"),
        )),
        Ok(_) => None,
        // The registry itself may be running.
        Err(ServeError::PortInUse(_)) => Some(Finding::new(
            Severity::Fact,
            format!("a program listens on {address} already: this registry, if it runs"),
        )),
        Err(error) => Some(Finding::error(&error)),
    }
}

fn is_everywhere(address: IpAddr) -> bool {
    address.is_unspecified()
}
