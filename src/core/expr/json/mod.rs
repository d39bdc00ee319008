//! JSON in and out: as strict as the standard for our own inputs, as lenient as the runner for `fromJSON`.

mod cache;
mod read;
mod special;
mod write;

use std::borrow::Cow;
use std::sync::Arc;

pub use cache::JsonCache;
pub(super) use cache::fresh;
pub use read::{JsonError, read_json};
pub(super) use read::{Reader, read_document, read_lenient};
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

/// What a reader makes of JSON: the thing itself, a value of an expression, or nothing.
pub(super) trait Tree<'t>: Sized {
    type Name: From<Cow<'t, str>>;
    fn null() -> Self;
    fn bool(value: bool) -> Self;
    fn number(value: f64) -> Self;
    fn text(text: Cow<'t, str>) -> Self;
    fn array(items: Vec<Self>) -> Self;
    fn object(members: Vec<(Self::Name, Self)>) -> Self;
}

impl<'t> Tree<'t> for Json<'t> {
    type Name = Cow<'t, str>;

    fn null() -> Self {
        Self::Null
    }

    fn bool(value: bool) -> Self {
        Self::Bool(value)
    }

    fn number(value: f64) -> Self {
        Self::Number(value)
    }

    fn text(text: Cow<'t, str>) -> Self {
        Self::Text(text)
    }

    fn array(items: Vec<Self>) -> Self {
        Self::Array(items)
    }

    fn object(members: Vec<(Self::Name, Self)>) -> Self {
        Self::Object(members)
    }
}

impl<'t> Tree<'t> for Value {
    type Name = Arc<str>;

    fn null() -> Self {
        Self::Null
    }

    fn bool(value: bool) -> Self {
        Self::Bool(value)
    }

    fn number(value: f64) -> Self {
        Self::Number(value)
    }

    fn text(text: Cow<'t, str>) -> Self {
        Self::Str(text.into())
    }

    fn array(items: Vec<Self>) -> Self {
        Self::Array(Array::new(items))
    }

    fn object(members: Vec<(Self::Name, Self)>) -> Self {
        Self::Object(Object::new(members))
    }
}

/// JSON that is only looked at for whether it is JSON.
pub(super) struct Skipped;

impl<'t> Tree<'t> for Skipped {
    type Name = Self;

    fn null() -> Self {
        Self
    }

    fn bool(_: bool) -> Self {
        Self
    }

    fn number(_: f64) -> Self {
        Self
    }

    fn text(_: Cow<'t, str>) -> Self {
        Self
    }

    fn array(_: Vec<Self>) -> Self {
        Self
    }

    fn object(_: Vec<(Self, Self)>) -> Self {
        Self
    }
}

impl From<Cow<'_, str>> for Skipped {
    fn from(_: Cow<'_, str>) -> Self {
        Self
    }
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
