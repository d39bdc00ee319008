//! Runs other programs. In: a program and its arguments. Out: what it printed, within a time limit.
//!
//! Arguments are handed over one by one, never through a shell, and never hold a secret.

mod child;
mod git;

pub use child::{Failure, Finished, Talk, run};
pub use git::{Object, Renamed, Repository};
