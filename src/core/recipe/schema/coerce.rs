//! What srtctl takes for an integer, a number or a truth value.

use num_bigint::BigInt;

use crate::core::num::Num;
use crate::core::recipe::{Data, Tree};

/// An integer, a number with its fraction cut, or a text that is an integer.
pub(super) fn integer(tree: &Tree<'_>) -> Option<Num> {
    match tree.data() {
        Data::Int(value) => Some(Num::Int(*value)),
        Data::Big(value) => Some(Num::Big((**value).clone())),
        Data::Float(value) if value.is_finite() => format!("{:.0}", value.trunc()).parse::<BigInt>().ok().map(normal),
        Data::Str(text) => integer_text(text),
        _ => None,
    }
}

/// The text of an integer, as Python's `int` reads it.
pub(super) fn integer_text(text: &str) -> Option<Num> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !well_spaced(digits) || !digits.bytes().all(|b| b.is_ascii_digit() || b == b'_') {
        return None;
    }
    let value: BigInt = digits.replace('_', "").parse().ok()?;
    Some(normal(if text.starts_with('-') { -value } else { value }))
}

fn normal(value: BigInt) -> Num {
    i64::try_from(&value).map_or(Num::Big(value), Num::Int)
}

/// Not empty, and underscores only between digits.
fn well_spaced(digits: &str) -> bool {
    let bytes = digits.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    !digits.is_empty()
        && bytes.iter().enumerate().all(|(at, b)| *b != b'_' || (is_digit(at.checked_sub(1)) && is_digit(Some(at + 1))))
}

/// A finite number, or a text that is one.
pub(super) fn number(tree: &Tree<'_>) -> Option<f64> {
    let value = match tree.data() {
        Data::Int(_) | Data::Big(_) | Data::Float(_) => tree.as_num()?.to_f64(),
        Data::Str(text) => {
            let text = text.trim();
            // Rust reads `inf` and `nan` too, which are refused below.
            well_spaced(text).then(|| text.replace('_', "").parse().ok()).flatten()?
        }
        _ => return None,
    };
    value.is_finite().then_some(value)
}

/// A truth value, 0 or 1, or one of the usual words.
pub(super) fn boolean(tree: &Tree<'_>) -> Option<bool> {
    match tree.data() {
        Data::Bool(value) => Some(*value),
        Data::Int(1) => Some(true),
        Data::Int(0) => Some(false),
        Data::Float(value) if *value == 1.0 => Some(true),
        Data::Float(value) if *value == 0.0 => Some(false),
        Data::Str(text) => match text.as_ref() {
            "t" | "T" | "true" | "True" | "TRUE" | "on" | "On" | "ON" | "y" | "Y" | "yes" | "Yes" | "YES" | "1" => {
                Some(true)
            }
            "f" | "F" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" | "n" | "N" | "no" | "No" | "NO" | "0" => {
                Some(false)
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::diag::{Diagnostics, Source};
    use crate::core::yaml::{Schema, parse};

    fn with<T>(yaml: &str, check: impl Fn(&Tree<'_>) -> T) -> T {
        let document = parse(&Source::new("f", yaml), Schema::V11, &mut Diagnostics::new()).unwrap();
        check(&Tree::of(document.root().unwrap()))
    }

    #[test]
    fn integers() {
        for (yaml, value) in [
            ("16", "16"),
            ("16.9", "16"),
            ("-16.9", "-16"),
            ("8.0", "8"),
            ("' 3 '", "3"),
            ("'+5'", "5"),
            ("'1_000'", "1000"),
        ] {
            assert_eq!(with(yaml, integer).map(|n| n.to_string()).as_deref(), Some(value), "{yaml}");
        }
        for yaml in ["true", "'8.9'", "'0x8'", "''", ".inf", ".nan", "~", "[1]", "'1__0'", "2026-08-01"] {
            assert!(with(yaml, integer).is_none(), "{yaml}");
        }
    }

    #[test]
    fn numbers() {
        for (yaml, value) in
            [("1", 1.0), ("1.5", 1.5), ("'1.5'", 1.5), ("'1e3'", 1000.0), ("' .5 '", 0.5), ("'1_0'", 10.0)]
        {
            assert_eq!(with(yaml, number), Some(value), "{yaml}");
        }
        for yaml in ["true", ".inf", "'inf'", "'nan'", "'Infinity'", "''", "~", "x", "'1_'"] {
            assert_eq!(with(yaml, number), None, "{yaml}");
        }
    }

    #[test]
    fn truth_values() {
        for yaml in ["true", "1", "1.0", "'yes'", "'On'", "'T'", "'1'"] {
            assert_eq!(with(yaml, boolean), Some(true), "{yaml}");
        }
        for yaml in ["false", "0", "0.0", "'no'", "'OFF'", "'n'", "'0'"] {
            assert_eq!(with(yaml, boolean), Some(false), "{yaml}");
        }
        for yaml in ["'oFF'", "'tRuE'", "2", "''", "~", "[]"] {
            assert_eq!(with(yaml, boolean), None, "{yaml}");
        }
    }
}
