//! The integration tests: one binary, one module a subject.

mod cli;
mod golden;
mod support;
mod yaml_kat;
