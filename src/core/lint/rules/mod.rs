//! One file for each rule, and the table of all.

mod context_unavailable;
mod list_in_text;
mod matrix_field_unknown;
mod untrusted_in_script;

use super::{Findings, Repository};
use crate::core::diag::Code;

/// A rule: what it is called, and how it looks.
#[derive(Debug)]
pub struct Rule {
    /// The code of its findings. No other rule has it.
    pub code: Code,
    /// Its name in machine output and in the golden folders.
    pub name: &'static str,
    /// Looks at the whole repository.
    pub check: fn(&Repository<'_>, &mut Findings),
}

/// All rules, by code.
pub const RULES: &[Rule] =
    &[list_in_text::RULE, matrix_field_unknown::RULE, untrusted_in_script::RULE, context_unavailable::RULE];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend_and_names_are_kebab_case_and_unique() {
        assert!(RULES.windows(2).all(|pair| pair[0].code < pair[1].code));
        for (index, rule) in RULES.iter().enumerate() {
            assert!(rule.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", rule.name);
            assert!(RULES[..index].iter().all(|other| other.name != rule.name), "{}", rule.name);
        }
    }
}
