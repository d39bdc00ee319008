//! Why a value is refused, and what a person can do about it.

use std::ops::Range;

use num_bigint::BigInt;

use super::{Field, lax_bool, lax_int};
use crate::core::diag::Code;
use crate::core::num::Num;
use crate::core::yaml::{Kind, NodeRef};

/// Where a value stands: what a person would look at to find it, and what it is for.
#[derive(Debug)]
pub(super) struct Owner<'a> {
    /// The key, or the value itself in a list.
    pub(super) span: Range<usize>,
    about: &'a str,
    /// What may be removed instead of being corrected.
    removable: Option<&'static str>,
}

impl<'a> Owner<'a> {
    /// A key of the user's choice.
    pub(super) fn entry(span: Range<usize>) -> Self {
        Self { span, about: "", removable: Some("the key") }
    }

    /// A key of a schema.
    pub(super) fn field(span: Range<usize>, field: &'a Field) -> Self {
        Self { span, about: field.about, removable: (!field.required).then_some("the key") }
    }

    /// An item of a list.
    pub(super) fn item(span: Range<usize>) -> Self {
        Self { span, about: "", removable: Some("the item") }
    }

    /// The advice, and what the value is for.
    pub(super) fn give(&self, advice: &str) -> String {
        if self.about.is_empty() { advice.to_owned() } else { format!("{advice}: {}", self.about) }
    }

    /// The advice and what the value is for, or the other way out if there is one.
    pub(super) fn give_or_remove(&self, advice: &str) -> String {
        if self.removable.is_some() { self.or_remove(advice) } else { self.give(advice) }
    }

    /// The advice, and the other way out if there is one.
    pub(super) fn or_remove(&self, advice: &str) -> String {
        match self.removable {
            Some(what) => format!("{advice}, or remove {what}"),
            None => advice.to_owned(),
        }
    }
}

/// Why a value is refused.
pub(super) struct Wrong {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) help: Vec<String>,
}

impl Wrong {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: Vec::new() }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// A value of another kind than expected; says why when quotes or YAML 1.1 are the reason.
    pub(super) fn kind(node: NodeRef<'_>, expected: &str, owner: &Owner<'_>) -> Self {
        let wrong = Self::new(Code::WrongType, format!("{}, expected {expected}", shown_value(node)));
        let help = match node.kind() {
            Kind::Null => owner.give_or_remove(&format!("give {expected}")),
            Kind::List | Kind::Map => owner.give(&format!("give {expected}")),
            Kind::Bool(_) | Kind::Int(_) | Kind::Big(_) | Kind::Float(_) | Kind::Date(_) if expected == "a text" => {
                format!("quote it: \"{}\"", node.scalar_text().unwrap_or_default())
            }
            _ => match meant(node, expected) {
                Some(help) => help,
                None => owner.give(&format!("write {expected}")),
            },
        };
        wrong.help(help)
    }
}

/// What to write when the value is nearly what is expected.
fn meant(node: NodeRef<'_>, expected: &str) -> Option<String> {
    match expected {
        "an integer" => {
            let value = lax_int(node);
            if value.is_some() && node.as_str().is_some() && !node.is_plain() {
                return Some("remove the quotes".to_owned());
            }
            let by_later_rules = || node.as_str().filter(|_| node.is_plain()).and_then(integer_of_yaml_1_2);
            match node.kind() {
                Kind::Str(_) => {
                    value.or_else(by_later_rules).map(|value| format!("YAML 1.1 takes it for a text: write {value}"))
                }
                Kind::Float(_) => value.map(|value| format!("write {value}")),
                _ => None,
            }
        }
        "true or false" if !node.is_plain() && lax_bool(node).is_some() => Some("remove the quotes".to_owned()),
        _ => None,
    }
}

/// `0o10` and `1e3` are integers to readers of YAML 1.2, and so to most people.
fn integer_of_yaml_1_2(text: &str) -> Option<Num> {
    if let Some(octal) = text.strip_prefix("0o") {
        return i64::from_str_radix(octal, 8).ok().map(Num::Int);
    }
    let in_form = text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
    let value: f64 = in_form.then(|| text.parse().ok()).flatten()?;
    const LONGEST: f64 = 1e18;
    if value.fract() != 0.0 || value.abs() > LONGEST {
        return None;
    }
    let value: BigInt = format!("{value:.0}").parse().ok()?;
    i64::try_from(value).ok().map(Num::Int)
}

/// `4 8 16` and `a, b` as a list; `None` for what is too long to be one.
pub(super) fn in_brackets(text: &str) -> Option<String> {
    const LONG: usize = 60;
    let items: Vec<&str> = text.split([' ', ',', '\n', '\t']).filter(|item| !item.is_empty()).collect();
    (text.len() <= LONG && !items.is_empty()).then(|| format!("[{}]", items.join(", ")))
}

/// `found the integer `8``
pub(super) fn shown_value(node: NodeRef<'_>) -> String {
    const LONG: usize = 60;
    if node.is_null() {
        return "found nothing (null)".to_owned();
    }
    let kind = node.type_name();
    let Some(text) = node.scalar_text() else { return format!("found {kind}") };
    if text.is_empty() {
        return "found an empty text".to_owned();
    }
    let noun = ["a ", "an "].iter().find_map(|article| kind.strip_prefix(article)).unwrap_or(kind);
    let line = text.lines().next().unwrap_or_default();
    let mut shown: String = line.chars().take(LONG).collect();
    if shown.len() < text.trim_end_matches('\n').len() {
        shown.push('…');
    }
    format!("found the {noun} `{shown}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_yaml_1_2_are_recognised() {
        for (text, value) in [("0o10", 8), ("1e3", 1000), ("1.5e1", 15), ("2E+2", 200)] {
            assert_eq!(integer_of_yaml_1_2(text), Some(Num::Int(value)), "{text}");
        }
        for text in ["e3", "1e-1", "8 GPUs", "0o9", "1e300", "", "one"] {
            assert_eq!(integer_of_yaml_1_2(text), None, "{text}");
        }
    }

    #[test]
    fn words_become_a_list() {
        assert_eq!(in_brackets("4 8 16").as_deref(), Some("[4, 8, 16]"));
        assert_eq!(in_brackets("a,b").as_deref(), Some("[a, b]"));
        assert_eq!(in_brackets(&"x ".repeat(40)), None);
    }
}
