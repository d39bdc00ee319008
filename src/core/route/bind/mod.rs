//! Binds a single-node point to exactly one variant of its recipe.
//!
//! In: the candidates, that is the variants that a selector names, and the environment of the point. Out: the variant and the
//! arguments that the launcher needs, or why no single one fits. A wrong binding would measure the wrong server, so every
//! value that both sides name is compared, and the first that differs is the reason.

mod arguments;
mod atom;
mod check;
mod engine;
mod sglang;
mod submission;
mod trtllm;
mod vllm;

use crate::core::diag::Diagnostic;
use crate::core::launch::Environment;
use crate::core::yaml::Value;

pub use arguments::runtime_arguments;
pub use check::Mismatch;
pub use submission::{Submission, read_submission};

/// A variant that a point may be bound to.
#[derive(Debug, Clone)]
pub struct Candidate<'c> {
    /// The selector that picks it, as `recipe list` prints it; empty for a flat file.
    pub selector: String,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// The variant, or why it cannot be made.
    pub value: Result<&'c Value<'c>, String>,
}

/// The one variant that fits, and what it needs at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The place of the variant among the candidates.
    pub index: usize,
    /// `--set`, `PATH=VALUE`, and so on.
    pub arguments: Vec<String>,
}

/// Why a point was not bound.
#[derive(Debug)]
pub enum Refusal {
    /// No candidate fits: for each, in their order, the first value that differs.
    NoMatch(Vec<Mismatch>),
    /// These candidates fit, by their places.
    Several(Vec<usize>),
    /// One fits, but the environment lacks what the launcher needs, or holds something wrong.
    Environment(Vec<Diagnostic>),
}

/// Binds a point to the one candidate that fits.
///
/// # Errors
///
/// [`Refusal`], when none or several fit, or when the environment is wrong.
pub fn bind(candidates: &[Candidate<'_>], env: &Environment) -> Result<Bound, Refusal> {
    let mut mismatches = Vec::with_capacity(candidates.len());
    let mut fitting = Vec::new();
    for (index, candidate) in candidates.iter().enumerate() {
        match check::check(candidate, env) {
            Ok(()) => fitting.push(index),
            Err(mismatch) => mismatches.push(mismatch),
        }
    }
    match (&*fitting, candidates) {
        ([], _) => Err(Refusal::NoMatch(mismatches)),
        ([index], candidates) => {
            let variant = candidates[*index].value.as_ref().copied().unwrap_or(&Value::Null);
            let arguments = runtime_arguments(variant, env).map_err(Refusal::Environment)?;
            Ok(Bound { index: *index, arguments })
        }
        _ => Err(Refusal::Several(fitting)),
    }
}

#[cfg(test)]
mod tests;
