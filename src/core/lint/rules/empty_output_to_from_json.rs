//! Outputs that can be empty, given to fromJSON.

use super::super::calls::{calls_of, local_calls};
use super::super::guards::{
    each_reference, guarding_conditions, guarding_references, index_of, needs_success, references,
};
use super::super::repository::WorkflowFile;
use super::super::{Findings, Owner, Repository, Site, Slot};
use super::Rule;
use super::empty_writes::may_stay_empty;
use crate::core::diag::{Code, Diagnostic, Severity};
use crate::core::expr::{Comparison, Expr, Function, Node, NodeKind, Template, Value};
use crate::core::workflow::{Job, JobBody, Step};
use crate::core::yaml::NodeRef;

pub(super) const RULE: Rule = Rule { code: Code::EmptyOutputToFromJson, name: "empty-output-to-from-json", check };

/// Why something can be empty.
enum Empty {
    /// It always is.
    Always(String),
    /// It is when something goes another way.
    Sometimes(String),
}

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for (owner, site) in repository.sites() {
        for root in site.expressions().filter_map(Expr::root) {
            walk(root, &mut Vec::new(), &mut |node, reference, tested| {
                let Some(empty) = why_empty(repository, owner, site, &reference, tested) else { return };
                let (severity, why) = match empty {
                    Empty::Always(why) => (Severity::Error, why),
                    Empty::Sometimes(why) => (Severity::Warning, why),
                };
                let message = format!("`{}` {why}, and fromJSON of an empty text fails", node.text());
                found.push(
                    Diagnostic::new(Code::EmptyOutputToFromJson, severity, message)
                        .at(site.source(), site.locate(node.span()))
                        .help(format!("write `fromJSON({} || '[]')`, or test it before", node.text())),
                );
            });
        }
    }
}

/// Calls back with each reference that is the whole argument of fromJSON, and what was tested on the way to it.
fn walk<'e>(node: Node<'e>, tested: &mut Vec<String>, report: &mut impl FnMut(Node<'e>, String, &[String])) {
    match node.kind() {
        NodeKind::Call(Function::FromJson) => {
            let Some(argument) = node.children().next() else { return };
            match argument.reference() {
                Some(reference) => report(argument, reference.to_ascii_lowercase(), tested),
                None => walk(argument, tested, report),
            }
        }
        // Later operands of `a && b` and `a || b` are reached by the way of the earlier ones.
        NodeKind::And | NodeKind::Or | NodeKind::Call(Function::Case) => {
            let before = tested.len();
            for child in node.children() {
                walk(child, tested, report);
                each_reference(child, &mut |_, reference| tested.push(reference));
            }
            tested.truncate(before);
        }
        _ => node.children().for_each(|child| walk(child, tested, report)),
    }
}

fn why_empty<'d>(
    repository: &Repository<'d>,
    owner: Owner<'_, 'd>,
    site: &Site<'d>,
    reference: &str,
    tested: &[String],
) -> Option<Empty> {
    let steps: Vec<&str> = reference.split('.').collect();
    match steps.as_slice() {
        ["needs", job, "outputs", output] => {
            let file = owner.workflow()?;
            let consumer = site.job?;
            let producer = index_of(file, job)?;
            if let Some(why) = never_set(repository, file, producer, output) {
                return Some(Empty::Always(why));
            }
            let mut guards = if site.slot == Slot::JobIf { vec![] } else { guarding_references(file, consumer) };
            guards.extend_from_slice(tested);
            if site.step.is_some() {
                guards.extend(step_guards(owner, site));
            }
            let about = |what: &str| guards.iter().any(|guard| guard.starts_with(&format!("needs.{job}.{what}")));
            let has_outputs_tested = about("outputs");
            let is_let_through = site.slot != Slot::JobIf && lets_empty_through(file, consumer, job, reference);
            let is_tested_here = tested.iter().any(|one| one.starts_with(&format!("needs.{job}.outputs")));
            if has_outputs_tested && (!is_let_through || is_tested_here || site.step.is_some()) {
                return None;
            }
            if let Some(why) = sometimes_set(repository, file, producer, output) {
                return Some(Empty::Sometimes(why));
            }
            if has_outputs_tested {
                return None;
            }
            // A job that does not wait for success runs when the producer did not.
            let runs_anyway = !needs_success(file, consumer) && !about("result");
            let is_needed = file.workflow.jobs[consumer].needs.iter().any(|(name, _)| name.eq_ignore_ascii_case(job));
            (runs_anyway && is_needed).then(|| {
                Empty::Sometimes(format!(
                    "is empty when the job `{job}` fails or is skipped, and this job runs all the same"
                ))
            })
        }
        ["steps", id, "outputs", output] => {
            let all = steps_of(owner, site)?;
            let (index, step) = find_step(all, id)?;
            if site.step.is_some_and(|own| index >= own) {
                return None;
            }
            if let Some(why) = not_declared(repository, step, output) {
                return Some(Empty::Always(why));
            }
            let mut guards = step_guards(owner, site);
            guards.extend_from_slice(tested);
            let is_tested = guards.iter().any(|guard| guard.starts_with(&format!("steps.{id}.")));
            let same_condition = || {
                let own = owner.step(site).and_then(|own| own.condition).and_then(NodeRef::scalar_text);
                own.is_some() && own == step.condition.and_then(NodeRef::scalar_text)
            };
            (step.condition.is_some() && is_conditional(step) && !is_tested && !same_condition())
                .then(|| Empty::Sometimes(format!("is empty when the condition of the step `{id}` does not hold")))
        }
        ["inputs", name] => of_input(repository, owner.workflow()?, site, name, tested),
        _ => None,
    }
}

