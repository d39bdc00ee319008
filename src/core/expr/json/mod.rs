//! JSON in and out: as strict as the standard for our own inputs, as lenient as the runner for `fromJSON`.

mod read;
mod write;

use std::borrow::Cow;

pub(super) use read::read_lenient;
pub use read::{JsonError, read_json};
pub use write::{json_number, to_json};
pub(super) use write::{push_json, write_for_runner};

use super::object::Object;
use super::value::{Array, Value};

/// JSON as it is written: members may repeat, and their names keep their case. Texts without escapes are borrowed.
#[derive(Debug, Clone, PartialEq)]
pub enum Json<'t> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as floating point.
    Number(f64),
    /// A text.
    Text(Cow<'t, str>),
    /// An array.
    Array(Vec<Self>),
    /// An object, members in order.
    Object(Vec<(Cow<'t, str>, Self)>),
}

impl Json<'_> {
    /// The last member of this very name.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().rfind(|(member, _)| member == name).map(|(_, value)| value),
            _ => None,
        }
    }
}

impl From<Json<'_>> for Value {
    fn from(json: Json<'_>) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(value),
            Json::Number(value) => Self::Number(value),
            Json::Text(text) => Self::text(text),
            Json::Array(items) => Self::Array(Array::new(items.into_iter().map(Self::from))),
            Json::Object(members) => {
                Self::Object(Object::new(members.into_iter().map(|(name, value)| (name.into(), Self::from(value)))))
            }
        }
    }
}
