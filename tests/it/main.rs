//! The integration tests: one binary, one module a subject.

mod expr;
mod yaml_kat;
