//! A client that follows `connect` to the letter.

use super::values;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use serde_json::Value;
use simweb::Simweb;
use std::collections::BTreeMap;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// End of an attempt to call an agent.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The documents name no endpoint.
    NoEndpoint,
    /// A person has to finish the call.
    NeedsPerson,
    /// There is no example, since these facts are missing.
    Missing(Vec<String>),
    /// Every step was answered, and spoiled forms of the call were refused.
    Answered,
    /// A step was refused, or a spoiled one was not.
    Failed(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEndpoint => formatter.write_str("no endpoint"),
            Self::NeedsPerson => formatter.write_str("needs a person"),
            Self::Missing(facts) => write!(formatter, "missing: {}", facts.join(", ")),
            Self::Answered => formatter.write_str("answered"),
            Self::Failed(why) => write!(formatter, "FAILED: {why}"),
        }
    }
}

/// Resolver for which every host is on the simulated web.
#[derive(Debug)]
struct Everywhere(u16);

impl Resolve for Everywhere {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(std::iter::once(SocketAddr::from((
            Ipv4Addr::LOCALHOST,
            self.0,
        ))));
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// A caller of agents on a simulated web.
pub(crate) struct Client(reqwest::Client);

/// Returns a client that reaches every host of a simulated web at its usual address.
pub(crate) fn http_client(web: &Simweb) -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let root = reqwest::Certificate::from_pem(web.ca_pem().as_bytes()).unwrap();
    let builder = reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([root])
        .dns_resolver(Arc::new(Everywhere(web.https_port())));
    builder.build().unwrap()
}

/// Reads the body of an answer as JSON: as a whole, or the first message of an event stream.
fn read(text: &str) -> Value {
    let mut messages = text.lines().filter_map(|it| it.strip_prefix("data:"));
    let message = messages.find(|it| !it.trim().is_empty());
    serde_json::from_str(message.unwrap_or(text)).unwrap_or_default()
}

/// Answer to a request.
struct Answer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: Value,
}

impl Answer {
    /// Returns true for a call that did what it should, in HTTP, JSON-RPC and MCP.
    fn is_good(&self) -> bool {
        let is_refused = self.body.get("error").is_some() || self.body["result"]["isError"] == true;
        (200..300).contains(&self.status) && !is_refused
    }
}

impl Client {
    pub(crate) fn new(web: &Simweb) -> Self {
        Self(http_client(web))
    }

    /// Calls an agent as its `connect` says.
    pub(crate) async fn call(&self, connect: &Value) -> Outcome {
        if connect.is_null() {
            return Outcome::NoEndpoint;
        }
        if connect["human_handoff"] == true {
            return Outcome::NeedsPerson;
        }
        let Some(example) = connect.get("example") else {
            let facts = connect["missing"].as_array().unwrap().iter();
            return Outcome::Missing(facts.map(|it| it.as_str().unwrap().to_owned()).collect());
        };
        let only = [serde_json::json!({"name": "call", "call": example})];
        let steps = connect["steps"].as_array().map_or(&only[..], Vec::as_slice);
        match self.follow(connect, steps).await {
            Ok(()) => Outcome::Answered,
            Err(why) => Outcome::Failed(why),
        }
    }

    async fn follow(&self, connect: &Value, steps: &[Value]) -> Result<(), String> {
        let mut known = values::for_placeholders(connect);
        let pays = steps.iter().any(|step| step["name"] == "pay");
        for step in steps {
            let call = values::filled(&step["call"], &known);
            let name = step["name"].as_str().unwrap();
            if name != "delete_session" {
                self.must_refuse_spoiled(&call, connect).await?;
            }
            let answer = self.send(&call).await;
            let is_good = if pays && name == "call" {
                answer.status == 402
            } else {
                answer.is_good()
            };
            if !is_good {
                let Answer { status, body, .. } = answer;
                return Err(format!("{name}: {status} {body} to {call}"));
            }
            if answer.status == 402 {
                known.insert(
                    "{payment}".to_owned(),
                    values::payment(&answer.body["accepts"][0]),
                );
            }
            if let Some(gives) = step.get("gives") {
                let source = gives["name"].as_str().unwrap();
                let value = if gives["in"] == "header" {
                    answer.headers.get(&source.to_lowercase()).cloned()
                } else {
                    let mut members = source.split('.');
                    let value = members.try_fold(&answer.body, |value, it| value.get(it));
                    value.and_then(Value::as_str).map(str::to_owned)
                };
                let value = value.ok_or_else(|| format!("{name} did not give {source}"))?;
                let placeholder = gives["placeholder"].as_str().unwrap();
                known.insert(placeholder.to_owned(), Value::String(value));
            }
        }
        Ok(())
    }

    /// Checks that the endpoint refuses a call without its credential, with another method, and
    /// without its body.
    async fn must_refuse_spoiled(&self, call: &Value, connect: &Value) -> Result<(), String> {
        let mut spoiled = Vec::new();
        let mut other = call.clone();
        other["method"] = "TRACE".into();
        spoiled.push(other);
        if call["body"].get("jsonrpc").is_some() {
            let mut other = call.clone();
            other["body"] = serde_json::json!({});
            spoiled.push(other);
        }
        let is_a2a = connect["protocol"]
            .as_str()
            .is_some_and(|it| it.starts_with("a2a"));
        if connect["auth"]["in"] == "header" && is_a2a {
            // An A2A card guards every call or none.
            let mut other = call.clone();
            let name = connect["auth"]["name"].as_str().unwrap();
            other["headers"].as_object_mut().unwrap().remove(name);
            spoiled.push(other);
        }
        for call in spoiled {
            let answer = self.send(&call).await;
            if answer.is_good() {
                return Err(format!("{} to the spoiled {call}", answer.status));
            }
        }
        Ok(())
    }

    #[expect(clippy::disallowed_methods, reason = "our own server is not hostile")]
    async fn send(&self, call: &Value) -> Answer {
        let method = call["method"].as_str().unwrap().parse().unwrap();
        let mut request = self.0.request(method, call["url"].as_str().unwrap());
        for (name, value) in call["headers"].as_object().into_iter().flatten() {
            request = request.header(name, value.as_str().unwrap());
        }
        if let Some(body) = call.get("body") {
            request = request.body(body.to_string());
        }
        let response = request
            .send()
            .await
            .unwrap_or_else(|error| panic!("{call}: {error:?}"));
        let headers = response.headers().iter();
        let headers =
            headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
        Answer {
            status: response.status().as_u16(),
            headers: headers.collect(),
            body: read(&response.text().await.unwrap()),
        }
    }
}
