//! Texts that strangers write, pasted into scripts.

use super::super::worlds::payload_has;
use super::super::{Findings, Repository, Slot};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Function, Node, NodeKind, Value};
use crate::core::yaml::NodeRef;

pub(super) const RULE: Rule = Rule { code: Code::UntrustedInScript, name: "untrusted-in-script", check };

/// Members of `github` that hold free text of whoever triggers the run. `*` is one step.
const UNTRUSTED: [&str; 27] = [
    "head_ref",
    "event.issue.title",
    "event.issue.body",
    "event.issue.labels.*.name",
    "event.pull_request.title",
    "event.pull_request.body",
    "event.pull_request.labels.*.name",
    "event.pull_request.head.ref",
    "event.pull_request.head.label",
    "event.pull_request.head.repo.default_branch",
    "event.pull_request.head.repo.description",
    "event.pull_request.head.repo.homepage",
    "event.label.name",
    "event.label.description",
    "event.comment.body",
    "event.review.body",
    "event.review_comment.body",
    "event.discussion.title",
    "event.discussion.body",
    "event.pages.*.page_name",
    "event.commits.*.message",
    "event.commits.*.author.name",
    "event.commits.*.author.email",
    "event.head_commit.message",
    "event.head_commit.author.name",
    "event.head_commit.author.email",
    "event.workflow_run.head_branch",
];

/// Functions whose result cannot carry what was put in.
fn is_harmless(function: Function) -> bool {
    matches!(
        function,
        Function::Contains | Function::StartsWith | Function::EndsWith | Function::HashFiles | Function::Status(_)
    )
}

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for (owner, site) in repository.sites() {
        let is_script = match site.slot {
            Slot::StepRun => true,
            // The input `script` of actions/github-script is JavaScript.
            Slot::StepWith => site.name == "script" && uses_github_script(owner.step(site).and_then(|step| step.uses)),
            _ => false,
        };
        if !is_script {
            continue;
        }
        let events: Vec<&str> = owner
            .workflow()
            .into_iter()
            .flat_map(|file| &file.workflow.triggers)
            .map(|trigger| trigger.event)
            .collect();
        for root in site.expressions().filter_map(|expression| expression.root()) {
            look(root, false, &mut |node, name| {
                if !events.is_empty() && !events.iter().any(|event| can_carry(event, &name)) {
                    return;
                }
                let message = format!("the script holds `{name}`, which strangers write");
                let variable = variable_for(&name);
                let help =
                    format!("put it into `env:` as `{variable}: ${{{{ {} }}}}` and use \"${variable}\"", root.text());
                found.push(
                    Diagnostic::error(Code::UntrustedInScript, message)
                        .at(site.source(), site.locate(node.span()))
                        .help(help),
                );
            });
        }
    }
}

fn uses_github_script(uses: Option<NodeRef<'_>>) -> bool {
    uses.and_then(NodeRef::as_str).is_some_and(|uses| uses.starts_with("actions/github-script@"))
}

/// Whether an event can fill it. One that is called has the payload of whatever started its caller.
fn can_carry(event: &str, reference: &str) -> bool {
    let lower = reference.to_ascii_lowercase();
    if event == "workflow_call" {
        return true;
    }
    match lower.strip_prefix("github.event.") {
        Some(rest) => payload_has(event, rest.split('.').next().unwrap_or_default()) != Some(false),
        None if lower == "github.head_ref" => event.starts_with("pull_request") || event == "merge_group",
        None => true,
    }
}

/// Calls back with each part of an expression that carries untrusted text into its value.
fn look<'e>(node: Node<'e>, as_json: bool, report: &mut impl FnMut(Node<'e>, String)) {
    match node.kind() {
        NodeKind::Name | NodeKind::Index => match path(node) {
            Some(reference) if is_untrusted(&reference, as_json) => report(node, reference),
            _ => {}
        },
        NodeKind::Compare(_) | NodeKind::Not => {}
        NodeKind::Call(function) if is_harmless(*function) => {}
        // `a && b` is never `a` where it is a text: of the operands only the last one is printed.
        NodeKind::And => node.children().last().into_iter().for_each(|last| look(last, as_json, report)),
        NodeKind::Call(Function::ToJson) => node.children().for_each(|child| look(child, true, report)),
        _ => node.children().for_each(|child| look(child, as_json, report)),
    }
}

/// Whether a dotted reference is untrusted; printed as JSON, also whether it holds something that is.
fn is_untrusted(reference: &str, as_json: bool) -> bool {
    let lower = reference.to_ascii_lowercase();
    if lower == "github" {
        return as_json;
    }
    let Some(member) = lower.strip_prefix("github.") else { return false };
    UNTRUSTED.iter().any(|untrusted| {
        let mut given = member.split('.');
        let mut wanted = untrusted.split('.');
        loop {
            match (given.next(), wanted.next()) {
                (None, None) => return true,
                // Not as JSON it is only a word, `Object`.
                (None, Some(_)) => return as_json,
                (Some(given), Some(wanted)) if given == wanted || wanted == "*" || given == "*" => {}
                _ => return false,
            }
        }
    })
}

/// A reference with computed or numeric indices, which stand for any: `github.event.commits[0].message`.
fn path(node: Node<'_>) -> Option<String> {
    match node.kind() {
        NodeKind::Name => Some(node.text().to_owned()),
        NodeKind::Index => {
            let mut children = node.children();
            let (target, key) = (children.next()?, children.next()?);
            let key = match key.kind() {
                NodeKind::Property => key.text(),
                NodeKind::Literal(Value::Str(key)) => key,
                _ => "*",
            };
            Some(format!("{}.{key}", path(target)?))
        }
        _ => None,
    }
}

/// A name for the variable that carries it.
fn variable_for(reference: &str) -> String {
    let parts: Vec<&str> = reference.split('.').filter(|part| !matches!(*part, "github" | "event" | "*")).collect();
    let name = parts[parts.len().saturating_sub(2)..].join("_").to_ascii_uppercase().replace('-', "_");
    if name.is_empty() { "EVENT".to_owned() } else { name }
}
