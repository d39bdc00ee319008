//! Schemas as data: what a file may hold, said once.
//!
//! In: a YAML node and a [`Type`]. Out: diagnostics, all of them, each at its value; or a JSON Schema for editors.
//! Validation follows pydantic's lax mode, which the incumbent uses, and never changes the data.

mod coerce;
mod json_schema;
mod path;
mod validate;
mod wrong;

use std::rc::Rc;

pub use coerce::{lax_bool, lax_float, lax_int};
pub use json_schema::json_schema;
pub use path::Path;
pub use validate::{Fields, Violation, suggestion, validate};

use super::diag::Code;

/// What values are taken.
#[derive(Debug, Clone)]
pub enum Type {
    /// A text of at least this many characters, not starting with `without_prefix`.
    Text {
        /// Fewest characters.
        min_chars: usize,
        /// A prefix that is refused.
        without_prefix: Option<&'static str>,
    },
    /// An integer; when not strict also a boolean, an integral float and a text that holds an integer.
    Integer {
        /// YAML integers only.
        strict: bool,
        /// The smallest value taken.
        min: Option<i64>,
    },
    /// A truth value; when not strict also 0, 1 and the usual words.
    Boolean {
        /// YAML booleans only.
        strict: bool,
    },
    /// A number greater than 0 and at most 1.
    Fraction,
    /// One truth value, or the number equal to it.
    Exactly {
        /// The value.
        value: bool,
        /// What to do where the other one stands.
        help: &'static str,
    },
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A list of at least `min_items` items.
    List {
        /// What each item is.
        of: Rc<Self>,
        /// Fewest items.
        min_items: usize,
    },
    /// A mapping with keys of the user's choice.
    MapOf(Rc<Self>),
    /// A mapping with known keys.
    Object(Rc<Object>),
}

/// A mapping with known keys.
#[derive(Debug)]
pub struct Object {
    /// What a person calls it.
    pub title: &'static str,
    /// Its keys.
    pub fields: Vec<Field>,
    /// What must hold between its keys, checked when each of them is fine.
    pub rules: Vec<Rule>,
    /// Whether keys with hyphens are also taken with underscores (and then ignored by everything that reads them).
    pub takes_underscores: bool,
    /// Whether unknown keys are taken.
    pub open: bool,
}

/// A key of a mapping.
#[derive(Debug, Clone)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// What its value is.
    pub of: Type,
    /// Whether it must stand there.
    pub required: bool,
    /// Whether null is taken.
    pub nullable: bool,
    /// What it means, for editors and the reference.
    pub about: &'static str,
}

/// A condition over several keys of one mapping.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The code of its violations.
    pub code: Code,
    /// Finds violations.
    pub check: for<'d> fn(Fields<'d>, &mut Vec<Violation<'d>>),
}

impl Type {
    /// A text that may be empty.
    pub const TEXT: Self = Self::Text { min_chars: 0, without_prefix: None };
    /// A text of one character or more.
    pub const NAME: Self = Self::Text { min_chars: 1, without_prefix: None };
    /// An integer in pydantic's lax mode.
    pub const INTEGER: Self = Self::Integer { strict: false, min: None };
    /// A YAML integer greater than 0.
    pub const SIZE: Self = Self::Integer { strict: true, min: Some(1) };
    /// A truth value in pydantic's lax mode.
    pub const BOOLEAN: Self = Self::Boolean { strict: false };

    /// A list of at least `min_items` items.
    pub fn list(of: Self, min_items: usize) -> Self {
        Self::List { of: Rc::new(of), min_items }
    }
}

impl Field {
    /// A key that must stand there and is not null.
    pub fn required(name: &'static str, of: Type, about: &'static str) -> Self {
        Self { name, of, required: true, nullable: false, about }
    }

    /// A key that may be left out, but not be null.
    pub fn optional(name: &'static str, of: Type, about: &'static str) -> Self {
        Self { name, of, required: false, nullable: false, about }
    }

    /// A key that may be left out or null.
    pub fn nullable(name: &'static str, of: Type, about: &'static str) -> Self {
        Self { name, of, required: false, nullable: true, about }
    }
}
