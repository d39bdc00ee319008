//! Conditions that are false whatever starts the workflow.

use std::sync::Arc;

use super::super::calls::calls_of;
use super::super::guards::{each_reference, index_of};
use super::super::repository::WorkflowFile;
use super::super::worlds::{Fact, World, payload_has, worlds};
use super::super::{Findings, Owner, Repository, Site};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Expr, NodeKind, Object, Scope, StatusFunction, Value, because, evaluate};
use crate::core::workflow::{JobBody, Output, Step};

pub(super) const RULE: Rule = Rule { code: Code::ConditionNeverTrue, name: "condition-never-true", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for file in &repository.workflows {
        let worlds = worlds(file);
        for site in file.sites.iter().filter(|site| site.is_condition()) {
            let expression = site.template.as_ref().ok().and_then(|template| template.as_expression());
            if let Some(expression) = expression.filter(|expression| !is_switched_off(expression)) {
                judge(&View { repository, file, site }, expression, &worlds, found);
            }
        }
    }
}

/// Whether a condition is false whatever happens.
pub(super) fn is_never_true<'d>(repository: &Repository<'d>, file: &WorkflowFile<'d>, site: &Site<'d>) -> bool {
    let expression = site.template.as_ref().ok().and_then(|template| template.as_expression());
    let Some(expression) = expression.filter(|expression| !is_switched_off(expression)) else { return false };
    let view = View { repository, file, site };
    worlds(file).iter().all(|world| {
        let scope = Known::new(&view, world, expression, &mut Vec::new());
        evaluate(expression, &scope).is_ok_and(|value| value.is_truthy() == Some(false))
    })
}

/// `if: false` and `if: false && …` are meant so.
fn is_switched_off(expression: &Expr) -> bool {
    let is_literal = |kind: &NodeKind| matches!(kind, NodeKind::Literal(_));
    let root = expression.root();
    root.is_none_or(|root| is_literal(root.kind()))
        || expression.nodes().any(|node| {
            matches!(node.kind(), NodeKind::And) && node.children().any(|operand| is_literal(operand.kind()))
        })
}

