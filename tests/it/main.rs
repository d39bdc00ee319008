//! The integration tests: one binary, one module a subject.

// `cfg(test)` always holds here. It tells clippy that helpers are test code too, where unwrap is fine.
#![cfg(test)]

mod actions;
mod arch;
mod cli;
mod expr;
mod golden;
mod props;
mod recipe;
mod recipe_props;
mod simulate;
mod simulate_golden;
mod support;
mod workflows;
mod yaml_kat;
