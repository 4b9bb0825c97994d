//! The processes of a fleet, on one database.

use super::world::World;
use crate::support::judge::{Signal, Signalled};
use crate::support::running::Running;
use crate::support::server::Server;
use crate::support::{self, binary};
use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Contact of the crawlers; each appends its number, by which the judge tells them apart.
pub(crate) const CONTACT: &str = "https://registry.example/bot";

/// Longest time for a crawler to end after SIGTERM.
const ENDING: Duration = Duration::from_mins(1);

/// Settings of all crawlers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) concurrency: u32,
    /// Milliseconds between two requests to a host.
    pub(crate) delay_ms: u64,
    /// Milliseconds between two requests to an address.
    pub(crate) address_delay_ms: u64,
}

/// A crawler, as a process.
pub(crate) struct Crawler {
    running: Running,
    contact: String,
    log: PathBuf,
    /// True between SIGSTOP and SIGCONT.
    pub(crate) is_stopped: bool,
}

impl Crawler {
    /// Returns the number of its process.
    pub(crate) fn process(&self) -> u32 {
        self.running.0.id()
    }

    fn contents_of_log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }
}

/// All processes, with the signals that they received.
pub(crate) struct Members<'a> {
    world: &'a World,
    /// URL of the database, by which all processes reach it.
    url: String,
    folder: tempfile::TempDir,
    settings: Settings,
    /// Crawlers that began, by which each has its number.
    begun: usize,
    pub(crate) crawlers: Vec<Crawler>,
    pub(crate) indexers: Vec<(Running, PathBuf)>,
    pub(crate) servers: Vec<Server>,
    pub(crate) signals: Vec<Signalled>,
    /// Words of an error that belongs to the test.
    pub(crate) expected: Option<&'static str>,
    /// Faults of processes: a line that no log should have, or an end that was not asked for.
    pub(crate) faults: Vec<String>,
}

impl<'a> Members<'a> {
    pub(crate) fn new(world: &'a World, url: String, settings: Settings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), world.web.ca_pem()).unwrap();
        std::fs::write(folder.path().join("seeds.txt"), world.seed_list()).unwrap();
        Self {
            world,
            url,
            folder,
            settings,
            begun: 0,
            crawlers: Vec::new(),
            indexers: Vec::new(),
            servers: Vec::new(),
            signals: Vec::new(),
            expected: None,
            faults: Vec::new(),
        }
    }

    /// Starts a crawler, with the same command line as all others.
    pub(crate) fn join(&mut self) {
        self.join_with(self.world.web.dns_address());
    }

    /// Starts a crawler with a name server of its own.
    pub(crate) fn join_with(&mut self, name_server: SocketAddr) {
        self.begun += 1;
        let contact = format!("{CONTACT}/{}", self.begun);
        let settings = self.settings;
        let mut command = self.command("crawler", &format!("crawler-{}.log", self.begun));
        command
            .args(["--watch", "--seeds", "seeds.txt", "--root-ca", "ca.pem"])
            .args(["--nameserver", &name_server.to_string()])
            .args(["--allow-address", "127.0.0.0/8", "--contact", &contact])
            .args(["--concurrency", &settings.concurrency.to_string()])
            .args(["--delay", &settings.delay_ms.to_string()])
            .args(["--address-delay", &settings.address_delay_ms.to_string()])
            .args(["--progress", "none"]);
        self.crawlers.push(Crawler {
            running: Running(command.spawn().unwrap()),
            contact,
            log: self.log(&format!("crawler-{}.log", self.begun)),
            is_stopped: false,
        });
    }

    /// Starts an indexer.
    pub(crate) fn index(&mut self) {
        let name = format!("index-{}", self.indexers.len());
        let child = self
            .command("indexer", &format!("{name}.log"))
            .args(["--watch", "--index", &name])
            .spawn();
        let index = self.folder.path().join(name);
        self.indexers.push((Running(child.unwrap()), index));
    }

    /// Starts a web node.
    pub(crate) fn serve(&mut self) {
        let mut command = Command::new(binary("web"));
        command
            .current_dir(self.folder.path())
            .args(["--database", &self.url, "--follow"])
            .args(["--index", &format!("followed-{}", self.servers.len())]);
        self.servers.push(Server::start(&mut command));
    }

