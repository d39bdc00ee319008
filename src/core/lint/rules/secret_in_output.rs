//! Secrets that leave a job as an output.

use super::super::{Findings, Repository, Slot};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Allowed, Node, NodeKind, Template};
use crate::core::workflow::{Job, JobBody, Step};
use crate::core::yaml::NodeRef;

pub(super) const RULE: Rule = Rule { code: Code::SecretToOutput, name: "secret-in-output", check };

const HELP: &str = "read the secret in the job that needs it: GitHub drops an output that holds one";

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for (_, site) in repository.sites() {
        let is_output = matches!(site.slot, Slot::JobOutput | Slot::CallOutput | Slot::ActionOutput);
        for node in site.expressions().filter(|_| is_output).filter_map(|expression| secret_in(expression.root()?)) {
            let message = format!("the output `{}` holds `{}`", site.name, node.text());
            found.push(
                Diagnostic::error(Code::SecretToOutput, message).at(site.source(), site.locate(node.span())).help(HELP),
            );
        }
    }
    for file in &repository.workflows {
        for job in &file.workflow.jobs {
            if let JobBody::Steps(steps) = &job.body {
                let outer = [file.workflow.env, job.env];
                steps.iter().filter(|step| is_read(job, step)).for_each(|step| step_writes(step, &outer, found));
            }
        }
    }
}

/// The part of an expression that carries a secret into its value. A comparison tells nothing of it.
fn secret_in(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        NodeKind::Compare(_) | NodeKind::Not => None,
        NodeKind::And => node.children().last().and_then(secret_in),
        NodeKind::Name if node.text().eq_ignore_ascii_case("secrets") => Some(node),
        NodeKind::Index => {
            let reference = node.reference()?.to_ascii_lowercase();
            (reference.starts_with("secrets.") || reference == "github.token").then_some(node)
        }
        _ => node.children().find_map(secret_in),
    }
}

/// Whether an output of the job comes from this step.
fn is_read(job: &Job<'_>, step: &Step<'_>) -> bool {
    let Some(id) = step.id else { return false };
    let wanted = format!("steps.{}.", id.to_ascii_lowercase());
    job.outputs
        .iter()
        .any(|output| output.value.scalar_text().is_some_and(|text| text.to_ascii_lowercase().contains(&wanted)))
}

/// Lines of a script that write a variable with a secret to the outputs.
fn step_writes(step: &Step<'_>, outer: &[Option<NodeRef<'_>>], found: &mut Findings) {
    let Some(run) = step.run else { return };
    let script = run.scalar_text().unwrap_or_default();
    let levels = outer.iter().copied().chain([step.env]).flatten();
    let secrets: Vec<&str> = levels
        .flat_map(NodeRef::entries)
        .filter(|(_, value)| value.as_str().is_some_and(holds_secret))
        .filter_map(|(key, _)| key.scalar_text())
        .collect();
    let mut start = 0;
    for line in script.split_inclusive('\n') {
        if is_output_line(line) {
            let variable = secrets.iter().find_map(|name| Some((name, variable_at(line, name)?)));
            if let Some((name, at)) = variable {
                let message =
                    format!("the secret in `{name}` is written to the outputs of the step, and the job passes them on");
                let span = start + at..start + at + name.len();
                found.push(
                    Diagnostic::error(Code::SecretToOutput, message).at(run.source(), run.locate(span)).help(HELP),
                );
            }
        }
        if let Some(at) = line.find("secrets.").filter(|_| is_output_line(line) && line.contains("${{")) {
            let span = start + at..start + at + "secrets.".len();
            let message = "a secret is written to the outputs of the step, and the job passes them on";
            found.push(Diagnostic::error(Code::SecretToOutput, message).at(run.source(), run.locate(span)).help(HELP));
        }
        start += line.len();
    }
}

fn is_output_line(line: &str) -> bool {
    line.contains("GITHUB_OUTPUT") && !line.trim_start().starts_with('#')
}

fn holds_secret(text: &str) -> bool {
    text.contains("${{")
        && Template::parse(text, &Allowed::ANYTHING).is_ok_and(|template| {
            template.expressions().filter_map(|expr| expr.root()).any(|root| secret_in(root).is_some())
        })
}

/// Where `$NAME` or `${NAME…}` stands in a line: the offset of the name. `${#NAME}` and `${NAME:+…}` tell nothing of it.
fn variable_at(line: &str, name: &str) -> Option<usize> {
    line.match_indices(name).map(|(at, _)| at).find(|&at| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let ends = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        ends && (before.ends_with('$') || before.ends_with("${") && !after.starts_with(":+") && !after.starts_with('+'))
    })
}
