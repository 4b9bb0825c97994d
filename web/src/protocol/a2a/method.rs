//! Versions and methods of A2A, and the refusals of those that are not offered.

use crate::json_rpc::{METHOD_NOT_FOUND, RpcError};
use crate::parameter::nearest;
use axum::http::{HeaderMap, HeaderName};
use serde_json::json;

/// Header with the version of a request.
const VERSION: HeaderName = HeaderName::from_static("a2a-version");

const TASK_NOT_FOUND: i32 = -32_001;
const PUSH_NOT_SUPPORTED: i32 = -32_003;
const UNSUPPORTED_OPERATION: i32 = -32_004;
pub(super) const CONTENT_TYPE_NOT_SUPPORTED: i32 = -32_005;
const EXTENDED_CARD_NOT_CONFIGURED: i32 = -32_007;
const VERSION_NOT_SUPPORTED: i32 = -32_009;

/// Reasons of the errors of A2A itself, as 1.0 names them.
const REASONS: [(i32, &str); 6] = [
    (TASK_NOT_FOUND, "TASK_NOT_FOUND"),
    (PUSH_NOT_SUPPORTED, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
    (UNSUPPORTED_OPERATION, "UNSUPPORTED_OPERATION"),
    (CONTENT_TYPE_NOT_SUPPORTED, "CONTENT_TYPE_NOT_SUPPORTED"),
    (
        EXTENDED_CARD_NOT_CONFIGURED,
        "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    ),
    (VERSION_NOT_SUPPORTED, "VERSION_NOT_SUPPORTED"),
];

/// Version of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// A2A 0.3, which names methods with slashes.
    V03,
    /// A2A 1.0, whose JSON is that of protocol buffers.
    V10,
}

impl Version {
    /// Returns the version that a request names; without the header, that is 0.3.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, RpcError> {
        let given = headers.get(VERSION).map_or(Ok(""), |it| it.to_str());
        let given = given.unwrap_or("?").trim();
        // A patch does not change the protocol (A2A 1.0, section 3.6).
        let mut parts = given.split('.');
        match (parts.next(), parts.next()) {
            (Some(""), None) | (Some("0"), Some("3")) => Ok(Self::V03),
            (Some("1"), Some("0")) => Ok(Self::V10),
            _ => {
                let given = manifest::text::clean(given, 40);
                let message =
                    format!("A2A {given} is not supported; the versions here are 1.0 and 0.3");
                Err(Self::V10.error(VERSION_NOT_SUPPORTED, message))
            }
        }
    }

    /// Returns an error of A2A itself.
    pub(super) fn error(self, code: i32, message: impl Into<String>) -> RpcError {
        let reason = REASONS.iter().find(|it| it.0 == code);
        let details = reason.map(|(_, reason)| {
            json!([{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": reason,
                "domain": "a2a-protocol.org",
            }])
        });
        RpcError {
            data: details.filter(|_| self == Self::V10),
            ..RpcError::new(code, message)
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::V03 => "0.3",
            Self::V10 => "1.0",
        }
    }
}

/// Method of either version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Message that is answered.
    Send,
    /// List of tasks, which is empty.
    ListTasks,
    /// Task by its id.
    Task,
    /// Message or task with a stream as the answer.
    Stream,
    /// Address for push notifications.
    Push,
    /// Card for clients that are signed in.
    ExtendedCard,
}

const METHODS: [(Version, &str, Method); 21] = {
    use Method::{ExtendedCard, ListTasks, Push, Send, Stream, Task};
    use Version::{V03, V10};
    [
        (V03, "message/send", Send),
        (V03, "message/stream", Stream),
        (V03, "tasks/get", Task),
        (V03, "tasks/cancel", Task),
        (V03, "tasks/resubscribe", Stream),
        (V03, "tasks/pushNotificationConfig/set", Push),
        (V03, "tasks/pushNotificationConfig/get", Push),
        (V03, "tasks/pushNotificationConfig/list", Push),
        (V03, "tasks/pushNotificationConfig/delete", Push),
        (V03, "agent/getAuthenticatedExtendedCard", ExtendedCard),
        (V10, "SendMessage", Send),
        (V10, "SendStreamingMessage", Stream),
        (V10, "GetTask", Task),
        (V10, "ListTasks", ListTasks),
        (V10, "CancelTask", Task),
        (V10, "SubscribeToTask", Stream),
        (V10, "CreateTaskPushNotificationConfig", Push),
        (V10, "GetTaskPushNotificationConfig", Push),
        (V10, "ListTaskPushNotificationConfigs", Push),
        (V10, "DeleteTaskPushNotificationConfig", Push),
        (V10, "GetExtendedAgentCard", ExtendedCard),
    ]
};

impl Method {
    /// Finds a method of a version.
    pub(super) fn of(version: Version, name: &str) -> Result<Self, RpcError> {
        let of_version = || METHODS.iter().filter(|it| it.0 == version);
        if let Some((_, _, method)) = of_version().find(|it| it.1 == name) {
            return Ok(*method);
        }
        let advice = if let Some((other, ..)) = METHODS.iter().find(|it| it.1 == name) {
            let other = other.name();
            format!("; it belongs to A2A {other}: send the header `A2A-Version: {other}`")
        } else {
            let known: Vec<&str> = of_version().map(|it| it.1).collect();
            let nearest = nearest(name, &known);
            nearest.map_or_else(String::new, |it| format!("; did you mean `{it}`?"))
        };
        let name = manifest::text::clean(name, 100);
        let version = version.name();
        let message = format!("A2A {version} has no method `{name}`{advice}");
        Err(RpcError::new(METHOD_NOT_FOUND, message))
    }

    /// Returns the error of a method that is not offered.
    pub(super) fn refusal(self, version: Version) -> Option<RpcError> {
        Some(match self {
            Self::Send | Self::ListTasks => return None,
            Self::Task => no_task(version),
            Self::Stream => version.error(
                UNSUPPORTED_OPERATION,
                "streams are not offered: a message is answered at once",
            ),
            Self::Push => no_push(version),
            Self::ExtendedCard => {
                let code = match version {
                    Version::V03 => EXTENDED_CARD_NOT_CONFIGURED,
                    // The card does not offer one (A2A 1.0, section 3.1.11).
                    Version::V10 => UNSUPPORTED_OPERATION,
                };
                version.error(code, "there is no other card than the public one")
            }
        })
    }
}

/// Returns the error for any task.
pub(super) fn no_task(version: Version) -> RpcError {
    version.error(
        TASK_NOT_FOUND,
        "there is no such task: a message is answered at once, and no task is made",
    )
}

/// Returns the error for any push notification.
pub(super) fn no_push(version: Version) -> RpcError {
    version.error(PUSH_NOT_SUPPORTED, "push notifications are not offered")
}