fn judge(view: &View<'_, '_>, expression: &Expr, worlds: &[World<'_>], found: &mut Findings) {
    let mut reasons: Vec<String> = Vec::new();
    let mut decided: Vec<std::ops::Range<usize>> = Vec::new();
    for world in worlds {
        let scope = Known::new(view, world, expression, &mut reasons);
        match evaluate(expression, &scope) {
            Ok(value) if value.is_truthy() == Some(false) => {}
            _ => return,
        }
        if let Ok(Some(part)) = because(expression, &scope) {
            decided.push(part.span);
        }
    }
    let (Some(first), Some(root)) = (decided.first(), expression.root()) else { return };
    let span = if decided.iter().all(|span| span == first) { first.clone() } else { root.span() };
    let site = view.site;
    let text = site.template.as_ref().map(|template| template.text()).unwrap_or_default();
    let part = text.get(span.clone()).unwrap_or_default();
    let message = format!("`{part}` is false for every event that starts this workflow");
    let diagnostic = Diagnostic::error(Code::ConditionNeverTrue, message).at(site.source(), site.locate(span));
    reasons.sort();
    reasons.dedup();
    found.push(if reasons.is_empty() {
        diagnostic.help(format!("it starts on {}", events(worlds)))
    } else {
        diagnostic.help(reasons.join("; "))
    });
}

/// The events in words: `push (main), pull_request (opened, synchronize)`.
fn events(worlds: &[World<'_>]) -> String {
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for world in worlds {
        let event = world.event.unwrap_or("a call");
        let at = all.iter().position(|(known, _)| *known == event).unwrap_or_else(|| {
            all.push((event, vec![]));
            all.len() - 1
        });
        for fact in [world.action, world.branch, world.schedule] {
            if let Fact::Text(text) = fact
                && !all[at].1.contains(&text)
            {
                all[at].1.push(text);
            }
        }
    }
    let words = all.iter().map(|(event, facts)| match facts.is_empty() {
        true => (*event).to_owned(),
        false => format!("{event} ({})", facts.join(", ")),
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The place of a condition.
struct View<'r, 'd> {
    repository: &'r Repository<'d>,
    file: &'r WorkflowFile<'d>,
    site: &'r Site<'d>,
}

/// What the contexts hold in one world, as far as the expression asks for it.
struct Known {
    contexts: Vec<(String, Value)>,
}

impl Scope for Known {
    fn named_value(&self, name: &str) -> Option<Value> {
        let known = self.contexts.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        Some(known.map_or_else(|| Value::unknown(name), |(_, value)| value.clone()))
    }

    fn status(&self, which: StatusFunction, _jobs: &[Value]) -> Value {
        match which {
            StatusFunction::Always => Value::Bool(true),
            _ => Value::unknown(format!("{}()", which.name())),
        }
    }
}

/// A tree of what is known: a value, or members.
enum Branch {
    Leaf(Value),
    Members(Vec<(String, Self)>),
}

impl Branch {
    /// Puts a value at a path. What is known less of wins: an unknown whole is unknown in all its parts.
    fn insert(&mut self, path: &[&str], value: Value) {
        match (self, path) {
            (Self::Leaf(_), _) => {}
            (whole, []) => *whole = Self::Leaf(value),
            (Self::Members(members), [first, rest @ ..]) => {
                let at = members.iter().position(|(name, _)| name == first).unwrap_or_else(|| {
                    members.push(((*first).to_owned(), Self::Members(vec![])));
                    members.len() - 1
                });
                members[at].1.insert(rest, value);
            }
        }
    }

    fn into_value(self) -> Value {
        match self {
            Self::Leaf(value) => value,
            Self::Members(members) => Value::Object(Object::new(
                members.into_iter().map(|(name, branch)| (Arc::from(name), branch.into_value())).collect::<Vec<_>>(),
            )),
        }
    }
}

impl Known {
    fn new(view: &View<'_, '_>, world: &World<'_>, expression: &Expr, reasons: &mut Vec<String>) -> Self {
        let mut tree = Branch::Members(vec![]);
        if let Some(root) = expression.root() {
            each_reference(root, &mut |node, reference| {
                let steps: Vec<&str> = reference.split('.').take_while(|step| *step != "*").collect();
                let is_cut = steps.len() < reference.split('.').count();
                let (length, value) = match lookup(view, world, &steps) {
                    Some((length, Value::Null, reason)) => {
                        reasons.extend((!reason.is_empty()).then_some(reason));
                        (length, Value::Null)
                    }
                    Some((length, value, _)) if !is_cut || length < steps.len() => (length, value),
                    _ => (steps.len(), Value::unknown(node.text())),
                };
                tree.insert(&steps[..length], value);
            });
        }
        match tree {
            Branch::Members(members) => {
                Self { contexts: members.into_iter().map(|(name, branch)| (name, branch.into_value())).collect() }
            }
            Branch::Leaf(_) => Self { contexts: vec![] },
        }
    }
}

/// What stands at a path, and how many of its steps lead there; for nothing at all also why. `None` where nobody knows.
fn lookup(view: &View<'_, '_>, world: &World<'_>, steps: &[&str]) -> Option<(usize, Value, String)> {
    match steps {
        ["github", rest @ ..] => of_github(view, world, rest).map(|(length, value, why)| (length + 1, value, why)),
        ["inputs", name, ..] => of_inputs(view, world, name).map(|(value, why)| (2, value, why)),
        ["needs", job, rest @ ..] => of_needs(view, job, rest).map(|(length, why)| (length, Value::Null, why)),
        ["steps", id, rest @ ..] => of_steps(view, id, rest).map(|(length, why)| (length, Value::Null, why)),
        _ => None,
    }
}

fn of_github(view: &View<'_, '_>, world: &World<'_>, steps: &[&str]) -> Option<(usize, Value, String)> {
    let event = world.event?;
    let of_fact = |fact: Fact<'_>| match fact {
        Fact::Unknown => None,
        Fact::Absent => Some(Value::Null),
        Fact::Text(text) => Some(Value::text(text)),
    };
    let is_pull_request = matches!(event, "pull_request" | "pull_request_target");
    let known = |length: usize, value: Value| Some((length, value, String::new()));
    match steps {
        ["event_name"] => known(1, Value::text(event)),
        ["event", "action"] => known(2, of_fact(world.action)?),
        ["event", "schedule"] if event == "schedule" => known(2, of_fact(world.schedule)?),
        ["event", "inputs", name, ..] if event == "workflow_dispatch" => {
            of_inputs(view, world, name).map(|(value, why)| (3, value, why))
        }
        ["event", member, ..] if payload_has(event, member) == Some(false) => {
            Some((2, Value::Null, format!("the event {event} has no `github.event.{member}`")))
        }
        ["head_ref" | "base_ref"] if !event.starts_with("pull_request") && event != "merge_group" => {
            known(1, Value::text(""))
        }
        ["base_ref"] if is_pull_request => known(1, of_fact(world.branch)?),
        ["ref_name"] if event == "push" => known(1, of_fact(world.branch)?),
        ["ref"] if event == "push" => match world.branch {
            Fact::Text(branch) => known(1, Value::text(format!("refs/heads/{branch}"))),
            _ => None,
        },
        _ => None,
    }
}

fn of_inputs(view: &View<'_, '_>, world: &World<'_>, name: &str) -> Option<(Value, String)> {
    if let Some((_, chosen)) = world.choices.iter().find(|(input, _)| input.eq_ignore_ascii_case(name)) {
        return Some((Value::text(*chosen), String::new()));
    }
    let event = world.event.unwrap_or("workflow_call");
    let trigger = view.file.workflow.trigger(event);
    let is_declared =
        trigger.is_some_and(|trigger| trigger.inputs.iter().any(|input| input.name.eq_ignore_ascii_case(name)));
    if is_declared {
        return None;
    }
    let anywhere = view.file.workflow.triggers.iter().flat_map(|trigger| &trigger.inputs);
    let reason = match anywhere.into_iter().any(|input| input.name.eq_ignore_ascii_case(name)) {
        true => String::new(),
        false => format!("there is no input `{name}`"),
    };
    Some((Value::Null, reason))
}

/// Why a part of `needs` is nothing, and how many steps lead there.
fn of_needs(view: &View<'_, '_>, job: &str, rest: &[&str]) -> Option<(usize, String)> {
    let own = Owner::Workflow(view.file).job(view.site)?;
    let is_needed = own.needs.iter().any(|(name, _)| name.eq_ignore_ascii_case(job));
    if !is_needed {
        // The reader leaves out needs that it reports itself.
        let is_job = index_of(view.file, job).is_some();
        return is_job
            .then(|| (2, format!("the job `{}` does not need `{job}`, so `needs.{job}` is empty", own.id)))
            .or_else(|| Some((2, format!("there is no job `{job}`"))));
    }
    match rest {
        ["result" | "outputs"] | [] => None,
        ["outputs", output, ..] => {
            let index = index_of(view.file, job)?;
            let needed = &view.file.workflow.jobs[index];
            let is = |declared: &Output<'_>| declared.name.eq_ignore_ascii_case(output);
            let is_declared = match &needed.body {
                JobBody::Steps(_) => needed.outputs.iter().any(is),
                JobBody::Call(_) => {
                    let call = calls_of(view.repository, view.file).find(|call| call.index == index)?;
                    call.trigger.outputs.iter().any(is)
                }
            };
            (!is_declared).then(|| (4, format!("the job `{job}` has no output `{output}`")))
        }
        ["result", ..] => None,
        [member, ..] => Some((3, format!("a needed job has `result` and `outputs`, and no `{member}`"))),
    }
}

/// Why a part of `steps` is nothing, and how many steps lead there.
fn of_steps(view: &View<'_, '_>, id: &str, rest: &[&str]) -> Option<(usize, String)> {
    let own = view.site.step?;
    let JobBody::Steps(steps) = &Owner::Workflow(view.file).job(view.site)?.body else { return None };
    let is = |step: &Step<'_>| step.id.is_some_and(|other| other.eq_ignore_ascii_case(id));
    match steps.iter().position(is) {
        None => Some((2, format!("no step of the job has the id `{id}`"))),
        Some(at) if at >= own => Some((2, format!("the step `{id}` comes later"))),
        Some(_) => match rest {
            ["outputs" | "outcome" | "conclusion", ..] | [] => None,
            [member, ..] => Some((3, format!("a step has `outputs`, `outcome` and `conclusion`, and no `{member}`"))),
        },
    }
}
