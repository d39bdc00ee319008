//! Callers of one reusable workflow that pass the matrix differently for one input.

use super::super::calls::{LocalCall, local_calls, short};
use super::super::matrix::JobRows;
use super::super::{Findings, Repository, Slot};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Expr, NodeKind, Part, Template};
use crate::core::yaml::NodeRef;

pub(super) const RULE: Rule = Rule { code: Code::CallersDiffer, name: "callers-differ", check };

/// What one caller passes.
struct Passed<'r, 'd> {
    call: LocalCall<'r, 'd>,
    value: NodeRef<'d>,
    /// The text without blanks and case, the vector of the matrix left out.
    form: String,
}

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let mut calls: Vec<LocalCall<'_, '_>> = local_calls(repository).collect();
    // Those of one callee side by side; within it in the order of the files.
    calls.sort_by_key(|call| call.callee.source.name());
    for group in calls.chunk_by(|a, b| std::ptr::eq(a.callee, b.callee)).filter(|group| group.len() > 1) {
        for same_kind in by_kind(repository, group) {
            group[0].trigger.inputs.iter().for_each(|input| compare(&same_kind, input.name, found));
        }
    }
}

/// Whether the rows are for several nodes, and whether they replay agents; `None` where they are no rows.
type Kind = Option<(Option<bool>, Option<bool>)>;

/// Callers by what kind of rows they pass: a job for several nodes has every reason to pass them differently.
fn by_kind<'r, 'd>(repository: &'r Repository<'d>, group: &[LocalCall<'r, 'd>]) -> Vec<Vec<LocalCall<'r, 'd>>> {
    let mut kinds: Vec<(Kind, Vec<LocalCall<'r, 'd>>)> = Vec::new();
    for call in group {
        let kind = JobRows::of(repository, call.file, call.index).map(|rows| (rows.is_multinode, rows.is_agentic));
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, calls)) => calls.push(*call),
            None => kinds.push((kind, vec![*call])),
        }
    }
    kinds.into_iter().map(|(_, calls)| calls).collect()
}

fn compare(calls: &[LocalCall<'_, '_>], input: &str, found: &mut Findings) {
    let mut passed: Vec<Passed<'_, '_>> = Vec::new();
    for call in calls {
        let Some(value) = call.passed(input) else { continue };
        if let Some(form) = form_of(call, value) {
            passed.push(Passed { call: *call, value, form });
        }
    }
    let count = |form: &str| passed.iter().filter(|other| other.form == form).count();
    // The form that most pass, the first of them where several do.
    let Some(usual) = passed.iter().rev().max_by_key(|one| count(&one.form)) else { return };
    for odd in passed.iter().filter(|odd| odd.form != usual.form) {
        let callee = short(odd.call.callee.source.name());
        let there = position(usual);
        let message = format!("the callers of {callee} pass different expressions for `{input}`");
        found.push(
            Diagnostic::warning(Code::CallersDiffer, message)
                .at(odd.value.source(), odd.value.site())
                .related(usual.value.source(), usual.value.site(), "passed here")
                .help(format!(
                    "the job `{}` ({there}) passes `{}`: make them alike",
                    usual.call.job.id,
                    text(usual.value)
                )),
        );
    }
}

fn position(passed: &Passed<'_, '_>) -> String {
    let source = passed.value.source();
    format!("{}:{}", source.name(), source.position(passed.value.site().start).line)
}

fn text(value: NodeRef<'_>) -> &str {
    value.scalar_text().unwrap_or_default().trim()
}

/// How a value depends on the matrix. `None` for one that does not, or that depends on something else too: such a job
/// passes something of its own on purpose.
fn form_of(call: &LocalCall<'_, '_>, value: NodeRef<'_>) -> Option<String> {
    let site = call.file.sites.iter().find(|site| site.slot == Slot::CallWith && site.node == value)?;
    let template = site.template.as_ref().ok()?;
    let mut names = template.expressions().flat_map(Expr::nodes).filter(|node| matches!(node.kind(), NodeKind::Name));
    if !template.expressions().any(|e| e.nodes().any(|node| matches!(node.kind(), NodeKind::Name)))
        || !names.all(|name| name.text().eq_ignore_ascii_case("matrix"))
    {
        return None;
    }
    Some(without_vector(call, template))
}

fn without_vector(call: &LocalCall<'_, '_>, template: &Template) -> String {
    let mut form = String::new();
    for part in template.parts() {
        match part {
            Part::Text(span) => form.push_str(&template.text()[span.clone()]),
            Part::Expr { expr, .. } => {
                let text: String = expr.text().chars().filter(|c| !c.is_whitespace()).collect();
                form.push_str(&format!("${{{{{}}}}}", text.to_ascii_lowercase()));
            }
        }
    }
    let matrix = call.job.strategy.and_then(|strategy| strategy.matrix);
    for (key, _) in matrix.into_iter().flat_map(NodeRef::entries) {
        let vector = key.scalar_text().unwrap_or_default().to_ascii_lowercase();
        form = form.replace(&format!("matrix.{vector}."), "matrix.");
    }
    form
}
