//! A field of the matrix that no row has: it is the empty text on every leg.

use super::super::matrix::{MatrixVector, field_names, follow, is_field};
use super::super::repository::WorkflowFile;
use super::super::{Findings, Repository, Slot};
use super::Rule;
use crate::core::diag::{Code, Diagnostic, Severity};
use crate::core::schema::suggestion;
use crate::core::yaml::{Kind, NodeRef};

pub(super) const RULE: Rule = Rule { code: Code::MatrixFieldUnknown, name: "matrix-field-unknown", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for file in &repository.workflows {
        for used in file.matrix_uses() {
            let Some(first) = used.path.first().filter(|first| *first != "*") else { continue };
            let job = &file.workflow.jobs[used.job];
            let has_matrix = job.strategy.is_some_and(|strategy| strategy.matrix.is_some());
            let site = &file.sites[used.site];
            // That conditions of jobs see no matrix at all is another rule's business.
            if !has_matrix && site.slot != Slot::JobIf {
                let message =
                    format!("the job `{}` has no matrix, so `matrix.{}` is empty", job.id, used.path.join("."));
                let diagnostic = Diagnostic::error(Code::MatrixFieldUnknown, message);
                found.push(diagnostic.at(site.source(), site.locate(used.span.clone())).help(help_without(file)));
            }
            let Some(vector) = MatrixVector::of(repository, file, job, first) else { continue };
            let Some((what, near)) = unknown(&vector, &used.path) else { continue };
            let message = format!("no leg has `matrix.{what}`, so this is empty");
            let mut diagnostic = Diagnostic::error(Code::MatrixFieldUnknown, message);
            if near.is_none() {
                // Without a name that is meant instead, somebody else may add the field.
                diagnostic.severity = Severity::Warning;
            }
            diagnostic = diagnostic.at(site.source(), site.locate(used.span.clone()));
            found.push(match near {
                Some(near) => diagnostic.help(format!("did you mean `matrix.{near}`?")),
                None => diagnostic.help("add the field where the matrix is made, or remove it here"),
            });
        }
    }
}

/// A called workflow does not see the matrix of its caller.
fn help_without(file: &WorkflowFile<'_>) -> &'static str {
    match file.workflow.trigger("workflow_call") {
        Some(_) => "a called workflow does not see the matrix of its caller: declare an input and pass the value",
        None => "add `strategy.matrix` to the job, or pass the value in another way",
    }
}

/// The path that leads nowhere, and the nearest that leads somewhere; `None` when all is well or unknown.
fn unknown(vector: &MatrixVector<'_, '_>, path: &[String]) -> Option<(String, Option<String>)> {
    let whole = |below: &str| format!("{}.{below}", path[0]);
    match vector {
        MatrixVector::Missing(names) => {
            let near = suggestion(&path[0], names.iter().copied()).map(str::to_owned);
            Some((path[0].clone(), near))
        }
        MatrixVector::Written(items) => {
            let steps: Vec<&str> = path[1..].iter().map(String::as_str).collect();
            // Only where every leg is written out as a mapping without expressions.
            let is_plain = |item: &NodeRef<'_>| matches!(item.kind(), Kind::Map);
            if steps.is_empty() || steps.contains(&"*") || items.is_empty() || !items.iter().all(is_plain) {
                return None;
            }
            if items.iter().any(|item| leads_somewhere(*item, &steps)) {
                return None;
            }
            let names = items.iter().flat_map(|item| item.entries()).filter_map(|(key, _)| key.scalar_text());
            let near = suggestion(steps[0], names).filter(|near| *near != steps[0]).map(whole);
            Some((path.join("."), near))
        }
        MatrixVector::Rows { rows, depth, .. } => {
            let field = path.get(*depth).filter(|field| *field != "*")?;
            if is_field(field) || rows.iter().any(|row| row.get(field).is_some()) {
                return None;
            }
            let of_rows = rows.iter().take(1).flat_map(|row| row.fields()).map(|(name, _)| *name);
            let near = suggestion(field, of_rows.chain(field_names()));
            let near = near.map(|near| if *depth == 0 { near.to_owned() } else { whole(near) });
            Some((path[..=*depth].join("."), near))
        }
    }
}

/// Whether a path ends at a value, or at an expression on the way, of which nobody knows what it gives.
fn leads_somewhere(item: NodeRef<'_>, steps: &[&str]) -> bool {
    (1..=steps.len()).any(|length| {
        follow(item, &steps[..length]).is_some_and(|value| {
            length == steps.len() || value.as_str().is_some_and(|text| text.contains("${{")) || value.is_null()
        })
    })
}
