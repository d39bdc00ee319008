//! Declared inputs that nothing reads.

use super::super::{Findings, Owner, Repository, Site};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::Node;
use crate::core::workflow::Input;

pub(super) const RULE: Rule = Rule { code: Code::InputUnused, name: "input-unused", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for file in &repository.workflows {
        let text = file.source.text().to_ascii_lowercase();
        if reads_all(&file.sites) {
            continue;
        }
        for trigger in &file.workflow.triggers {
            // The payload of a dispatch has them too, and a script may read it.
            if trigger.event == "workflow_dispatch" && text.contains("github_event_path") {
                continue;
            }
            trigger.inputs.iter().filter(|input| !is_read(&text, input.name)).for_each(|input| {
                let literal = literal_instead(Owner::Workflow(file), input);
                found.push(unused(input, "the workflow", literal));
            });
        }
    }
    for file in repository.actions.iter().filter(|file| file.action.using == "composite") {
        if !reads_all(&file.sites) {
            let text = file.source.text().to_ascii_lowercase();
            let unread = file.action.inputs.iter().filter(|input| !is_read(&text, input.name));
            unread.for_each(|input| found.push(unused(input, "the action", None)));
        }
    }
}

/// Whether the text, in lower case, refers to the input in whatever way. Comments count: silence is better than a false
/// alarm.
fn is_read(lower: &str, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    lower.match_indices("inputs").any(|(at, word)| {
        let rest = &lower[at + word.len()..];
        if let Some(rest) = rest.strip_prefix('.') {
            return rest.strip_prefix(name.as_str()).is_some_and(ends);
        }
        let inside = rest.trim_start().strip_prefix('[').map(str::trim_start);
        let quoted = inside.and_then(|inside| inside.strip_prefix(['\'', '"']));
        quoted.and_then(|rest| rest.strip_prefix(name.as_str())).is_some_and(|rest| rest.starts_with(['\'', '"']))
    })
}

/// Whether an expression takes all inputs at once, or computes which.
fn reads_all(sites: &[Site<'_>]) -> bool {
    sites.iter().flat_map(Site::expressions).filter_map(|expression| expression.root()).any(takes_whole)
}

fn takes_whole(node: Node<'_>) -> bool {
    match node.reference() {
        Some(reference) => {
            let lower = reference.to_ascii_lowercase();
            matches!(lower.as_str(), "inputs" | "inputs.*" | "github" | "github.event" | "github.event.inputs")
        }
        None => node.children().any(takes_whole),
    }
}

/// A variable of the same name that is a literal: that is usually where the input should stand.
fn literal_instead(owner: Owner<'_, '_>, input: &Input<'_>) -> Option<(String, usize)> {
    let workflow = &owner.workflow()?.workflow;
    let wanted = input.name.to_ascii_uppercase().replace('-', "_");
    let levels = std::iter::once(workflow.env).chain(workflow.jobs.iter().map(|job| job.env)).flatten();
    let (key, _) = levels.flat_map(|level| level.entries()).find(|(key, _)| key.scalar_text() == Some(&wanted))?;
    Some((wanted, key.source().position(key.site().start).line))
}

fn unused(input: &Input<'_>, who: &str, literal: Option<(String, usize)>) -> Diagnostic {
    let message = format!("{who} never reads its input `{}`", input.name);
    let diagnostic = Diagnostic::warning(Code::InputUnused, message).at(input.site.source(), input.site.site());
    match literal {
        Some((variable, line)) => diagnostic.help(format!(
            "`{variable}` in line {line} is set to something else: is `${{{{ inputs.{} }}}}` meant?",
            input.name
        )),
        None => diagnostic.help("use it, or remove it here and where it is passed"),
    }
}
