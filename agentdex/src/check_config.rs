//! `agentdex check-config`: the configuration in force, and what is missing in it.

mod findings;

use crate::config::{CommandLine, Options};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use findings::{Finding, Severity};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::process::ExitCode;
use terminal::without_password;

/// Exit code if the registry would not start, or not work.
const WRONG_USAGE: u8 = 2;

/// Value of an option, and its source.
struct Setting {
    name: String,
    value: String,
    source: String,
}

/// Prints the configuration and the findings about it.
pub(crate) async fn print(options: &Options, matches: &ArgMatches) -> ExitCode {
    let settings = settings(options, matches);
    let findings = findings::of(options).await;
    let is_usable = findings.iter().all(|it| it.severity != Severity::Error);
    let text = report(&settings, &findings);
    // A closed output needs no error message.
    let _ = std::io::Write::write_all(&mut std::io::stdout(), terminal::lines(&text).as_bytes());
    if is_usable {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(WRONG_USAGE)
    }
}

/// Returns every option of the registry with its value in force.
fn settings(options: &Options, matches: &ArgMatches) -> Vec<Setting> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let described = terminal::usage::prepared(CommandLine::described(&arguments));
    let Some((name, matches)) = matches.subcommand() else {
        return Vec::new();
    };
    let Some(command) = described.find_subcommand(name) else {
        return Vec::new();
    };
    let all = command.get_arguments();
    all.filter_map(|option| setting(option, options, matches))
        .collect()
}

fn setting(option: &Arg, options: &Options, matches: &ArgMatches) -> Option<Setting> {
    let long = option.get_long()?;
    let id = option.get_id().as_str();
    let source = matches.value_source(id);
    let is_flag = !option.get_action().takes_values();
    let value = match source.and_then(|_| matches.get_raw(id)) {
        Some(_) if is_flag => matches.get_flag(id).to_string(),
        Some(values) => {
            let texts = values.map(|value| without_password(&value.to_string_lossy()));
            texts.collect::<Vec<_>>().join(", ")
        }
        None => derived(id, options).unwrap_or_else(|| "none".to_owned()),
    };
    let source = match source {
        Some(ValueSource::CommandLine) => "command line".to_owned(),
        Some(ValueSource::EnvVariable) => {
            let name = option.get_env().unwrap_or_default();
            name.to_string_lossy().into_owned()
        }
        _ => "default".to_owned(),
    };
    Some(Setting {
        name: format!("--{long}"),
        value,
        source,
    })
}

/// Returns the value of an option that is not given and whose default follows from others.
fn derived(id: &str, options: &Options) -> Option<String> {
    let database = options.database();
    Some(match id {
        "database" => database.to_owned(),
        "index" => options.index().display().to_string(),
        "export" => export::daily::beside(database).display().to_string(),
        "secrets" => web::secrets::beside(database).display().to_string(),
        "public_url" => options.web().public_url(options.listen),
        "admin_listen" => "127.0.0.1:9090, if it is free".to_owned(),
        _ => return None,
    })
}

/// Writes settings and findings as text.
fn report(settings: &[Setting], findings: &[Finding]) -> String {
    let width = |of: fn(&Setting) -> &str| {
        let lengths = settings.iter().map(|it| of(it).chars().count());
        lengths.max().unwrap_or_default().min(48)
    };
    let (names, values) = (width(|it| &it.name), width(|it| &it.value));
    let mut text = String::new();
    for Setting {
        name,
        value,
        source,
    } in settings
    {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name:names$}  {value:values$}  {source}");
    }
    for (severity, title) in [
        (
            Severity::Error,
            "The registry would not start, or not work:",
        ),
        (Severity::Missing, "Missing for a public registry:"),
        (Severity::Fact, "As found:"),
    ] {
        let mut of_it = findings
            .iter()
            .filter(|it| it.severity == severity)
            .peekable();
        if of_it.peek().is_some() {
            let _ = writeln!(text, "\n{title}");
        }
        for Finding { text: finding, .. } in of_it {
            let _ = writeln!(text, "- {finding}");
        }
    }
    text
}
