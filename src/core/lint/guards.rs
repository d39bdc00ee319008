//! What must hold before a job starts, as far as its conditions say.

use super::repository::WorkflowFile;
use super::{Site, Slot};
use crate::core::expr::{Expr, Function, Node, NodeKind, StatusFunction};

/// Calls back with every reference of an expression, in lower case: the longest that stands there, `needs.a.outputs.b` and
/// not `needs.a`. A part whose key is computed counts as what leads to it.
pub(super) fn each_reference<'e>(node: Node<'e>, report: &mut impl FnMut(Node<'e>, String)) {
    match node.reference() {
        Some(reference) => report(node, reference.to_ascii_lowercase()),
        None => node.children().for_each(|child| each_reference(child, report)),
    }
}

/// All references of some expressions.
pub(super) fn references<'e>(expressions: impl Iterator<Item = &'e Expr>) -> Vec<String> {
    let mut all = Vec::new();
    for root in expressions.filter_map(Expr::root) {
        each_reference(root, &mut |_, reference| all.push(reference));
    }
    all
}

/// The condition of a job.
pub(super) fn condition<'r, 'd>(file: &'r WorkflowFile<'d>, job: usize) -> Option<&'r Site<'d>> {
    file.sites.iter().find(|site| site.slot == Slot::JobIf && site.job == Some(job))
}

/// Whether a job only starts after all that it needs succeeded.
pub(super) fn needs_success(file: &WorkflowFile<'_>, job: usize) -> bool {
    let Some(condition) = condition(file, job) else { return true };
    let status = condition.expressions().flat_map(Expr::nodes).filter_map(|node| match node.kind() {
        NodeKind::Call(Function::Status(status)) => Some(*status),
        _ => None,
    });
    let all: Vec<StatusFunction> = status.collect();
    all.is_empty() || all.contains(&StatusFunction::Success)
}

/// What the conditions speak of that must hold before a job starts: its own, and those of jobs without which it is skipped.
pub(super) fn guarding_references(file: &WorkflowFile<'_>, job: usize) -> Vec<String> {
    guarding_conditions(file, job).into_iter().flat_map(|site| references(site.expressions())).collect()
}

/// The conditions that must hold before a job starts: its own, and those of jobs without which it is skipped.
pub(super) fn guarding_conditions<'r, 'd>(file: &'r WorkflowFile<'d>, job: usize) -> Vec<&'r Site<'d>> {
    let mut all = Vec::new();
    let mut waiting = vec![job];
    let mut seen = vec![false; file.workflow.jobs.len()];
    while let Some(job) = waiting.pop() {
        if std::mem::replace(&mut seen[job], true) {
            continue;
        }
        all.extend(condition(file, job));
        if needs_success(file, job) {
            waiting.extend(needed(file, job));
        }
    }
    all
}

/// The jobs that a job needs, as indices.
pub(super) fn needed(file: &WorkflowFile<'_>, job: usize) -> Vec<usize> {
    let needs = file.workflow.jobs[job].needs.iter();
    needs.filter_map(|(name, _)| index_of(file, name)).collect()
}

/// The index of a job by its id.
pub(super) fn index_of(file: &WorkflowFile<'_>, id: &str) -> Option<usize> {
    file.workflow.jobs.iter().position(|job| job.id.eq_ignore_ascii_case(id))
}
