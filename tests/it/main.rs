//! The integration tests: one binary, one module a subject.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod yaml_kat;
