//! Concurrency groups that are asked for while they are held.

use super::super::calls::{calls_of, short};
use super::super::repository::WorkflowFile;
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Allowed, Part, Template};
use crate::core::yaml::{Kind, NodeRef};

pub(super) const RULE: Rule = Rule { code: Code::ConcurrencyDeadlock, name: "concurrency-deadlock", check };

/// GitHub follows no more calls.
const MAX_DEPTH: usize = 10;
/// Callees are looked at once for each way that leads to them, and ways multiply.
const MAX_VISITS: usize = 2_000;

/// A group that is held by something outside.
#[derive(Clone)]
struct Held<'d> {
    form: String,
    node: NodeRef<'d>,
    /// What holds it, for people.
    holder: String,
}

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for file in &repository.workflows {
        // What is only called is looked at from its callers, whose name it runs under.
        let is_only_called = file.workflow.triggers.len() == 1 && file.workflow.trigger("workflow_call").is_some();
        let name = file.workflow.name.and_then(NodeRef::as_str).filter(|name| !name.contains("${{"));
        let name = name.filter(|_| !is_only_called).unwrap_or_default();
        let mut walk = Walk { repository, held: vec![], chain: vec![], name, visits: 0 };
        walk.workflow(file, found);
    }
}

/// The way from a workflow that an event starts down through its calls.
struct Walk<'r, 'd> {
    repository: &'r Repository<'d>,
    held: Vec<Held<'d>>,
    chain: Vec<&'r WorkflowFile<'d>>,
    /// The name that `github.workflow` gives all the way down; empty where it is not known.
    name: &'d str,
    visits: usize,
}

impl<'r, 'd> Walk<'r, 'd> {
    fn workflow(&mut self, file: &'r WorkflowFile<'d>, found: &mut Findings) {
        self.visits += 1;
        let is_known = self.chain.iter().any(|other| std::ptr::eq(*other, file));
        if is_known || self.chain.len() > MAX_DEPTH || self.visits > MAX_VISITS {
            return;
        }
        self.chain.push(file);
        let outside = self.held.len();
        if let Some((node, form)) = group(file.workflow.concurrency, self.name) {
            report(&self.held, node, &form, found);
            self.held.push(Held { form, node, holder: format!("the workflow {}", short(file.source.name())) });
        }
        let calls: Vec<_> = calls_of(self.repository, file).collect();
        for (index, job) in file.workflow.jobs.iter().enumerate() {
            let before = self.held.len();
            if let Some((node, form)) = group(job.node.get("concurrency"), self.name) {
                report(&self.held, node, &form, found);
                let holder = format!("the job `{}` of {}", job.id, short(file.source.name()));
                self.held.push(Held { form, node, holder });
            }
            if let Some(call) = calls.iter().find(|call| call.index == index) {
                self.workflow(call.callee, found);
            }
            self.held.truncate(before);
        }
        self.held.truncate(outside);
        self.chain.pop();
    }
}

fn report(held: &[Held<'_>], node: NodeRef<'_>, form: &str, found: &mut Findings) {
    let Some(holder) = held.iter().find(|other| other.form == form) else { return };
    let message = format!("{} already holds this concurrency group, so this waits for itself", holder.holder);
    found.push_new(
        Diagnostic::error(Code::ConcurrencyDeadlock, message)
            .at(node.source(), node.site())
            .related(holder.node.source(), holder.node.site(), "held here")
            .help("remove the inner `concurrency`, or give it a name of its own"),
    );
}

/// The group of a `concurrency`, as a text in which equal groups are equal. `None` where it depends on what differs from
/// place to place.
fn group<'d>(concurrency: Option<NodeRef<'d>>, workflow_name: &str) -> Option<(NodeRef<'d>, String)> {
    let node = concurrency?;
    let node = if matches!(node.kind(), Kind::Map) { node.get("group")? } else { node };
    let text = node.scalar_text()?;
    let template = Template::parse(text, &Allowed::ANYTHING).ok()?;
    let mut form = String::new();
    for part in template.parts() {
        match part {
            Part::Text(span) => form.push_str(&text[span.clone()]),
            Part::Expr { expr, .. } => {
                let written: String = expr.text().chars().filter(|c| !c.is_whitespace()).collect();
                let lower = written.to_ascii_lowercase();
                match lower.as_str() {
                    "github.workflow" if !workflow_name.is_empty() => form.push_str(workflow_name),
                    _ if ["inputs", "matrix", "needs", "strategy"].iter().any(|context| lower.contains(context)) => {
                        return None;
                    }
                    _ => form.push_str(&format!("${{{{{lower}}}}}")),
                }
            }
        }
    }
    // Group names are the same in upper and lower case.
    Some((node, form.to_lowercase()))
}
