//! Counts and sizes that GitHub refuses.

use std::sync::Arc;

use hashbrown::HashMap;

use super::super::calls::calls_of;
use super::super::repository::WorkflowFile;
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic, Severity};
use crate::core::expr::{Array, Object, Problem, Value};
use crate::core::workflow::simulate::legs;
use crate::core::yaml::{Kind, NodeRef};

pub(super) const RULE: Rule = Rule { code: Code::PlatformLimit, name: "platform-limit", check };

const MAX_DISPATCH_INPUTS: usize = 25;
const MAX_LEGS: usize = 256;
/// The caller, and nine below it.
const MAX_LEVELS: usize = 10;
const MAX_CALLED: usize = 50;
/// What the documentation allows, and what is refused for certain.
const WORKFLOW_BYTES: (usize, usize) = (500 * 1024, 1024 * 1024);

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for file in &repository.workflows {
        size(file, found);
        inputs(file, found);
        file.workflow.jobs.iter().filter_map(|job| job.strategy?.matrix).for_each(|matrix| count_legs(matrix, found));
        calls(repository, file, found);
    }
    for (_, site) in repository.sites() {
        if let Err(error) = &site.template
            && matches!(error.problem(), Problem::TooLong | Problem::TooDeep)
        {
            let diagnostic =
                Diagnostic::error(Code::PlatformLimit, error.message()).at(site.source(), site.locate(0..0));
            found.push(diagnostic.help(error.advice().unwrap_or("compute parts of it in a step or job of their own")));
        }
    }
}

fn size(file: &WorkflowFile<'_>, found: &mut Findings) {
    let bytes = file.source.text().len();
    let (allowed, refused) = WORKFLOW_BYTES;
    if bytes > allowed {
        let severity = if bytes > refused { Severity::Error } else { Severity::Warning };
        let message = format!("the workflow has {} KiB, and GitHub takes {}", bytes / 1024, allowed / 1024);
        found.push(
            Diagnostic::new(Code::PlatformLimit, severity, message)
                .at(file.source, 0..file.source.text().lines().next().unwrap_or_default().len())
                .help("move scripts into files, and jobs into reusable workflows"),
        );
    }
}

fn inputs(file: &WorkflowFile<'_>, found: &mut Findings) {
    let Some(dispatch) = file.workflow.trigger("workflow_dispatch") else { return };
    if let Some(first_over) = dispatch.inputs.get(MAX_DISPATCH_INPUTS) {
        let message =
            format!("the dispatch has {} inputs, and GitHub takes {MAX_DISPATCH_INPUTS}", dispatch.inputs.len());
        found.push(
            Diagnostic::error(Code::PlatformLimit, message)
                .at(first_over.site.source(), first_over.site.site())
                .help("put several into one JSON text"),
        );
    }
}

/// The legs of a matrix that is written out.
fn count_legs(matrix: NodeRef<'_>, found: &mut Findings) {
    let Some(legs) = legs_of(matrix).filter(|legs| *legs > MAX_LEGS) else { return };
    let message = format!("the matrix has {legs} legs, and GitHub takes {MAX_LEGS}");
    found.push(
        Diagnostic::error(Code::PlatformLimit, message)
            .at(matrix.source(), matrix.locate(0..0))
            .help("leave combinations out, or cut the list into shards and call a workflow for each"),
    );
}

/// How many legs there are; `None` where an expression makes some, or where they are too many to count.
fn legs_of(matrix: NodeRef<'_>) -> Option<usize> {
    const COUNTABLE: usize = 20_000;
    let mut product = 1_usize;
    let mut has_vector = false;
    for (key, value) in matrix.entries() {
        if !matches!(key.scalar_text(), Some("include" | "exclude")) {
            has_vector = true;
            product = product.saturating_mul(value.items().len());
        }
        if !matches!(value.kind(), Kind::List) {
            return None;
        }
    }
    let is_plain = matrix.get("exclude").is_none() && matrix.get("include").is_none();
    if has_vector && is_plain || product > COUNTABLE {
        return Some(product).filter(|_| is_plain);
    }
    let Value::Object(matrix) = value_of(matrix)? else { return None };
    legs(&matrix).ok().map(|legs| legs.len())
}

