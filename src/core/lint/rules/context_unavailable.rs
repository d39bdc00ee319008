//! Contexts and functions where GitHub does not have them, and expressions in keys.

use super::super::{Findings, Owner, Repository, Site, Slot};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Function, Node, NodeKind};
use crate::core::schema::suggestion;
use crate::core::yaml::NodeRef;

pub(super) const RULE: Rule = Rule { code: Code::ContextUnavailable, name: "context-unavailable", check };

const ALL: [&str; 13] = [
    "github", "needs", "strategy", "matrix", "job", "runner", "env", "vars", "secrets", "steps", "inputs", "jobs",
    "input",
];

/// The contexts at a place; `None` where it depends on more than the slot.
fn contexts(slot: Slot) -> Option<&'static [&'static str]> {
    Some(match slot {
        Slot::RunName | Slot::WorkflowConcurrency | Slot::InputDefault => &["github", "inputs", "vars"],
        Slot::WorkflowEnv => &["github", "secrets", "inputs", "vars"],
        Slot::CallOutput => &["github", "jobs", "vars", "inputs"],
        Slot::JobIf | Slot::Strategy | Slot::Matrix => &["github", "needs", "vars", "inputs"],
        Slot::JobEnv | Slot::CallSecrets => &["github", "needs", "strategy", "matrix", "vars", "secrets", "inputs"],
        Slot::JobName
        | Slot::RunsOn
        | Slot::JobConcurrency
        | Slot::Environment
        | Slot::JobTimeout
        | Slot::JobContinue
        | Slot::CallWith => &["github", "needs", "strategy", "matrix", "vars", "inputs"],
        Slot::EnvironmentUrl => {
            &["github", "needs", "strategy", "matrix", "job", "runner", "env", "vars", "steps", "inputs"]
        }
        Slot::StepIf => &["github", "needs", "strategy", "matrix", "job", "runner", "env", "vars", "steps", "inputs"],
        Slot::JobOutput | Slot::StepRun | Slot::StepEnv | Slot::StepWith | Slot::StepOther => {
            &["github", "needs", "strategy", "matrix", "job", "runner", "env", "vars", "secrets", "steps", "inputs"]
        }
        Slot::ActionOutput | Slot::Other => return None,
    })
}

/// A composite action sees nothing of the workflow but what it is given.
const IN_ACTION: [&str; 8] = ["github", "inputs", "strategy", "matrix", "job", "runner", "env", "steps"];

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for (owner, site) in repository.sites() {
        let known = match owner {
            Owner::Action(_) => Some(&IN_ACTION[..]),
            Owner::Workflow(_) => contexts(site.slot),
        };
        let Some(known) = known else { continue };
        for node in site.expressions().flat_map(|expression| expression.nodes()) {
            match node.kind() {
                NodeKind::Name if !has(known, node.text()) => found.push(unavailable(owner, site, node, known)),
                NodeKind::Call(Function::Status(_)) if !site.is_condition() => {
                    found.push(status_function(site, node));
                }
                _ => {}
            }
        }
    }
    for file in &repository.workflows {
        for job in &file.workflow.jobs {
            for part in ["outputs", "env", "with"] {
                keys(job.node.get(part), part, found);
            }
        }
    }
}

fn has(known: &[&str], name: &str) -> bool {
    known.iter().any(|context| context.eq_ignore_ascii_case(name))
}

fn unavailable(owner: Owner<'_, '_>, site: &Site<'_>, node: Node<'_>, known: &[&str]) -> Diagnostic {
    let name = node.text();
    let message = format!("{} has no context `{name}`", place(owner, site.slot));
    let diagnostic = Diagnostic::error(Code::ContextUnavailable, message).at(site.source(), site.locate(node.span()));
    let near = if has(&ALL, name) { None } else { suggestion(name, known.iter().copied()) };
    match (site.slot, name.to_ascii_lowercase().as_str(), near) {
        (_, _, Some(near)) => diagnostic.help(format!("did you mean `{near}`?")),
        (Slot::JobIf, "matrix", _) => diagnostic
            .help("the condition is decided before the matrix is made: leave the legs out of the matrix, or test in the steps"),
        (Slot::JobIf, "env" | "secrets", _) => {
            diagnostic.help("set an output in a job before it, or use `vars`, and test that here")
        }
        (Slot::StepIf, "secrets", _) => diagnostic.help("put the secret into `env:` of the job and test `env.NAME != ''`"),
        (_, "secrets" | "needs" | "vars", _) if owner.workflow().is_none() => {
            diagnostic.help("declare an input, and let the workflow pass the value")
        }
        _ => diagnostic.help(format!("there are {}", known.join(", "))),
    }
}

fn status_function(site: &Site<'_>, node: Node<'_>) -> Diagnostic {
    let name = node.text().split('(').next().unwrap_or_default().trim();
    Diagnostic::error(Code::ContextUnavailable, format!("`{name}()` exists in `if` only"))
        .at(site.source(), site.locate(node.span()))
        .help("use `job.status` in a step, or `needs.<job>.result`")
}

fn place(owner: Owner<'_, '_>, slot: Slot) -> &'static str {
    if owner.workflow().is_none() {
        return "an action";
    }
    match slot {
        Slot::RunName => "the `run-name` of a workflow",
        Slot::WorkflowEnv => "the `env` of a workflow",
        Slot::WorkflowConcurrency => "the `concurrency` of a workflow",
        Slot::InputDefault => "the default of an input",
        Slot::CallOutput => "an output of a reusable workflow",
        Slot::JobIf => "the `if` of a job",
        Slot::JobName => "the `name` of a job",
        Slot::RunsOn => "`runs-on`",
        Slot::Strategy | Slot::Matrix => "the `strategy` of a job",
        Slot::JobEnv => "the `env` of a job",
        Slot::JobConcurrency => "the `concurrency` of a job",
        Slot::Environment | Slot::EnvironmentUrl => "the `environment` of a job",
        Slot::JobTimeout => "the `timeout-minutes` of a job",
        Slot::JobContinue => "the `continue-on-error` of a job",
        Slot::JobOutput => "an output of a job",
        Slot::CallWith => "the `with` of a call",
        Slot::CallSecrets => "the `secrets` of a call",
        Slot::StepIf => "the `if` of a step",
        _ => "this place",
    }
}

/// Keys are never evaluated.
fn keys(map: Option<NodeRef<'_>>, part: &str, found: &mut Findings) {
    for (key, _) in map.into_iter().flat_map(NodeRef::entries) {
        if key.scalar_text().is_some_and(|text| text.contains("${{")) {
            let message = format!("an expression in a key of `{part}` is not evaluated");
            found.push(
                Diagnostic::error(Code::ContextUnavailable, message)
                    .at(key.source(), key.site())
                    .help("write the name out; a value that depends on the leg belongs into an artifact"),
            );
        }
    }
}
