//! The binary `simweb`: serves a directory of sites until it is interrupted.

use std::fs;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use clap::Parser;
use simweb::Simweb;

/// Serve a directory of sites as a small web on loopback, with its own DNS and certificates.
///
/// Every directory DIR/<host> is a site at https://<host>:PORT, for clients that use this program's
/// name server and trust its authority. A file `.simweb.toml` in a site's directory, which is
/// never served, configures the site; the library's documentation describes it.
///
/// Derived hosts need at least one open file per fifty of them: `ulimit -n` must allow it.
#[derive(Debug, Parser)]
#[command(version, verbatim_doc_comment)]
struct Config {
    /// Directory of sites, as <host>/<path>; files beside the site directories are not served.
    #[arg(long, value_name = "DIR", required_unless_present = "derived")]
    sites: Option<PathBuf>,

    /// Serve N generated hosts as well; the kind of each follows from the seed and its number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(simweb::MAX_DERIVED)))]
    derived: Option<u32>,

    /// Seed of the derived hosts; another seed generates others.
    #[arg(long, value_name = "S", default_value_t = 1, requires = "derived")]
    derived_seed: u64,

    /// Address of the name server, on loopback; port 0 chooses a free one.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0", value_parser = loopback)]
    dns: SocketAddr,

    /// Port of https; 0 chooses a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    https_port: u16,

    /// Port of plain HTTP, which redirects to https; 0 chooses a free one.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    http_port: u16,

    /// Spread the hosts over the addresses 127.0.0.1 to 127.0.0.N.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
    addresses: u8,

    /// Write every request and DNS query to FILE, one JSON object per line.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Write the hosts to FILE as host:port lines, a seed list for the crawler.
    #[arg(long, value_name = "FILE")]
    write_seeds: Option<PathBuf>,

    /// Write the authority's certificate to FILE, in PEM, for the crawler's --root-ca.
    #[arg(long, value_name = "FILE")]
    write_ca: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match serve(&Config::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The library's messages include their causes.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(config: &Config) -> anyhow::Result<()> {
    let mut builder = Simweb::builder()
        .dns(config.dns)
        .https_port(config.https_port)
        .http_port(config.http_port)
        .addresses(config.addresses);
    if let Some(sites) = &config.sites {
        builder = builder.folder(sites);
    }
    if let Some(count) = config.derived {
        builder = builder.derived(count, config.derived_seed);
    }
    if let Some(log) = &config.log {
        builder = builder.log(log);
    }
    let web = builder.start().await?;
    if let Some(file) = &config.write_ca {
        write(file, web.ca_pem())?;
    }
    if let Some(file) = &config.write_seeds {
        write(file, &(web.seeds().join("\n") + "\n"))?;
    }
    // A closed standard output does not stop the web.
    let _ = print_summary(&web, config, &mut io::stdout());
    tokio::signal::ctrl_c()
        .await
        .map_err(|reason| anyhow!("cannot wait for Ctrl-C: {reason}"))
}

fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text
        .parse()
        .map_err(|_| "write it like 127.0.0.1:5300".to_owned())?;
    if address.ip().is_loopback() {
        Ok(address)
    } else {
        Err("only loopback addresses are supported: use one like 127.0.0.1".to_owned())
    }
}

fn write(file: &PathBuf, text: &str) -> anyhow::Result<()> {
    fs::write(file, text).map_err(|reason| anyhow!("cannot write {}: {reason}", file.display()))
}

fn print_summary(web: &Simweb, config: &Config, out: &mut impl Write) -> io::Result<()> {
    let shown = |file: &Option<PathBuf>, missing: &str| match file {
        Some(file) => file.display().to_string(),
        None => missing.to_owned(),
    };
    let addresses: Vec<_> = web.addresses().iter().map(ToString::to_string).collect();
    let addresses = match addresses.len() {
        ..=8 => addresses.join(", "),
        count => format!("{count} addresses of 127.0.0.0/8"),
    };
    writeln!(out, "{} sites on {addresses}", web.hosts().len())?;
    writeln!(out, "  dns    {}", web.dns_address())?;
    writeln!(out, "  https  port {}", web.https_port())?;
    writeln!(out, "  http   port {}", web.http_port())?;
    writeln!(out, "\nTo crawl them:")?;
    writeln!(
        out,
        "  crawler --seeds {} --nameserver {} --root-ca {} --allow-address 127.0.0.0/8 --address-delay 0",
        shown(&config.write_seeds, "<file of --write-seeds>"),
        web.dns_address(),
        shown(&config.write_ca, "<file of --write-ca>"),
    )?;
    writeln!(out, "\nCtrl-C stops it.")?;
    out.flush()
}
