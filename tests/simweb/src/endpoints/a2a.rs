//! An A2A agent, over JSON-RPC and HTTP+JSON, as its card describes it.

mod card;
mod form;

pub(super) use card::endpoints;

use super::{Answer, Answers, Call, Refusal, refused, wrong};
use form::{Form, Words};
use http::StatusCode;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Most tasks that an agent remembers; it forgets the oldest one for a new one.
const MAX_TASKS: usize = 100;

/// Agent, with the tasks that it has done.
#[derive(Debug)]
struct Agent {
    name: String,
    /// Skills of its card.
    skills: Vec<Value>,
    answers: Arc<Answers>,
    /// Extensions without which it does not answer.
    extensions: Vec<String>,
    is_streaming: bool,
    /// True if it answers with tasks, otherwise with messages.
    has_tasks: bool,
    answered: AtomicU64,
    /// Words that each task was answered with, by the ids of the tasks.
    tasks: Mutex<BTreeMap<String, Words>>,
}

/// Interface of an agent, in one version of the protocol.
#[derive(Clone, Debug)]
struct Interface {
    agent: Arc<Agent>,
    /// `0.1`, `0.2`, `0.3` or `1.0`.
    version: String,
    tenant: Option<String>,
}

/// Operation at one address.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    interface: Interface,
    kind: Kind,
}

/// Kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Every method of JSON-RPC.
    Rpc,
    /// Sends a message over HTTP+JSON.
    Send,
    /// Sends a message over HTTP+JSON, and streams the answer.
    Stream,
    /// Returns a task over HTTP+JSON.
    Task,
}

/// Names of the methods of JSON-RPC in a version: to send, to stream, to return a task.
const fn methods(is_first: bool, is_third: bool) -> [&'static str; 3] {
    if is_first {
        ["tasks/send", "tasks/sendSubscribe", "tasks/get"]
    } else if is_third {
        ["SendMessage", "SendStreamingMessage", "GetTask"]
    } else {
        ["message/send", "message/stream", "tasks/get"]
    }
}

impl Operation {
    pub(super) fn answer(
        &self,
        call: &Call<'_>,
        variables: &[(String, String)],
    ) -> Result<Answer, Refusal> {
        let Interface { agent, version, .. } = &self.interface;
        // A call without the header is one of 0.3.
        let asked = call.header("a2a-version").unwrap_or("0.3");
        if version.starts_with('1') != asked.starts_with('1') {
            return wrong(format!("version {asked} is not {version}"));
        }
        if self.kind == Kind::Task {
            let id = variables.iter().find(|it| it.0 == "id");
            let form = self.form(false);
            return Ok(Answer::ok(&agent.task(id.map(|it| &*it.1), form)?));
        }
        self.check_head(call)?;
        let body = &call.body;
        match self.kind {
            Kind::Rpc => self.answer_rpc(body),
            Kind::Stream if !agent.is_streaming => no_streams(),
            _ => {
                // 0.3 has two forms over HTTP: that of JSON-RPC, and that of its protocol buffers.
                let message = form::in_camel_case(body.get("request").unwrap_or(&body["message"]));
                let form = self.form(message.get("content").is_none());
                let words = agent.words(&message, form)?;
                if self.kind == Kind::Stream {
                    return Ok(Answer::events(agent.events(words, form)));
                }
                Ok(Answer::ok(&Form::wrapped(&agent.reply(words, form))))
            }
        }
    }

    fn answer_rpc(&self, body: &Value) -> Result<Answer, Refusal> {
        let Interface {
            agent,
            version,
            tenant,
        } = &self.interface;
        if body["jsonrpc"] != "2.0" || body["id"].is_null() {
            return wrong(format!("not a call of JSON-RPC: {body}"));
        }
        let params = &body["params"];
        if let Some(tenant) = tenant
            && params["tenant"] != tenant.as_str()
        {
            return wrong(format!("the tenant is not {tenant}"));
        }
        let form = self.form(true);
        let [send, stream, get] = methods(form == Form::First, form == Form::Third);
        let result = |result| json!({"jsonrpc": "2.0", "id": body["id"], "result": result});
        let method = body["method"].as_str().unwrap_or_default();
        if method == get {
            return Ok(Answer::ok(&result(
                agent.task(params["id"].as_str(), form)?,
            )));
        }
        if method != send && method != stream {
            let reason = format!("there is no method {method:?} in {version}");
            return refused(StatusCode::METHOD_NOT_ALLOWED, reason);
        }
        if form == Form::First && !params["id"].is_string() {
            return wrong("the task has no id");
        }
        if method == stream && !agent.is_streaming {
            return no_streams();
        }
        let mut words = agent.words(&params["message"], form)?;
        if let (Form::First, Some(id)) = (form, params["id"].as_str()) {
            id.clone_into(&mut words.task);
        }
        if method == stream {
            return Ok(Answer::events(
                agent.events(words, form).into_iter().map(result),
            ));
        }
        let reply = agent.reply(words, form);
        let reply = if form == Form::Third {
            Form::wrapped(&reply)
        } else {
            reply
        };
        Ok(Answer::ok(&result(reply)))
    }

