//! The integration tests: one binary, one module a subject.

// `cfg(test)` always holds here. It tells clippy that helpers are test code too, where unwrap is fine.
#![cfg(test)]

mod actions;
mod arch;
mod cli;
mod expr;
mod golden;
mod props;
mod simulate;
mod support;
mod yaml_kat;
