//! Which contexts and functions GitHub lets an expression name, by the place where it stands.

use crate::core::expr::{Allowed, Names, Signature};

/// A kind of place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Sight {
    /// `run-name` and `concurrency` of a workflow, defaults of inputs.
    Run,
    /// `env` of a workflow.
    WorkflowEnv,
    /// `if` of a job.
    JobCondition,
    /// `strategy`, which is there before its legs are.
    Strategy,
    /// What decides where a leg runs and what it is called; `with` of a call.
    Leg,
    /// `secrets` of a call.
    Secrets,
    /// `env` of a job.
    JobEnv,
    /// `defaults` of a job.
    Defaults,
    /// What a step holds, and what is made while steps run: `outputs`, the address of an environment.
    Step,
    /// `if` of a step.
    StepCondition,
    /// Outputs of a called workflow.
    CallOutput,
    /// What a step of a composite action holds.
    ActionStep,
    /// `if` of a step of a composite action.
    ActionCondition,
    /// Defaults of the inputs of an action.
    ActionDefault,
}

const EVERYWHERE: &[&[Signature]] = &[Signature::EVERYWHERE];
const IN_STEPS: &[&[Signature]] = &[Signature::EVERYWHERE, &[Signature::HASH_FILES]];
const JOB_STATUS: &[&[Signature]] = &[Signature::EVERYWHERE, Signature::STATUS_OF_JOB];
const STEP_STATUS: &[&[Signature]] = &[Signature::EVERYWHERE, &[Signature::HASH_FILES], Signature::STATUS_OF_STEP];

impl Sight {
    /// What may be named there.
    pub(super) fn allowed(self) -> Allowed<'static> {
        let (names, functions): (&[&str], _) = match self {
            Self::Run => (&["github", "inputs", "vars"], EVERYWHERE),
            Self::WorkflowEnv => (&["github", "inputs", "vars", "secrets"], EVERYWHERE),
            Self::JobCondition => (&["github", "inputs", "vars", "needs"], JOB_STATUS),
            Self::Strategy => (&["github", "inputs", "vars", "needs"], EVERYWHERE),
            Self::Leg => (&["github", "inputs", "vars", "needs", "strategy", "matrix"], EVERYWHERE),
            Self::Secrets | Self::JobEnv => {
                (&["github", "inputs", "vars", "needs", "strategy", "matrix", "secrets"], EVERYWHERE)
            }
            Self::Defaults => (&["github", "inputs", "vars", "needs", "strategy", "matrix", "env"], EVERYWHERE),
            Self::Step => (
                &[
                    "github", "inputs", "vars", "needs", "strategy", "matrix", "secrets", "env", "steps", "job",
                    "runner",
                ],
                IN_STEPS,
            ),
            Self::StepCondition => (
                &["github", "inputs", "vars", "needs", "strategy", "matrix", "env", "steps", "job", "runner"],
                STEP_STATUS,
            ),
            Self::CallOutput => (&["github", "inputs", "vars", "jobs"], EVERYWHERE),
            Self::ActionStep => {
                (&["github", "inputs", "strategy", "matrix", "env", "steps", "job", "runner"], IN_STEPS)
            }
            Self::ActionCondition => {
                (&["github", "inputs", "strategy", "matrix", "env", "steps", "job", "runner"], STEP_STATUS)
            }
            Self::ActionDefault => (&["github", "strategy", "matrix", "job", "runner"], IN_STEPS),
        };
        Allowed { names: Names::Only(names), functions }
    }
}
