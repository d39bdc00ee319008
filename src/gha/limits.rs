//! The limits of the platform that we check before anything is written, each with the page or the source that sets it.
//!
//! In: a size. Out: a constant to compare it with. A `…_BUDGET` is ours: what we allow ourselves below the limit, because
//! what exceeds a limit is dropped or fails late, in a place that names no cause.

use crate::core::diag::{AnnotationLimits, Code, Diagnostic};

/// Jobs that one matrix may make, self-hosted runners included.
///
/// <https://docs.github.com/actions/reference/limits>
pub const MATRIX_JOBS: usize = 256;

/// Bytes of all outputs of one job, counted in UTF-16: two per ASCII character.
///
/// <https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idoutputs>
pub const JOB_OUTPUTS_BYTES: usize = 1024 * 1024;

/// Bytes in UTF-16 that we allow the outputs of one job. The platform's own count is approximate, so we stay below it.
pub const JOB_OUTPUTS_BUDGET: usize = 900 * 1024;

/// Bytes of the outputs of all jobs of one run, counted in UTF-16.
///
/// <https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idoutputs>
pub const RUN_OUTPUTS_BYTES: usize = 50 * 1024 * 1024;

/// Bytes of one step's summary in UTF-8. One byte more and the whole summary is dropped, while the job stays green.
///
/// <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands#step-isolation-and-limits>
pub const SUMMARY_BYTES: usize = 1024 * 1024;

/// Bytes in UTF-8 that we allow one step's summary.
pub const SUMMARY_BUDGET: usize = 1_000_000;

/// Step summaries that are shown for one job.
///
/// <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands#step-isolation-and-limits>
pub const SUMMARIES_PER_JOB: usize = 20;

/// Annotations of one kind (error, warning, notice) that one step may make; more are lost without a word.
///
/// <https://github.com/orgs/community/discussions/26680>
pub const ANNOTATIONS_PER_STEP: usize = 10;

/// Annotations of all kinds that one job may make.
///
/// <https://github.com/orgs/community/discussions/26680>
pub const ANNOTATIONS_PER_JOB: usize = 50;

/// Characters of one annotation's message that the runner keeps.
///
/// <https://github.com/actions/runner/blob/main/src/Runner.Worker/ExecutionContext.cs> (`_maxIssueMessageLength`)
pub const ANNOTATION_CHARS: usize = 4096;

/// Bytes of one string of the environment, or one argument, on Linux: `NAME=value` and its NUL.
///
/// <https://man7.org/linux/man-pages/man2/execve.2.html> (`MAX_ARG_STRLEN`)
pub const ENV_STRING_BYTES: usize = 131_072;

/// Bytes that we allow one value of the environment.
pub const ENV_VALUE_BUDGET: usize = 100 * 1024;

/// Characters of a comment on an issue or a pull request.
///
/// <https://github.com/orgs/community/discussions/41331>
pub const COMMENT_CHARS: usize = 65_536;

/// Bytes in UTF-8, of which there are never fewer than characters, that we allow a comment.
pub const COMMENT_BUDGET: usize = 65_000;

/// Characters of the event type of a `repository_dispatch`.
///
/// <https://docs.github.com/rest/repos/repos#create-a-repository-dispatch-event>
pub const DISPATCH_EVENT_TYPE_CHARS: usize = 100;

/// Properties at the top of the client payload of a `repository_dispatch`.
///
/// <https://docs.github.com/rest/repos/repos#create-a-repository-dispatch-event>
pub const DISPATCH_PROPERTIES: usize = 10;

/// Characters of the client payload of a `repository_dispatch`.
///
/// <https://docs.github.com/rest/repos/repos#create-a-repository-dispatch-event>
pub const DISPATCH_PAYLOAD_CHARS: usize = 65_535;

/// Characters that we allow the client payload of a `repository_dispatch`.
pub const DISPATCH_PAYLOAD_BUDGET: usize = 65_000;

/// Inputs of a `workflow_dispatch`.
///
/// <https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows#workflow_dispatch>
pub const WORKFLOW_DISPATCH_INPUTS: usize = 25;

/// Characters of all inputs of a `workflow_dispatch`.
///
/// <https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows#workflow_dispatch>
pub const WORKFLOW_DISPATCH_CHARS: usize = 65_535;

/// What one step may annotate, for [`crate::core::diag::annotations`].
pub fn annotation_limits() -> AnnotationLimits {
    AnnotationLimits {
        errors: ANNOTATIONS_PER_STEP,
        warnings: ANNOTATIONS_PER_STEP,
        notices: ANNOTATIONS_PER_STEP,
        message_chars: ANNOTATION_CHARS,
    }
}

/// Refuses a matrix of more jobs than GitHub takes.
///
/// # Errors
///
/// [`Code::LimitExceeded`], naming the size and how many shards would hold it.
pub fn check_matrix_jobs(jobs: usize) -> Result<(), Diagnostic> {
    if jobs <= MATRIX_JOBS {
        return Ok(());
    }
    let shards = jobs.div_ceil(MATRIX_JOBS);
    Err(Diagnostic::error(
        Code::LimitExceeded,
        format!("the matrix has {jobs} jobs, and GitHub takes {MATRIX_JOBS} per matrix"),
    )
    .help(format!("split it into {shards} shards of at most {MATRIX_JOBS} jobs, or narrow the filters")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::diag::{Severity, annotations};

    #[test]
    fn b03_l13_a_matrix_of_257_jobs_is_refused_and_the_shards_are_named() {
        for jobs in [0, 1, 255, 256] {
            assert!(check_matrix_jobs(jobs).is_ok(), "{jobs}");
        }
        for (jobs, shards) in [(257, 2), (379, 2), (512, 2), (513, 3), (65_536, 256)] {
            let refused = check_matrix_jobs(jobs).unwrap_err();
            assert_eq!(refused.code, Code::LimitExceeded);
            assert!(refused.message.contains(&format!("{jobs} jobs")), "{}", refused.message);
            assert!(refused.help[0].contains(&format!("{shards} shards")), "{}", refused.help[0]);
        }
    }

    #[test]
    fn b20_l29_the_renderer_of_annotations_knows_the_same_limits() {
        assert_eq!(annotation_limits(), AnnotationLimits::default());
        let found: Vec<Diagnostic> =
            (0..25).map(|i| Diagnostic::new(Code::WrongType, Severity::Error, format!("finding {i}"))).collect();
        let out = annotations(&found, annotation_limits());
        let lines: Vec<&str> = out.commands.lines().collect();
        assert_eq!((lines.len(), out.left_over), (10, 16));
        assert!(lines[9].contains("16 more"), "{}", lines[9]);
    }

    #[test]
    fn b15_l17_l30_l36_the_budgets_are_what_the_specs_say_and_stay_below_the_limits() {
        assert_eq!(JOB_OUTPUTS_BUDGET, 921_600);
        for (budget, limit) in [
            (JOB_OUTPUTS_BUDGET, JOB_OUTPUTS_BYTES),
            (JOB_OUTPUTS_BYTES, RUN_OUTPUTS_BYTES),
            (SUMMARY_BUDGET, SUMMARY_BYTES),
            (COMMENT_BUDGET, COMMENT_CHARS),
            (ENV_VALUE_BUDGET, ENV_STRING_BYTES),
            (DISPATCH_PAYLOAD_BUDGET, DISPATCH_PAYLOAD_CHARS),
        ] {
            assert!(budget < limit, "{budget} {limit}");
        }
    }
}
