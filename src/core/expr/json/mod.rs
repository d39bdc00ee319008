//! JSON in and out: as strict as the standard for our own inputs, as lenient as the runner for `fromJSON`.

mod read;
mod write;

use std::sync::Arc;

pub(super) use read::read_lenient;
pub use read::{JsonError, read_json};
pub(super) use write::write_for_runner;
pub use write::{json_number, to_json};

use super::object::Object;
use super::value::{Array, Value};

/// JSON as it is written: members may repeat, and their names keep their case.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as floating point.
    Number(f64),
    /// A text.
    Text(Arc<str>),
    /// An array.
    Array(Vec<Self>),
    /// An object, members in order.
    Object(Vec<(Arc<str>, Self)>),
}

impl Json {
    /// The last member of this very name.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().rfind(|(member, _)| &**member == name).map(|(_, value)| value),
            _ => None,
        }
    }
}

impl From<Json> for Value {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(value),
            Json::Number(value) => Self::Number(value),
            Json::Text(text) => Self::Str(text),
            Json::Array(items) => Self::Array(Array::new(items.into_iter().map(Self::from))),
            Json::Object(members) => {
                Self::Object(Object::new(members.into_iter().map(|(name, value)| (name, Self::from(value)))))
            }
        }
    }
}