    fn command(&self, name: &str, log: &str) -> Command {
        let log = File::create(self.log(log)).unwrap();
        let mut command = Command::new(binary(name));
        command
            .current_dir(self.folder.path())
            .args(["--database", &self.url])
            .env("AGENTDEX_ADMIN_LISTEN", "off")
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        command
    }

    fn log(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Kills a crawler, as a machine without power does.
    pub(crate) fn kill(&mut self, place: usize) {
        let mut crawler = self.crawlers.remove(place);
        crawler.running.0.kill().unwrap();
        crawler.running.0.wait().unwrap();
        self.note(&crawler, Signal::Kill);
        self.check_log(&crawler);
    }

    /// Stops a crawler until it is continued.
    pub(crate) fn stop(&mut self, place: usize) {
        self.signal(place, "-STOP");
        self.crawlers[place].is_stopped = true;
        let signalled = signalled(&self.crawlers[place], Signal::Stop);
        self.signals.push(signalled);
    }

    pub(crate) fn go_on(&mut self, place: usize) {
        let signalled = signalled(&self.crawlers[place], Signal::Continue);
        self.signals.push(signalled);
        self.signal(place, "-CONT");
        self.crawlers[place].is_stopped = false;
    }

    /// Ends a crawler by SIGTERM, and waits for its end.
    pub(crate) async fn terminate(&mut self, place: usize) {
        let crawler = self.begin_to_end(place);
        self.await_end(crawler).await;
    }

    /// Sends SIGTERM to a crawler.
    pub(crate) fn begin_to_end(&mut self, place: usize) -> Crawler {
        self.signal(place, "-TERM");
        let crawler = self.crawlers.remove(place);
        self.note(&crawler, Signal::Terminate);
        crawler
    }

    /// Waits for the end of a crawler that has received SIGTERM.
    pub(crate) async fn await_end(&mut self, mut crawler: Crawler) {
        let code = exit_code(&mut crawler.running.0).await;
        if code != Some(0) {
            let log = crawler.contents_of_log();
            let contact = &crawler.contact;
            self.faults.push(format!(
                "{contact} ended with {code:?} after SIGTERM:\n{log}"
            ));
        }
        self.check_log(&crawler);
    }

    /// Notes crawlers that ended unasked.
    pub(crate) fn check_alive(&mut self) {
        for crawler in &mut self.crawlers {
            if let Some(status) = crawler.running.0.try_wait().unwrap() {
                let log = crawler.contents_of_log();
                panic!("{} ended by itself, {status}:\n{log}", crawler.contact);
            }
        }
    }

    fn signal(&self, place: usize, signal: &str) {
        let process = self.crawlers[place].process().to_string();
        let ran = support::run_program("kill", self.folder.path(), &[signal, &process]);
        assert_eq!(ran.code, Some(0), "{}", ran.output);
    }

    fn note(&mut self, crawler: &Crawler, signal: Signal) {
        self.signals.push(signalled(crawler, signal));
    }

    /// Notes the lines of a crawler's log that none should have.
    fn check_log(&mut self, crawler: &Crawler) {
        let log = crawler.contents_of_log();
        let bad = log
            .lines()
            .filter(|line| line.contains("panicked") || line.contains("ERROR"))
            .filter(|line| self.expected.is_none_or(|it| !line.contains(it)));
        let bad: Vec<_> = bad.map(str::to_owned).collect();
        self.faults.extend(bad);
    }

    /// Returns the folder of all logs, for a person.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Returns a signal that a crawler has received just now.
fn signalled(crawler: &Crawler, signal: Signal) -> Signalled {
    Signalled {
        contact: crawler.contact.clone(),
        at: u64::try_from(admin::now().0).unwrap(),
        signal,
    }
}

/// Waits for the end of a process; `None` if it was killed because it did not end in time.
async fn exit_code(child: &mut Child) -> Option<i32> {
    let started = Instant::now();
    while started.elapsed() < ENDING {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    None
}
