//! A list or an object where one value is expected.

use super::super::shape::shape_of;
use super::super::{Findings, Owner, Repository, Slot};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::workflow::JobBody;
use crate::core::yaml::{Kind, NodeRef};

pub(super) const RULE: Rule = Rule { code: Code::ListForScalar, name: "list-for-scalar", check };

fn takes_one_value(slot: Slot) -> bool {
    matches!(
        slot,
        Slot::CallWith
            | Slot::CallSecrets
            | Slot::StepWith
            | Slot::WorkflowEnv
            | Slot::JobEnv
            | Slot::StepEnv
            | Slot::JobOutput
            | Slot::CallOutput
            | Slot::ActionOutput
            | Slot::JobName
            | Slot::RunName
            | Slot::StepRun
    )
}

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for (owner, site) in repository.sites() {
        let Some(root) = site.template.as_ref().ok().and_then(|template| template.as_expression()?.root()) else {
            continue;
        };
        // `env: ${{ … }}` as a whole may be a mapping.
        let is_whole_map =
            site.name.is_empty() && matches!(site.slot, Slot::StepEnv | Slot::JobEnv | Slot::WorkflowEnv);
        if !takes_one_value(site.slot) || is_whole_map {
            continue;
        }
        let known = shape_of(repository, owner, site, root);
        if known.shape.is_collection() {
            let message =
                format!("{} takes one value, and this is {}", place(owner, site.slot, site.name), known.shape.noun());
            found.push(
                Diagnostic::error(Code::ListForScalar, message)
                    .labelled(site.source(), site.locate(root.span()), known.because)
                    .help(format!(
                        "pass `${{{{ toJson({}) }}}}` and read it with fromJson, or pick one of it",
                        root.text()
                    )),
            );
        }
    }
    for file in &repository.workflows {
        for job in &file.workflow.jobs {
            match &job.body {
                JobBody::Call(call) => call.with.iter().for_each(|(name, _, value)| written(name, *value, found)),
                JobBody::Steps(steps) => {
                    for (key, value) in steps.iter().filter_map(|step| step.with).flat_map(NodeRef::entries) {
                        written(key.scalar_text().unwrap_or_default(), value, found);
                    }
                }
            }
        }
    }
}

/// A list that is written out.
fn written(name: &str, value: NodeRef<'_>, found: &mut Findings) {
    let what = match value.kind() {
        Kind::List => "a list",
        Kind::Map => "an object",
        _ => return,
    };
    found.push(
        Diagnostic::error(Code::ListForScalar, format!("the input `{name}` takes one value, and this is {what}"))
            .at(value.source(), value.locate(0..0))
            .help("write it as JSON in a text: `'[1, 2]'`"),
    );
}

fn place(owner: Owner<'_, '_>, slot: Slot, name: &str) -> String {
    match slot {
        Slot::CallWith | Slot::StepWith => format!("the input `{name}`"),
        Slot::CallSecrets => format!("the secret `{name}`"),
        Slot::WorkflowEnv | Slot::JobEnv | Slot::StepEnv => format!("the variable `{name}`"),
        Slot::JobOutput | Slot::CallOutput | Slot::ActionOutput => format!("the output `{name}`"),
        _ if owner.workflow().is_some() => "this key".to_owned(),
        _ => "this place".to_owned(),
    }
}
