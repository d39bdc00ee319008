//! A value without its place: what is merged, changed and written.

use std::borrow::Cow;

use num_bigint::BigInt;

use super::{Kind, NodeRef};

/// A value of a document, or one that was computed.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'d> {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A larger integer.
    Big(Box<BigInt>),
    /// A floating point number.
    Float(f64),
    /// A text.
    Str(Cow<'d, str>),
    /// A date or time of YAML 1.1, by its text.
    Date(Cow<'d, str>),
    /// A list.
    List(Vec<Self>),
    /// A mapping in the order of its keys.
    Map(Map<'d>),
}

/// Keys and values in order.
pub type Map<'d> = Vec<(Value<'d>, Value<'d>)>;

impl<'d> Value<'d> {
    /// The value of a node, with aliases and merges resolved.
    pub fn of(node: NodeRef<'d>) -> Self {
        match node.kind() {
            Kind::Null => Self::Null,
            Kind::Bool(value) => Self::Bool(value),
            Kind::Int(value) => Self::Int(value),
            Kind::Big(value) => Self::Big(Box::new(value.clone())),
            Kind::Float(value) => Self::Float(value),
            Kind::Str(text) | Kind::Binary(text) => Self::Str(Cow::Borrowed(text)),
            Kind::Date(text) => Self::Date(Cow::Borrowed(text)),
            Kind::List => Self::List(node.items().map(Self::of).collect()),
            Kind::Map => Self::Map(node.entries().map(|(key, value)| (Self::of(key), Self::of(value))).collect()),
        }
    }

    /// The same value, which borrows nothing.
    pub fn to_static(&self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::Big(value) => Value::Big(value.clone()),
            Self::Float(value) => Value::Float(*value),
            Self::Str(text) => Value::Str(Cow::Owned(text.clone().into_owned())),
            Self::Date(text) => Value::Date(Cow::Owned(text.clone().into_owned())),
            Self::List(items) => Value::List(items.iter().map(Self::to_static).collect()),
            Self::Map(map) => Value::Map(map.iter().map(|(key, value)| (key.to_static(), value.to_static())).collect()),
        }
    }

    /// A text.
    pub fn text(text: impl Into<Cow<'d, str>>) -> Self {
        Self::Str(text.into())
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The value under a text key, if it is a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(map) => map.iter().find(|(name, _)| name.as_str() == Some(key)).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Python's idea of truth: not null, false, zero or empty.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Str(text) => !text.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Map(map) => !map.is_empty(),
            Self::Big(_) | Self::Date(_) => true,
        }
    }
}
