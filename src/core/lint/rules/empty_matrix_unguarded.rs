//! A matrix that a job makes for another, without a condition for the case that it is empty.

use super::super::guards::{each_reference, guarding_references, index_of};
use super::super::{Findings, Repository, Slot};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Node, NodeKind, Value};
use crate::core::workflow::{Job, Output};

pub(super) const RULE: Rule = Rule { code: Code::EmptyMatrixUnguarded, name: "empty-matrix-unguarded", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for file in &repository.workflows {
        for site in file.sites.iter().filter(|site| site.slot == Slot::Matrix) {
            let Some(job) = site.job else { continue };
            for root in site.expressions().filter_map(|expression| expression.root()) {
                // A list of one that stands in for none can never be empty.
                if has_full_fallback(root) {
                    continue;
                }
                let mut producer: Option<(Node<'_>, String, String)> = None;
                each_reference(root, &mut |node, reference| {
                    let steps: Vec<&str> = reference.split('.').collect();
                    if let ["needs", job, "outputs", output, ..] = steps.as_slice()
                        && producer.is_none()
                    {
                        producer = Some((node, (*job).to_owned(), (*output).to_owned()));
                    }
                });
                let Some((node, from, output)) = producer else { continue };
                let Some(from) = index_of(file, &from) else { continue };
                let id = file.workflow.jobs[from].id;
                let prefix = format!("needs.{}.outputs", id.to_ascii_lowercase());
                let guards = guarding_references(file, job);
                if guards.iter().any(|reference| reference.starts_with(&prefix)) {
                    continue;
                }
                let message =
                    format!("the job `{}` has no condition for an empty `{output}`", file.workflow.jobs[job].id);
                let counts = count_of(&file.workflow.jobs[from], &output);
                let guard = match counts {
                    Some(count) => format!("needs.{id}.outputs.{count} != '0'"),
                    None => format!("needs.{id}.outputs.{output} != '[]'"),
                };
                found.push(
                    Diagnostic::warning(Code::EmptyMatrixUnguarded, message)
                        .at(site.source(), site.locate(node.span()))
                        .help(format!("add `if: ${{{{ {guard} }}}}` to the job: GitHub fails a matrix without values")),
                );
            }
        }
    }
}

/// The output that counts what another output lists: of the same step, or of its name.
fn count_of<'d>(job: &Job<'d>, list: &str) -> Option<&'d str> {
    let step_of = |output: &Output<'_>| {
        let text = output.value.scalar_text()?.to_ascii_lowercase();
        text.split_once("steps.").map(|(_, rest)| rest.split('.').next().unwrap_or_default().to_owned())
    };
    let step = step_of(job.outputs.iter().find(|output| output.name.eq_ignore_ascii_case(list))?)?;
    let is_count = |output: &&Output<'_>| {
        let of_name = output.name.strip_suffix("-count").is_some_and(|stem| list.starts_with(stem));
        of_name || output.name == "count" && step_of(output).as_ref() == Some(&step)
    };
    job.outputs.iter().find(is_count).map(|output| output.name)
}

/// Whether the expression ends in `|| '["x"]'` or the like.
fn has_full_fallback(node: Node<'_>) -> bool {
    match node.kind() {
        NodeKind::Or => node.children().last().is_some_and(has_full_fallback),
        NodeKind::Call(_) => node.children().any(has_full_fallback),
        NodeKind::Literal(Value::Str(text)) => {
            let text = text.trim();
            text.starts_with('[') && text.trim_start_matches('[').trim_start() != "]"
        }
        _ => false,
    }
}
