//! The exit codes, which scripts rely on.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// The input was understood and is wrong: findings, a refused gate, a failed job.
    Wrong = 1,
    /// The command line was wrong.
    Usage = 2,
    /// A generated file is out of date.
    OutOfDate = 3,
    /// An outside system refused or could not be reached.
    Outside = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
