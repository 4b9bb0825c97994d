//! Facts that an author adds to a manifest before it is converted, as `FIELD=VALUE`.

use crate::{Agent, Reading};
use serde_json::Value;

/// Value for a field of the model that the manifest lacks.
#[derive(Clone, Debug, PartialEq)]
pub struct Addition {
    field: String,
    value: Value,
}

/// Reason why a fact cannot be added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdditionError {
    /// No equals sign.
    #[error("give it as FIELD=VALUE")]
    NoValue,
    /// Value that begins like JSON and is none.
    #[error("not JSON: {0}")]
    BadJson(serde_json::Error),
    /// Value of another type than the field has.
    #[error("this is no {field}: {source}")]
    BadValue {
        /// Field.
        field: String,
        /// Error of its type.
        source: serde_json::Error,
    },
    /// Field that the model does not have.
    #[error("an agent has no field {0:?}; it has name, description, version, url, …")]
    UnknownField(String),
    /// Failure of our own code.
    #[error("an agent is no object")]
    NoObject,
}

impl Addition {
    /// Parses `version=1.0.0`, with lists and objects as JSON.
    pub fn parse(text: &str) -> Result<Self, AdditionError> {
        let (field, value) = text.split_once('=').ok_or(AdditionError::NoValue)?;
        let value = if value.starts_with(['[', '{']) {
            serde_json::from_str(value).map_err(AdditionError::BadJson)?
        } else {
            Value::from(value)
        };
        let addition = Self {
            field: field.to_owned(),
            value,
        };
        addition.add(&mut Agent::default())?;
        Ok(addition)
    }

    /// Adds the fact to an agent. Values of the manifest are kept; items of lists are appended.
    fn add(&self, agent: &mut Agent) -> Result<(), AdditionError> {
        let Self { field, value } = self;
        let Ok(Value::Object(mut members)) = serde_json::to_value(&*agent) else {
            return Err(AdditionError::NoObject);
        };
        let is_default = agent.defaulted.contains(field);
        match (members.get_mut(field).filter(|_| !is_default), value) {
            (Some(Value::Array(given)), Value::Array(more)) => given.extend(more.clone()),
            (Some(given), _) if given.as_str() != Some("") => return Ok(()),
            _ => {
                members.insert(field.clone(), value.clone());
            }
        }
        let filled: Agent = serde_json::from_value(Value::Object(members)).map_err(|source| {
            AdditionError::BadValue {
                field: field.clone(),
                source,
            }
        })?;
        let is_known = serde_json::to_value(&filled).is_ok_and(|it| it.get(field).is_some());
        if !is_known {
            return Err(AdditionError::UnknownField(field.clone()));
        }
        *agent = filled;
        agent.defaulted.retain(|it| it != field);
        Ok(())
    }
}

/// Adds facts to every agent of a reading.
pub fn add(additions: &[Addition], reading: &mut Reading) -> Result<(), AdditionError> {
    for agent in &mut reading.agents {
        for addition in additions {
            addition.add(agent)?;
        }
    }
    Ok(())
}
