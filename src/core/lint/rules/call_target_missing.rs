//! Calls of files that are not there, or that cannot be called.

use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::schema::suggestion;
use crate::core::workflow::simulate::local_workflow;
use crate::core::workflow::{JobBody, Step};
use crate::core::yaml::NodeRef;

pub(super) const RULE: Rule = Rule { code: Code::CallTargetMissing, name: "call-target-missing", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for file in &repository.workflows {
        for job in &file.workflow.jobs {
            match &job.body {
                JobBody::Call(call) => workflow(repository, call.uses, call.site, found),
                // Steps may check out another repository first: what `./` is then nobody knows.
                JobBody::Steps(steps) if !steps.iter().any(checks_out_another) => {
                    steps.iter().filter_map(|step| step.uses).for_each(|uses| action(repository, uses, found));
                }
                JobBody::Steps(_) => {}
            }
        }
    }
}

fn workflow(repository: &Repository<'_>, uses: &str, site: NodeRef<'_>, found: &mut Findings) {
    let Some(name) = local_workflow(uses) else { return };
    if let Some(callee) = repository.called(uses) {
        if callee.workflow.trigger("workflow_call").is_none() {
            let message = format!("{name} cannot be called: it has no `workflow_call`");
            found.push(
                Diagnostic::error(Code::CallTargetMissing, message)
                    .at(site.source(), site.site())
                    .help("add `workflow_call:` to its `on`, with the inputs that are passed"),
            );
        }
        return;
    }
    if repository.has_file(&name) {
        return;
    }
    let diagnostic =
        Diagnostic::error(Code::CallTargetMissing, format!("there is no {name}")).at(site.source(), site.site());
    let callable = repository.workflows.iter().filter(|file| file.workflow.trigger("workflow_call").is_some());
    found.push(match suggestion(&name, callable.map(|file| file.source.name())) {
        Some(near) => diagnostic.help(format!("did you mean `./{near}`?")),
        None => diagnostic.help("correct the path: it starts at the root of the repository"),
    });
}

fn action(repository: &Repository<'_>, uses: NodeRef<'_>, found: &mut Findings) {
    let Some(folder) = uses.as_str().and_then(local_workflow) else { return };
    let folder = folder.trim_end_matches('/');
    let has =
        |file: &str| repository.has_file(&if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") });
    if has("action.yml") || has("action.yaml") || has("Dockerfile") {
        return;
    }
    // A folder of the checkout without a manifest is a mistake; one that is not there may be checked out by a step.
    let known = repository.actions.iter().filter_map(|file| file.source.name().rsplit_once('/')).map(|(own, _)| own);
    let near = suggestion(folder, known);
    let exists = repository.file_names().iter().any(|name| name.starts_with(&format!("{folder}/")));
    if near.is_none() && !exists {
        return;
    }
    let diagnostic = Diagnostic::error(Code::CallTargetMissing, format!("there is no action in {folder}"))
        .at(uses.source(), uses.site());
    found.push(match near {
        Some(near) => diagnostic.help(format!("did you mean `./{near}`?")),
        None => diagnostic.help("the folder has no action.yml"),
    });
}

fn checks_out_another(step: &Step<'_>) -> bool {
    let is_checkout = step.uses.and_then(NodeRef::as_str).is_some_and(|uses| uses.starts_with("actions/checkout@"));
    is_checkout && step.with.is_some_and(|with| with.get("repository").is_some() || with.get("path").is_some())
}
