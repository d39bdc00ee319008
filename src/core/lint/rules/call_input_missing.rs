//! Required inputs that a call does not pass.

use super::super::calls::{local_calls, short};
use super::super::{Findings, Owner, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::workflow::{JobBody, Step};
use crate::core::yaml::NodeRef;

pub(super) const RULE: Rule = Rule { code: Code::CallInputMissing, name: "call-input-missing", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for call in local_calls(repository) {
        for input in call.trigger.inputs.iter().filter(|input| input.required) {
            if call.passed(input.name).is_none() {
                let callee = short(call.callee.source.name());
                let message = format!("the call of {callee} lacks the required input `{}`", input.name);
                found.push(
                    Diagnostic::error(Code::CallInputMissing, message)
                        .at(call.call.site.source(), call.call.site.site())
                        .related(input.site.source(), input.site.site(), "required here")
                        .help(format!("add `{}: …` to `with`", input.name)),
                );
            }
        }
        for (secret, required) in &call.trigger.secrets {
            if *required && !passes_secret(call.call.secrets, secret) {
                let callee = short(call.callee.source.name());
                found.push(
                    Diagnostic::error(
                        Code::CallInputMissing,
                        format!("the call of {callee} lacks the required secret `{secret}`"),
                    )
                    .at(call.call.site.source(), call.call.site.site())
                    .help(format!("add `{secret}: ${{{{ secrets.… }}}}` to `secrets`, or `secrets: inherit`")),
                );
            }
        }
    }
    let owners = repository.workflows.iter().map(Owner::Workflow).chain(repository.actions.iter().map(Owner::Action));
    for owner in owners {
        for step in steps_of(owner) {
            of_step(repository, step, found);
        }
    }
}

fn passes_secret(secrets: Option<NodeRef<'_>>, name: &str) -> bool {
    let Some(secrets) = secrets else { return false };
    secrets.as_str() == Some("inherit")
        || secrets.entries().any(|(key, _)| key.scalar_text().is_some_and(|key| key.eq_ignore_ascii_case(name)))
}

fn steps_of<'r, 'd>(owner: Owner<'r, 'd>) -> Vec<&'r Step<'d>> {
    match owner {
        Owner::Action(file) => file.action.steps.iter().collect(),
        Owner::Workflow(file) => {
            let bodies = file.workflow.jobs.iter().map(|job| &job.body);
            bodies
                .filter_map(|body| match body {
                    JobBody::Steps(steps) => Some(steps),
                    JobBody::Call(_) => None,
                })
                .flatten()
                .collect()
        }
    }
}

/// GitHub does not insist on inputs of actions, but whoever wrote the action does.
fn of_step(repository: &Repository<'_>, step: &Step<'_>, found: &mut Findings) {
    let Some(uses) = step.uses else { return };
    let Some(action) = uses.as_str().and_then(|uses| repository.used_action(uses)) else { return };
    let is_set = |node: Option<NodeRef<'_>>| node.is_some_and(|node| !node.is_null());
    for input in action.action.inputs.iter().filter(|input| input.required && !is_set(input.default)) {
        let passed = step.with.into_iter().flat_map(NodeRef::entries);
        let is_passed =
            passed.filter_map(|(key, _)| key.scalar_text()).any(|name| name.eq_ignore_ascii_case(input.name));
        if !is_passed && input.default.and_then(NodeRef::as_str).unwrap_or_default().is_empty() {
            let message = format!("{} requires the input `{}`, which is not passed", action.source.name(), input.name);
            found.push(
                Diagnostic::warning(Code::CallInputMissing, message)
                    .at(uses.source(), uses.site())
                    .help(format!("add `{}: …` to `with`", input.name)),
            );
        }
    }
}
