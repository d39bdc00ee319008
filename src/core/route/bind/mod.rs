//! Binds a single-node point to exactly one variant of its recipe.
//!
//! In: the candidates, that is the variants that a selector names, and the environment of the point. Out: the variant and the
//! arguments that the launcher needs, or why no single one fits. A wrong binding would measure the wrong server, so every
//! value that both sides name is compared, and the first that differs is the reason.

mod acceptance;
mod arguments;
mod atom;
mod check;
mod curves;
mod engine;
mod refusal;
mod sglang;
mod submission;
mod trtllm;
mod vllm;

use crate::core::diag::Diagnostic;
use crate::core::launch::Environment;
use crate::core::recipe::Variant;

pub use acceptance::{Curves, Submit, plan_submissions};
pub use arguments::runtime_arguments;
pub use check::Mismatch;
pub use refusal::reference;
pub use submission::{Submission, read_submission};

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
pub enum Refusal<'d> {
    /// No candidate fits: for each, in their order, the first value that differs.
    NoMatch(Vec<Mismatch<'d>>),
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
pub fn bind<'d>(candidates: &[Variant<'d>], env: &Environment) -> Result<Bound, Refusal<'d>> {
    let mut mismatches = Vec::with_capacity(candidates.len());
    let mut fitting = Vec::new();
    let point = check::Point::of(env);
    for (index, candidate) in candidates.iter().enumerate() {
        match check::check(candidate, &point) {
            Ok(()) => fitting.push(index),
            Err(mismatch) => mismatches.push(mismatch),
        }
    }
    let [index] = *fitting else {
        return Err(if fitting.is_empty() { Refusal::NoMatch(mismatches) } else { Refusal::Several(fitting) });
    };
    // Only a variant with a recipe fits.
    let Ok(recipe) = &candidates[index].recipe else { return Err(Refusal::NoMatch(mismatches)) };
    let arguments = runtime_arguments(recipe, env).map_err(Refusal::Environment)?;
    Ok(Bound { index, arguments })
}

#[cfg(test)]
mod tests;
