//! A registry as a process.

use super::running::Running;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// A running `web` or `agentdex`.
pub(crate) struct Server {
    running: Running,
    /// URL at which it answers.
    pub(crate) url: String,
    /// Lines of its log until it answered.
    pub(crate) began: Vec<String>,
    log: Receiver<String>,
}

impl Server {
    /// Starts a program on loopback, and waits until it logs its address.
    pub(crate) fn start(command: &mut Command) -> Self {
        Self::start_at("127.0.0.1", command)
    }

    /// Starts a program that listens on this address of the machine.
    pub(crate) fn start_at(address: &str, command: &mut Command) -> Self {
        let mut child = command
            .args(["--listen", &format!("{address}:0")])
            // A test asks more often than a client may. `--rate-limit` takes precedence.
            .env("AGENTDEX_RATE_LIMIT", "off")
            // Many run at once.
            .env("AGENTDEX_ADMIN_LISTEN", "off")
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, log) = std::sync::mpsc::channel();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut server = Self {
            running: Running(child),
            url: String::new(),
            began: Vec::new(),
            log,
        };
        let began = server.wait_for(&format!("http://{address}:"));
        let line = began.last().unwrap();
        let url = &line[line.find("http://").unwrap()..];
        let is_past = |it: char| it.is_whitespace() || it == '"';
        url.split(is_past)
            .next()
            .unwrap()
            .clone_into(&mut server.url);
        server.began = began;
        server
    }

    /// Returns its process.
    pub(crate) fn running(&mut self) -> &mut Running {
        &mut self.running
    }

    /// Returns the memory that the process uses, in kibibytes.
    pub(crate) fn memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.running.0.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find(|it| it.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Returns the address at which it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.url.trim_start_matches("http://").parse().unwrap()
    }

    /// Kills the process, and returns the rest of its log.
    pub(crate) fn killed(self) -> Vec<String> {
        drop(self.running);
        self.log.iter().collect()
    }

    /// Returns the lines up to the one with `word`, which must come within two minutes.
    pub(crate) fn wait_for(&self, word: &str) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            let line = self
                .log
                .recv_timeout(Duration::from_mins(2))
                .unwrap_or_else(|error| panic!("no {word:?} ({error}) in:\n{}", heard.join("\n")));
            heard.push(line);
            if heard.iter().any(|line| line.contains(word)) {
                return heard;
            }
        }
    }
}
