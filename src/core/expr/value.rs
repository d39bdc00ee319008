//! Values of expressions, and their coercions.

use std::borrow::Cow;
use std::sync::Arc;

use super::object::Object;
use super::text::{number_of_text, number_to_text};
use super::unknown::Unknown;

/// A value. Cheap to clone: texts, arrays and objects are shared.
#[derive(Debug, Clone)]
pub enum Value {
    /// `null`, and whatever is not there.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number; all numbers are floating point.
    Number(f64),
    /// A text.
    Str(Arc<str>),
    /// An array.
    Array(Array),
    /// An object.
    Object(Object),
    /// Not known yet.
    Unknown(Unknown),
}

/// The type of a known value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number.
    Number,
    /// A text.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// Its name, which is also what an array or object becomes inside a text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "Null",
            Self::Boolean => "Boolean",
            Self::Number => "Number",
            Self::String => "String",
            Self::Array => "Array",
            Self::Object => "Object",
        }
    }
}

/// An array. The result of a `.*` filter remembers that it is one: a further index then applies to each of its items.
#[derive(Debug, Clone)]
pub struct Array {
    items: Arc<[Value]>,
    filtered: bool,
}

impl Array {
    /// An array of these items.
    pub fn new(items: impl IntoIterator<Item = Value>) -> Self {
        Self { items: items.into_iter().collect(), filtered: false }
    }

    pub(super) fn filtered(items: impl IntoIterator<Item = Value>) -> Self {
        Self { items: items.into_iter().collect(), filtered: true }
    }

    pub(super) fn is_filtered(&self) -> bool {
        self.filtered
    }

    /// The items.
    pub fn items(&self) -> &[Value] {
        &self.items
    }

    /// Whether both are one and the same array.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.items, &other.items)
    }
}

/// Whether a value counts as true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truthiness {
    /// It is known.
    Known(bool),
    /// It depends on something unknown.
    Unknown,
}

/// Whether a value counts as true: `null`, `false`, 0, NaN and the empty text do not. An unknown value may be known to
/// be one or the other.
pub fn truthiness(value: &Value) -> Truthiness {
    value.is_truthy().map_or(Truthiness::Unknown, Truthiness::Known)
}

/// The text that a value becomes inside another text. An unknown value has none.
pub fn to_display_string(value: &Value) -> Result<Cow<'_, str>, Unknown> {
    value.to_text()
}

impl Value {
    /// A text.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Str(text.into())
    }

    /// What stands at a reference that nobody knows yet.
    pub fn unknown(reference: impl Into<Arc<str>>) -> Self {
        Self::Unknown(Unknown::at(reference))
    }

    /// The type, unless it is unknown.
    pub fn kind(&self) -> Option<Kind> {
        Some(match self {
            Self::Null => Kind::Null,
            Self::Bool(_) => Kind::Boolean,
            Self::Number(_) => Kind::Number,
            Self::Str(_) => Kind::String,
            Self::Array(_) => Kind::Array,
            Self::Object(_) => Kind::Object,
            Self::Unknown(_) => return None,
        })
    }

    /// Whether it counts as true, where that is known.
    pub fn is_truthy(&self) -> Option<bool> {
        Some(match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Number(value) => *value != 0.0 && !value.is_nan(),
            Self::Str(text) => !text.is_empty(),
            Self::Array(_) | Self::Object(_) => true,
            Self::Unknown(unknown) => return unknown.truthiness(),
        })
    }

    /// The text that it becomes inside another text.
    pub fn to_text(&self) -> Result<Cow<'_, str>, Unknown> {
        Ok(match self {
            Self::Null => Cow::Borrowed(""),
            Self::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
            Self::Number(value) => Cow::Owned(number_to_text(*value)),
            Self::Str(text) => Cow::Borrowed(text),
            Self::Array(_) => Cow::Borrowed(Kind::Array.name()),
            Self::Object(_) => Cow::Borrowed(Kind::Object.name()),
            Self::Unknown(unknown) => return Err(unknown.clone()),
        })
    }

    /// The same as a value. An unknown one stays as it is.
    #[must_use]
    pub fn as_text(&self) -> Self {
        match self {
            Self::Str(text) => Self::Str(Arc::clone(text)),
            other => other.to_text().map_or_else(Self::Unknown, |text| Self::text(&*text)),
        }
    }

    /// The number that it becomes in a comparison or as an index.
    pub fn to_number(&self) -> Result<f64, Unknown> {
        Ok(match self {
            Self::Null => 0.0,
            Self::Bool(value) => f64::from(u8::from(*value)),
            Self::Number(value) => *value,
            Self::Str(text) => number_of_text(text),
            Self::Array(_) | Self::Object(_) => f64::NAN,
            Self::Unknown(unknown) => return Err(unknown.clone()),
        })
    }

    /// Whether it is known and neither an array nor an object.
    pub fn is_primitive(&self) -> bool {
        matches!(self, Self::Null | Self::Bool(_) | Self::Number(_) | Self::Str(_))
    }

    /// The unknown values in it, at any depth, as one.
    pub fn unknowns(&self) -> Option<Unknown> {
        match self {
            Self::Unknown(unknown) => Some(unknown.clone()),
            Self::Array(array) => {
                Unknown::of_all(array.items().iter().filter_map(Self::unknowns).collect::<Vec<_>>().iter())
            }
            Self::Object(object) => {
                Unknown::of_all(object.iter().filter_map(|(_, value)| value.unknowns()).collect::<Vec<_>>().iter())
            }
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Str(text.into())
    }
}