/// Whether the conditions in front of a job only tell an output from texts that are not empty: `!= '[]'` holds of the
/// empty text as well.
fn lets_empty_through(file: &WorkflowFile<'_>, consumer: usize, producer: &str, reference: &str) -> bool {
    let prefix = format!("needs.{producer}.outputs.");
    let is_it = |node: &Node<'_>| node.reference().is_some_and(|one| one.eq_ignore_ascii_case(reference));
    let is_text = |node: &Node<'_>| matches!(node.kind(), NodeKind::Literal(Value::Str(text)) if !text.is_empty());
    guarding_conditions(file, consumer).into_iter().flat_map(Site::expressions).all(|expression| {
        let (mut mentioned, mut unlike) = (0, 0);
        for node in expression.nodes() {
            match node.kind() {
                NodeKind::Compare(Comparison::NotEqual) => {
                    unlike += usize::from(node.children().any(|c| is_it(&c)) && node.children().any(|c| is_text(&c)));
                }
                NodeKind::Or | NodeKind::Not => {
                    return references(std::iter::once(expression)).iter().all(|one| !one.starts_with(&prefix));
                }
                _ => {
                    let one = node.reference().unwrap_or_default().to_ascii_lowercase();
                    mentioned += usize::from(one.starts_with(&prefix));
                }
            }
        }
        mentioned == unlike
    })
}

/// A condition that only says when a step runs after failures does not skip it otherwise.
fn is_conditional(step: &Step<'_>) -> bool {
    let text = step.condition.and_then(NodeRef::scalar_text).unwrap_or_default();
    let bare = text.trim().trim_start_matches("${{").trim_end_matches("}}").trim();
    !matches!(bare, "always()" | "!cancelled()" | "success()" | "true" | "success() || failure()")
}

fn step_guards(owner: Owner<'_, '_>, site: &Site<'_>) -> Vec<String> {
    let sites = match owner {
        Owner::Workflow(file) => &file.sites,
        Owner::Action(file) => &file.sites,
    };
    let of_step = |other: &&Site<'_>| other.slot == Slot::StepIf && other.job == site.job && other.step == site.step;
    // The condition itself is no guard of itself.
    let condition = sites.iter().find(of_step).filter(|_| site.slot != Slot::StepIf && site.step.is_some());
    condition.map(|condition| references(condition.expressions())).unwrap_or_default()
}

fn steps_of<'r, 'd>(owner: Owner<'r, 'd>, site: &Site<'d>) -> Option<&'r [Step<'d>]> {
    match owner {
        Owner::Action(file) => Some(&file.action.steps),
        Owner::Workflow(_) => steps_of_job(owner.job(site)?),
    }
}

fn steps_of_job<'r, 'd>(job: &'r Job<'d>) -> Option<&'r [Step<'d>]> {
    match &job.body {
        JobBody::Steps(steps) => Some(steps),
        JobBody::Call(_) => None,
    }
}

fn find_step<'r, 'd>(steps: &'r [Step<'d>], id: &str) -> Option<(usize, &'r Step<'d>)> {
    steps.iter().enumerate().find(|(_, step)| step.id.is_some_and(|own| own.eq_ignore_ascii_case(id)))
}

