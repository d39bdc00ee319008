//! What passes for a number or a truth value in pydantic's lax mode.

use num_bigint::BigInt;

use crate::core::num::Num;
use crate::core::yaml::{Kind, NodeRef};

/// The integer that a value passes for: an integer, a boolean, an integral float, or a text that holds one.
pub fn lax_int(node: NodeRef<'_>) -> Option<Num> {
    match node.kind() {
        Kind::Bool(value) => Some(Num::Int(i64::from(value))),
        Kind::Int(value) => Some(Num::Int(value)),
        Kind::Big(value) => Some(Num::Big(value.clone())),
        Kind::Float(value) if value.is_finite() && value.fract() == 0.0 => {
            format!("{value:.0}").parse::<BigInt>().ok().map(normal)
        }
        Kind::Str(text) => int_text(text),
        _ => None,
    }
}

fn normal(value: BigInt) -> Num {
    i64::try_from(&value).map_or(Num::Big(value), Num::Int)
}

/// Blanks around it, a sign, leading zeros, single underscores between digits and a zero fraction are fine.
fn int_text(text: &str) -> Option<Num> {
    let text = text.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.bytes().all(|b| b == b'0') {
        return None;
    }
    let digits = whole.strip_prefix(['+', '-']).unwrap_or(whole);
    let well_formed = !digits.is_empty()
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'_')
        && !digits.starts_with('_')
        && !digits.ends_with('_')
        && !digits.contains("__");
    if !well_formed {
        return None;
    }
    let value: BigInt = digits.replace('_', "").parse().ok()?;
    Some(normal(if whole.starts_with('-') { -value } else { value }))
}

/// The truth value that a value passes for: a boolean, 0 or 1, or one of the usual words in any case.
pub fn lax_bool(node: NodeRef<'_>) -> Option<bool> {
    match node.kind() {
        Kind::Bool(value) => Some(value),
        Kind::Int(0) => Some(false),
        Kind::Int(1) => Some(true),
        Kind::Float(0.0) => Some(false),
        Kind::Float(1.0) => Some(true),
        Kind::Str(text) => match text.to_ascii_lowercase().as_str() {
            "0" | "f" | "false" | "n" | "no" | "off" => Some(false),
            "1" | "t" | "true" | "y" | "yes" | "on" => Some(true),
            _ => None,
        },
        _ => None,
    }
}

/// The float that a value passes for: a number, a boolean, or a text that holds a number.
pub fn lax_float(node: NodeRef<'_>) -> Option<f64> {
    match node.kind() {
        Kind::Float(value) => Some(value),
        Kind::Str(text) => float_text(text),
        _ => lax_int(node).map(|value| value.to_f64()),
    }
}

fn float_text(text: &str) -> Option<f64> {
    let text = text.trim();
    let bytes = text.as_bytes();
    let between_digits = |at: usize| {
        let digit = |index: Option<usize>| index.and_then(|i| bytes.get(i)).is_some_and(u8::is_ascii_digit);
        digit(at.checked_sub(1)) && digit(Some(at + 1))
    };
    if !bytes.iter().enumerate().all(|(at, &b)| b != b'_' || between_digits(at)) {
        return None;
    }
    text.replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::diag::{Diagnostics, Source};
    use crate::core::yaml::{Schema, parse};

    fn with<T>(yaml: &str, check: impl Fn(NodeRef<'_>) -> T) -> T {
        let source = Source::new("f", yaml);
        let document = parse(&source, Schema::V11, &mut Diagnostics::new()).unwrap();
        check(document.root().unwrap())
    }

    #[test]
    fn integers_in_lax_mode() {
        for (yaml, value) in [
            ("8", "8"),
            ("true", "1"),
            ("8.0", "8"),
            ("'8'", "8"),
            ("' 8 '", "8"),
            ("'+08'", "8"),
            ("'-8.00'", "-8"),
            ("'1_000'", "1000"),
            ("'8.'", "8"),
            ("08", "8"),
            ("18446744073709551617", "18446744073709551617"),
        ] {
            assert_eq!(with(yaml, lax_int).map(|n| n.to_string()).as_deref(), Some(value), "{yaml}");
        }
        for yaml in ["8.5", "'8.5'", "x", "''", "'_8'", "'8_'", "'1__0'", "~", "[8]", ".inf", "'1e3'", "2026-11-30"] {
            assert!(with(yaml, lax_int).is_none(), "{yaml}");
        }
    }

    #[test]
    fn truth_values_in_lax_mode() {
        for yaml in ["true", "1", "1.0", "yes", "'yes'", "'ON'", "y", "'T'"] {
            assert_eq!(with(yaml, lax_bool), Some(true), "{yaml}");
        }
        for yaml in ["off", "0", "'False'", "n", "'0'"] {
            assert_eq!(with(yaml, lax_bool), Some(false), "{yaml}");
        }
        for yaml in ["2", "maybe", "~", "[]", "' yes '"] {
            assert_eq!(with(yaml, lax_bool), None, "{yaml}");
        }
    }

    #[test]
    fn floats_in_lax_mode() {
        for (yaml, value) in [("0.8", 0.8), ("1", 1.0), ("true", 1.0), ("'0.80'", 0.8), ("1e-1", 0.1), ("' .5 '", 0.5)]
        {
            assert_eq!(with(yaml, lax_float), Some(value), "{yaml}");
        }
        for yaml in ["x", "'1_'", "~", "[]"] {
            assert_eq!(with(yaml, lax_float), None, "{yaml}");
        }
    }
}