impl From<Array> for Value {
    fn from(array: Array) -> Self {
        Self::Array(array)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl From<Unknown> for Value {
    fn from(unknown: Unknown) -> Self {
        Self::Unknown(unknown)
    }
}

/// Numbers become floating point.
impl From<&serde_json::Value> for Value {
    fn from(json: &serde_json::Value) -> Self {
        match json {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(*value),
            serde_json::Value::Number(number) => Self::Number(number.as_f64().unwrap_or(f64::NAN)),
            serde_json::Value::String(text) => Self::Str(text.as_str().into()),
            serde_json::Value::Array(items) => Self::Array(Array::new(items.iter().map(Self::from))),
            serde_json::Value::Object(members) => {
                Self::Object(Object::new(members.iter().map(|(name, value)| (name.as_str().into(), Self::from(value)))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truthiness_of_each_kind() {
        let falsy = [Value::Null, false.into(), 0.0.into(), (-0.0).into(), f64::NAN.into(), "".into()];
        let truthy =
            [true.into(), 0.5.into(), "0".into(), "false".into(), Array::new([]).into(), Object::new([]).into()];
        assert!(falsy.iter().all(|value| truthiness(value) == Truthiness::Known(false)));
        assert!(truthy.iter().all(|value| truthiness(value) == Truthiness::Known(true)));
        assert_eq!(truthiness(&Value::unknown("env.x")), Truthiness::Unknown);
    }

    #[test]
    fn text_of_each_kind() {
        let texts: [(Value, &str); 8] = [
            (Value::Null, ""),
            (true.into(), "true"),
            (1000.0.into(), "1000"),
            (0.00001.into(), "1E-05"),
            ((-0.0).into(), "0"),
            ("x".into(), "x"),
            (Array::new([1.0.into()]).into(), "Array"),
            (Object::new([]).into(), "Object"),
        ];
        for (value, text) in texts {
            assert_eq!(to_display_string(&value).unwrap(), text);
        }
        assert!(to_display_string(&Value::unknown("env.x")).is_err());
    }

    #[test]
    fn unknowns_are_found_at_any_depth() {
        let inner = Object::new([("a".into(), Value::unknown("x.a")), ("b".into(), Value::Null)]);
        let value = Value::from(Array::new([inner.into(), Value::unknown("y")]));
        let names: Vec<_> = value.unknowns().unwrap().depends_on().iter().map(ToString::to_string).collect();
        assert_eq!(names, ["x.a", "y"]);
        assert!(Value::from(Array::new([Value::Null])).unknowns().is_none());
    }
}
