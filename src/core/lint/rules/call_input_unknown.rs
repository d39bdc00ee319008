//! Inputs that the callee does not declare.

use super::super::calls::{local_calls, short};
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic, Severity};
use crate::core::schema::suggestion;
use crate::core::workflow::{Input, JobBody};
use crate::core::yaml::NodeRef;

pub(super) const RULE: Rule = Rule { code: Code::CallInputUnknown, name: "call-input-unknown", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for call in local_calls(repository) {
        for (name, site, _) in &call.call.with {
            if call.declared(name).is_none() {
                let callee = short(call.callee.source.name());
                found.push(unknown(name, *site, callee, &call.trigger.inputs, Severity::Error));
            }
        }
    }
    for file in &repository.workflows {
        for job in &file.workflow.jobs {
            if let JobBody::Steps(steps) = &job.body {
                steps.iter().for_each(|step| of_step(repository, step.uses, step.with, found));
            }
        }
    }
    for file in &repository.actions {
        file.action.steps.iter().for_each(|step| of_step(repository, step.uses, step.with, found));
    }
}

fn of_step(repository: &Repository<'_>, uses: Option<NodeRef<'_>>, with: Option<NodeRef<'_>>, found: &mut Findings) {
    let Some(action) = uses.and_then(NodeRef::as_str).and_then(|uses| repository.used_action(uses)) else { return };
    // What a container is started with is no input.
    const OF_CONTAINERS: [&str; 2] = ["args", "entrypoint"];
    for (site, _) in with.into_iter().flat_map(NodeRef::entries) {
        let name = site.scalar_text().unwrap_or_default();
        let declared = action.action.inputs.iter().any(|input| input.name.eq_ignore_ascii_case(name));
        let of_container = action.action.using == "docker" && OF_CONTAINERS.contains(&name);
        if !declared && !of_container {
            found.push(unknown(name, site, action.source.name(), &action.action.inputs, Severity::Warning));
        }
    }
}

fn unknown(name: &str, site: NodeRef<'_>, callee: &str, inputs: &[Input<'_>], severity: Severity) -> Diagnostic {
    let known: Vec<&str> = inputs.iter().map(|input| input.name).collect();
    let message = format!("{callee} declares no input `{name}`");
    let diagnostic = Diagnostic::new(Code::CallInputUnknown, severity, message).at(site.source(), site.site());
    match suggestion(name, known.iter().copied()) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None if known.is_empty() => diagnostic.help("it declares none: remove the line, or declare the input"),
        None => diagnostic.help(format!("its inputs: {}", known.join(", "))),
    }
}
