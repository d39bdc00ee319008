//! The integration tests: one binary, one module a subject.

// `cfg(test)` always holds here. It tells clippy that helpers are test code too, where unwrap is fine.
#![cfg(test)]

mod actions;
// The client runs in Linux containers; other systems bring another bash.
#[cfg(target_os = "linux")]
mod agentx_client;
mod arch;
mod bind;
mod cli;
mod diff;
mod expr;
#[cfg(target_os = "linux")]
mod fixed_sequence;
mod golden;
mod lint;
mod lint_large;
mod props;
mod recipe;
mod recipe_props;
mod route;
mod shipped_recipes;
mod simulate;
mod simulate_actions;
mod simulate_bad;
mod simulate_golden;
mod support;
mod workflows;
mod yaml_kat;
