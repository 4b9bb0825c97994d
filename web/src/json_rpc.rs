//! Messages of JSON-RPC 2.0, which MCP and A2A share.

use serde_json::{Value, json};

/// Code of a body that is not JSON.
pub(crate) const PARSE_ERROR: i32 = -32_700;
/// Code of JSON that is not a request.
pub(crate) const INVALID_REQUEST: i32 = -32_600;
/// Code of an unknown method.
pub(crate) const METHOD_NOT_FOUND: i32 = -32_601;
/// Code of parameters that the method cannot take.
pub(crate) const INVALID_PARAMS: i32 = -32_602;
/// Code of a fault of the server.
pub(crate) const INTERNAL_ERROR: i32 = -32_603;
/// Code of a refusal by the server, such as that of too many requests.
pub(crate) const SERVER_ERROR: i32 = -32_000;

/// Error of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RpcError {
    /// Code of the kind of error.
    pub(crate) code: i32,
    /// Description of the fault and of what would be right.
    pub(crate) message: String,
    /// Details for programs.
    pub(crate) data: Option<Value>,
}

impl RpcError {
    /// Creates an error without details.
    pub(crate) fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Creates the error of a body that is not a request, after reading it as far as possible.
    pub(crate) fn of_body(body: &[u8]) -> Self {
        match serde_json::from_slice::<Value>(body) {
            Err(error) => Self::new(PARSE_ERROR, format!("the body is not JSON: {error}")),
            Ok(Value::Array(_)) => Self::new(
                INVALID_REQUEST,
                "batches are not supported; send one request at a time",
            ),
            Ok(_) => Self::new(
                INVALID_REQUEST,
                "the body is not a JSON-RPC 2.0 request with the parameters of its method",
            ),
        }
    }

    /// Returns the response to the request with this id.
    pub(crate) fn response(self, id: &Value) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let (Some(data), Some(members)) = (self.data, error.as_object_mut()) {
            members.insert("data".to_owned(), data);
        }
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }
}

/// Returns the id of a request, if its body can be read and has a valid one; else null.
pub(crate) fn id_of(body: &[u8]) -> Value {
    let request: Value = serde_json::from_slice(body).unwrap_or_default();
    let id = request.get("id").cloned().unwrap_or_default();
    if is_id(&id) { id } else { Value::Null }
}

/// Reports whether a value may be the id of a request.
pub(crate) fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64() || id.is_null()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_is_no_request_is_told_from_one_that_is_no_json() {
        assert_eq!(RpcError::of_body(b"{").code, PARSE_ERROR);
        assert_eq!(RpcError::of_body(b"[]").code, INVALID_REQUEST);
        assert_eq!(RpcError::of_body(b"{\"id\": 1}").code, INVALID_REQUEST);
    }

    #[test]
    fn the_id_is_repeated_unless_it_is_none() {
        assert_eq!(id_of(b"{\"id\": \"a\"}"), json!("a"));
        assert_eq!(id_of(b"{\"id\": 7}"), json!(7));
        for none in [
            "{",
            "{}",
            "[]",
            "{\"id\": {}}",
            "{\"id\": true}",
            "{\"id\": 1.5}",
        ] {
            assert_eq!(id_of(none.as_bytes()), Value::Null, "{none}");
        }
    }
}