/// The value of a node without expressions.
fn value_of(node: NodeRef<'_>) -> Option<Value> {
    Some(match node.kind() {
        Kind::Null => Value::Null,
        Kind::Bool(value) => Value::Bool(value),
        Kind::Float(value) => Value::Number(value),
        Kind::List => Value::Array(Array::new(node.items().map(value_of).collect::<Option<Vec<_>>>()?)),
        Kind::Map => {
            let members = node.entries().map(|(key, value)| Some((Arc::from(key.scalar_text()?), value_of(value)?)));
            Value::Object(Object::new(members.collect::<Option<Vec<_>>>()?))
        }
        Kind::Int(value) => Value::text(value.to_string()),
        Kind::Str(text) if text.contains("${{") => return None,
        _ => Value::text(node.scalar_text()?),
    })
}

/// How deep calls go, and how many workflows they lead to.
fn calls<'d>(repository: &Repository<'d>, file: &WorkflowFile<'d>, found: &mut Findings) {
    let is_only_called = file.workflow.triggers.iter().all(|trigger| trigger.event == "workflow_call");
    if is_only_called {
        return;
    }
    let mut known: HashMap<&str, State> = HashMap::from([(file.source.name(), State::Open)]);
    for call in calls_of(repository, file) {
        let site = call.call.site;
        let diagnostic = match levels_below(repository, call.callee, &mut known, 1) {
            None => {
                let message = format!("{} leads back to itself", call.callee.source.name());
                Diagnostic::error(Code::PlatformLimit, message).help("a workflow cannot call itself, by whatever way")
            }
            Some(levels) if levels + 1 > MAX_LEVELS => {
                let message = format!("calls nest {} levels deep, and GitHub takes {MAX_LEVELS}", levels + 1);
                Diagnostic::error(Code::PlatformLimit, message).help("call the inner workflows from fewer levels")
            }
            Some(_) => continue,
        };
        found.push(diagnostic.at(site.source(), site.site()));
    }
    let called = known.len() - 1;
    if called > MAX_CALLED {
        let message = format!("the workflow leads to {called} others, and GitHub takes {MAX_CALLED}");
        found.push(
            Diagnostic::error(Code::PlatformLimit, message)
                .at(file.source, 0..file.source.text().lines().next().unwrap_or_default().len())
                .help("call fewer, or start some of them by workflow_run"),
        );
    }
}

#[derive(Clone, Copy)]
enum State {
    /// Being looked at: who meets it again has gone in a circle.
    Open,
    /// So many levels, its own included.
    Levels(usize),
}

/// The levels of a workflow and those that it calls; `None` for a circle. Each workflow is looked at once.
fn levels_below<'r, 'd>(
    repository: &'r Repository<'d>,
    file: &'r WorkflowFile<'d>,
    known: &mut HashMap<&'r str, State>,
    depth: usize,
) -> Option<usize> {
    /// Deep enough to be refused, and shallow enough for the stack.
    const ENOUGH: usize = 64;
    let name = file.source.name();
    match known.get(name) {
        Some(State::Open) => return None,
        Some(State::Levels(levels)) => return Some(*levels),
        None if depth > ENOUGH => return Some(1),
        None => {}
    }
    known.insert(name, State::Open);
    let mut below = 0;
    for call in calls_of(repository, file) {
        match levels_below(repository, call.callee, known, depth + 1) {
            Some(levels) => below = below.max(levels),
            None => {
                known.insert(name, State::Levels(1));
                return None;
            }
        }
    }
    known.insert(name, State::Levels(below + 1));
    Some(below + 1)
}