    /// Returns the form of the objects in a call.
    fn form(&self, is_json: bool) -> Form {
        match self.interface.version.as_str() {
            "0.1" => Form::First,
            version if version.starts_with('1') => Form::Third,
            _ if is_json => Form::Second,
            _ => Form::SecondAsProtobuf,
        }
    }

    /// Checks the headers of a call with a body.
    fn check_head(&self, call: &Call<'_>) -> Result<(), Refusal> {
        let media_type = call.header("content-type").unwrap_or_default();
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if !matches!(essence, "application/json" | "application/a2a+json") {
            return wrong(format!("{media_type:?} is not JSON"));
        }
        let name = if self.interface.version.starts_with('1') {
            "a2a-extensions"
        } else {
            "x-a2a-extensions"
        };
        let given = call.header(name).unwrap_or_default();
        let given: Vec<_> = given.split(',').map(str::trim).collect();
        let mut required = self.interface.agent.extensions.iter();
        match required.find(|it| !given.contains(&it.as_str())) {
            Some(uri) => wrong(format!("the extension {uri} is required")),
            None => Ok(()),
        }
    }

    /// Says why a call is refused: as an error of JSON-RPC, or with a status of HTTP.
    pub(super) fn refusal(&self, call: &Call<'_>, status: StatusCode, reason: &str) -> Answer {
        if self.kind != Kind::Rpc {
            let error = json!({"code": status.as_u16(), "message": reason});
            return Answer {
                status,
                ..Answer::ok(&json!({"error": error}))
            };
        }
        // Codes of JSON-RPC 2.0 and of A2A.
        let code = match status {
            StatusCode::METHOD_NOT_ALLOWED => -32_601,
            StatusCode::NOT_FOUND => -32_001,
            StatusCode::NOT_IMPLEMENTED => -32_004,
            _ if call.body["jsonrpc"] != "2.0" => -32_600,
            _ => -32_602,
        };
        let error = json!({"code": code, "message": reason});
        Answer::ok(&json!({"jsonrpc": "2.0", "id": call.body["id"], "error": error}))
    }
}

fn no_streams<T>() -> Result<T, Refusal> {
    refused(
        StatusCode::NOT_IMPLEMENTED,
        "this agent does not stream answers",
    )
}

impl Agent {
    /// Checks a message, and returns the words that answer it.
    fn words(&self, message: &Value, form: Form) -> Result<Words, Refusal> {
        let request = form.text(message)?;
        let number = self.answered.fetch_add(1, Ordering::Relaxed) + 1;
        let context = message["contextId"].as_str();
        let skill = self.skill(&request);
        let text = match skill.and_then(|it| self.answers.get(it["id"].as_str()?)) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => {
                let skill = skill.and_then(|it| it["name"].as_str());
                format!("{}: {request}", skill.unwrap_or(&self.name))
            }
        };
        Ok(Words {
            number,
            task: format!("task-{number:08}"),
            context: context.map_or_else(|| format!("context-{number:08}"), str::to_owned),
            text,
        })
    }

    /// Returns the skill that shares most words with a request.
    fn skill(&self, request: &str) -> Option<&Value> {
        let request = request.to_lowercase();
        let words: Vec<_> = request
            .split(|it: char| !it.is_alphanumeric())
            .filter(|it| it.len() > 2)
            .collect();
        let shared = |skill: &Value| {
            let text = skill.to_string().to_lowercase();
            words.iter().filter(|it| text.contains(**it)).count()
        };
        // Of several, `max_by_key` returns the last one.
        self.skills.iter().rev().max_by_key(|it| shared(it))
    }

    fn reply(&self, words: Words, form: Form) -> Value {
        if form == Form::First || self.has_tasks {
            let task = form.task(&words);
            self.remember(words);
            return task;
        }
        form.message(&words)
    }

    fn events(&self, words: Words, form: Form) -> Vec<Value> {
        let events = form.events(&words);
        self.remember(words);
        events
    }

    fn remember(&self, words: Words) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.insert(words.task.clone(), words);
        if tasks.len() > MAX_TASKS {
            let oldest = tasks.values().min_by_key(|it| it.number);
            let oldest = oldest.map(|it| it.task.clone());
            oldest.and_then(|it| tasks.remove(&it));
        }
    }

    fn task(&self, id: Option<&str>, form: Form) -> Result<Value, Refusal> {
        let tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        match id.and_then(|it| tasks.get(it)) {
            Some(words) => Ok(form.task(words)),
            None => refused(StatusCode::NOT_FOUND, "there is no such task"),
        }
    }
}