/// Why an output of a job is never set.
fn never_set<'d>(repository: &Repository<'d>, file: &WorkflowFile<'d>, job: usize, output: &str) -> Option<String> {
    let producer = &file.workflow.jobs[job];
    match &producer.body {
        JobBody::Steps(_) => {
            // That the value of a declared one leads nowhere is said where it stands.
            let is_declared = producer.outputs.iter().any(|known| known.name.eq_ignore_ascii_case(output));
            (!is_declared).then(|| format!("is always empty: the job `{}` has no output `{output}`", producer.id))
        }
        JobBody::Call(_) => {
            let call = calls_of(repository, file).find(|call| call.index == job)?;
            let is_declared = call.trigger.outputs.iter().any(|known| known.name.eq_ignore_ascii_case(output));
            (!is_declared).then(|| format!("is always empty: {} has no output `{output}`", call.callee.source.name()))
        }
    }
}

/// The step and output that the value of a job's output is, when it is nothing else.
fn source_step(value: NodeRef<'_>) -> Option<(String, String)> {
    let template = Template::parse(value.as_str()?, &crate::core::expr::Allowed::ANYTHING).ok()?;
    let reference = template.as_expression()?.root()?.reference()?.to_ascii_lowercase();
    let steps: Vec<&str> = reference.split('.').collect();
    match steps.as_slice() {
        ["steps", id, "outputs", name] => Some(((*id).to_owned(), (*name).to_owned())),
        _ => None,
    }
}

/// Why an action of this checkout never sets an output.
fn not_declared(repository: &Repository<'_>, step: &Step<'_>, output: &str) -> Option<String> {
    let action = repository.used_action(step.uses?.as_str()?)?;
    let is_declared = action.action.outputs.iter().any(|known| known.name.eq_ignore_ascii_case(output));
    (action.action.using == "composite" && !is_declared)
        .then(|| format!("is always empty: {} has no output `{output}`", action.source.name()))
}

/// When an output of a job is not set although the job succeeds.
fn sometimes_set(repository: &Repository<'_>, file: &WorkflowFile<'_>, job: usize, output: &str) -> Option<String> {
    let producer = &file.workflow.jobs[job];
    let declared = producer.outputs.iter().find(|known| known.name.eq_ignore_ascii_case(output))?;
    let (id, name) = source_step(declared.value)?;
    let (_, step) = find_step(steps_of_job(producer)?, &id)?;
    if step.condition.is_some() && is_conditional(step) {
        let id = step.id.unwrap_or(&id);
        return Some(format!(
            "is empty when the condition of the step `{id}` in the job `{}` does not hold",
            producer.id
        ));
    }
    let text = step.run?;
    let run = repository
        .contract()
        .runs
        .iter()
        .find(|run| std::ptr::eq(run.source(), text.source()) && run.node.span() == text.span())?;
    may_stay_empty(&run.shell, text.as_str()?, &name)
        .map(|why| format!("{why} (the step `{id}` of the job `{}`)", producer.id))
}

/// An input that need not be given, has no default, and is not tested.
fn of_input<'d>(
    repository: &Repository<'d>,
    file: &WorkflowFile<'d>,
    site: &Site<'d>,
    name: &str,
    tested: &[String],
) -> Option<Empty> {
    let wanted = format!("inputs.{name}");
    let mut guards = tested.to_vec();
    if let Some(job) = site.job.filter(|_| site.slot != Slot::JobIf) {
        guards.extend(guarding_references(file, job));
    }
    guards.extend(step_guards(Owner::Workflow(file), site));
    if guards.contains(&wanted) {
        return None;
    }
    let is_empty = |input: &crate::core::workflow::Input<'_>| {
        input.name.eq_ignore_ascii_case(name)
            && !input.required
            && input.default.is_none_or(|default| default.as_str().is_some_and(|text| text.trim().is_empty()))
    };
    let of_call = file.workflow.trigger("workflow_call").into_iter().flat_map(|trigger| &trigger.inputs);
    if of_call.into_iter().any(is_empty) {
        // Only a caller that leaves it out makes it empty.
        let mut callers = local_calls(repository).filter(|call| std::ptr::eq(call.callee, file));
        let caller = callers.find(|call| call.passed(name).is_none())?;
        let why = format!("is empty when the job `{}` of {} calls", caller.job.id, caller.file.source.name());
        return Some(Empty::Sometimes(why));
    }
    let of_dispatch = file.workflow.trigger("workflow_dispatch").into_iter().flat_map(|trigger| &trigger.inputs);
    of_dispatch
        .into_iter()
        .any(is_empty)
        .then(|| Empty::Sometimes("is empty when whoever starts the workflow leaves it so".to_owned()))
}
