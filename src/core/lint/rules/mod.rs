//! One file for each rule, and the table of all.

mod allocation_leaks;
mod always_on_launch;
mod call_input_missing;
mod call_input_type;
mod call_input_unknown;
mod call_target_missing;
mod callers_differ;
mod concurrency_deadlock;
mod condition_always_true;
mod condition_never_true;
mod container_drops;
mod container_passes_unset;
mod context_unavailable;
mod empty_matrix_unguarded;
mod empty_output_to_from_json;
mod empty_writes;
mod env_default_hides;
mod env_never_read;
mod env_never_set;
mod env_not_exported;
mod env_required;
mod exit_code_masked;
mod expression_invalid;
mod field_not_forwarded;
mod heredoc_duplicate_key;
mod identical_launchers;
mod input_unused;
mod label_unknown;
mod launcher_without_runner;
mod list_for_scalar;
mod list_in_text;
mod matrix_field_unknown;
mod output_from_unset;
mod output_unknown;
mod platform_limit;
mod runner_without_launcher;
mod secret_in_output;
mod sed_on_override_recipe;
mod shell_syntax;
mod trap_never_runs;
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
pub const RULES: &[Rule] = &[
    expression_invalid::RULE,
    list_in_text::RULE,
    list_for_scalar::RULE,
    matrix_field_unknown::RULE,
    field_not_forwarded::RULE,
    callers_differ::RULE,
    empty_output_to_from_json::RULE,
    condition_never_true::RULE,
    label_unknown::RULE,
    runner_without_launcher::RULE,
    launcher_without_runner::RULE,
    input_unused::RULE,
    untrusted_in_script::RULE,
    secret_in_output::RULE,
    concurrency_deadlock::RULE,
    empty_matrix_unguarded::RULE,
    platform_limit::RULE,
    context_unavailable::RULE,
    always_on_launch::RULE,
    call_input_unknown::RULE,
    call_input_missing::RULE,
    call_input_type::RULE,
    call_target_missing::RULE,
    output_unknown::RULE,
    condition_always_true::RULE,
    shell_syntax::RULE,
    env_never_set::RULE,
    env_default_hides::RULE,
    env_required::RULE,
    env_never_read::RULE,
    env_not_exported::RULE,
    container_drops::RULE,
    container_passes_unset::RULE,
    exit_code_masked::RULE,
    allocation_leaks::RULE,
    heredoc_duplicate_key::RULE,
    sed_on_override_recipe::RULE,
    output_from_unset::RULE,
    trap_never_runs::RULE,
    identical_launchers::RULE,
];

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
