//! A field that every row has, that the callee would take, and that a job does not pass.

use super::super::calls::{LocalCall, local_calls, short};
use super::super::matrix::{JobRows, is_field};
use super::super::{Findings, Repository, Slot};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::Expr;
use crate::core::workflow::Input;
use crate::core::yaml::NodeRef;

pub(super) const RULE: Rule = Rule { code: Code::FieldNotForwarded, name: "field-not-forwarded", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let calls: Vec<LocalCall<'_, '_>> = local_calls(repository).collect();
    for call in &calls {
        let Some(rows) = JobRows::of(repository, call.file, call.index) else { continue };
        if rows.takes_whole {
            continue;
        }
        // A required one is another rule's business.
        for input in call.trigger.inputs.iter().filter(|input| !input.required && call.passed(input.name).is_none()) {
            let same_callee = calls.iter().filter(|other| std::ptr::eq(other.callee, call.callee));
            let siblings: Vec<_> = same_callee.filter(|other| other.passed(input.name).is_some()).collect();
            let sibling = siblings.iter().find_map(|other| Some((*other, forwarded(other, input.name)?)));
            if sibling.is_none() && !siblings.is_empty() {
                // Others pass something of their own: it is a switch, and its default a choice.
                continue;
            }
            let field = match &sibling {
                Some((_, field)) => field.clone(),
                None => input.name.to_ascii_lowercase().replace('_', "-"),
            };
            let is_read = rows.fields.contains(&field.as_str());
            if !is_read && is_field(&field) && rows.is_everywhere(&field) {
                found.push(finding(call, input, &field, sibling.map(|(sibling, _)| sibling)));
            }
        }
    }
}

/// The field of the matrix that a call passes for an input.
fn forwarded(call: &LocalCall<'_, '_>, input: &str) -> Option<String> {
    let value = call.passed(input)?;
    let site = call.file.sites.iter().find(|site| site.slot == Slot::CallWith && site.node == value)?;
    let mut nodes = site.template.as_ref().ok()?.expressions().flat_map(Expr::nodes);
    let reference = nodes.find_map(|node| node.reference())?.to_ascii_lowercase();
    let steps: Vec<&str> = reference.split('.').collect();
    match steps.as_slice() {
        ["matrix", .., field] if is_field(field) => Some((*field).to_owned()),
        _ => None,
    }
}

fn finding(
    call: &LocalCall<'_, '_>,
    input: &Input<'_>,
    field: &str,
    sibling: Option<&LocalCall<'_, '_>>,
) -> Diagnostic {
    let callee = short(call.callee.source.name());
    let default = match input.default.and_then(NodeRef::scalar_text) {
        Some(default) => format!("the default `{default}`"),
        None => "the empty default".to_owned(),
    };
    let message = format!(
        "every row has `{field}`, and the job `{}` does not pass it: {default} of {callee} holds for all of them",
        call.job.id
    );
    let diagnostic = Diagnostic::warning(Code::FieldNotForwarded, message)
        .at(call.call.site.source(), call.call.site.site())
        .related(input.site.source(), input.site.site(), "the input");
    match sibling.and_then(|sibling| Some((sibling, sibling.passed(input.name)?))) {
        Some((sibling, value)) => {
            let text = value.scalar_text().unwrap_or_default();
            diagnostic.help(format!("the job `{}` passes `{}: {text}`: do so here too", sibling.job.id, input.name))
        }
        None => diagnostic.help(format!("add `{}: ${{{{ matrix.….{field} }}}}` to `with`", input.name)),
    }
}
