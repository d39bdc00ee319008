//! Equality of mapping keys, as Python's dict has it.

use super::{NodeRef, Scalar};

/// A hashable scalar key. Numbers and booleans that compare equal are one key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key<'d> {
    Null,
    Str(&'d str),
    Other(&'d str),
    Integer(i64),
    /// Integers beyond 64 bits and fractions, by their canonical text.
    Number(String),
}

impl<'d> Key<'d> {
    /// `None` for a list or a mapping, which cannot be keys.
    pub(super) fn of(node: NodeRef<'d>) -> Option<Self> {
        let text = node.scalar_text()?;
        Some(match node.scalar()? {
            Scalar::Null => Self::Null,
            Scalar::Bool(value) => Self::Integer(i64::from(*value)),
            Scalar::Int(value) => Self::Integer(*value),
            Scalar::Big(value) => Self::Number(value.to_string()),
            Scalar::Float(value) => Self::of_float(*value),
            Scalar::Str | Scalar::Merge => Self::Str(text),
            Scalar::Date | Scalar::Binary => Self::Other(text),
        })
    }

    fn of_float(value: f64) -> Self {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if value.fract() == 0.0 && value.abs() < EXACT {
            #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
            return Self::Integer(value as i64);
        }
        Self::Number(value.to_string())
    }
}
