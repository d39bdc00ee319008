//! Labels that no runner carries.

use hashbrown::{HashMap, HashSet};

use super::super::fleet::{labels, runners_of_configs};
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Allowed, Template};
use crate::core::schema::suggestion;
use crate::core::workflow::{Job, JobBody};
use crate::core::yaml::{Kind, NodeRef};

pub(super) const RULE: Rule = Rule { code: Code::LabelUnknown, name: "label-unknown", check };

/// The prefix of labels that name one cluster.
const CLUSTER: &str = "cluster:";
/// Labels that every self-hosted runner may have.
const USUAL: [&str; 9] = ["self-hosted", "linux", "windows", "macos", "x64", "x86", "arm", "arm64", "gpu"];
/// Starts of the labels that GitHub runs itself.
const HOSTED: [&str; 4] = ["ubuntu", "windows", "macos", "linux"];

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let labels = labels(repository);
    if labels.is_empty() {
        return;
    }
    let file = repository.runners_document().map_or("", |document| document.source().name());
    let mut known: HashSet<String> = HashSet::new();
    for label in &labels {
        known.insert(label.name.to_ascii_lowercase());
        known.extend(label.runners.iter().map(|(runner, _)| runner.to_ascii_lowercase()));
    }
    let names: Vec<&str> = labels.iter().map(|label| label.name).collect();
    let mut nearest: HashMap<String, Option<&str>> = HashMap::new();
    let mut near =
        |name: &str| *nearest.entry(name.to_owned()).or_insert_with(|| suggestion(name, names.iter().copied()));
    let unknown = |name: &str, node: NodeRef<'_>, near: Option<&str>| {
        let message = format!("no runner of {file} carries the label `{name}`");
        let diagnostic = Diagnostic::error(Code::LabelUnknown, message).at(node.source(), node.site());
        match near {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => {
                diagnostic.help("add the label with its runners, or correct the name: its jobs would wait for ever")
            }
        }
    };
    for (name, node) in runners_of_configs(repository) {
        if !known.contains(&name.to_ascii_lowercase()) {
            found.push(unknown(name, node, near(name)));
        }
    }
    for file in &repository.workflows {
        for input in file.workflow.triggers.iter().flat_map(|trigger| &trigger.inputs) {
            for option in input.options.into_iter().flat_map(NodeRef::items) {
                let Some(name) = option.as_str().filter(|text| is_cluster(text)) else { continue };
                if !known.contains(&name.to_ascii_lowercase()) {
                    found.push(unknown(name, option, near(name)));
                }
            }
        }
        for job in &file.workflow.jobs {
            for label in job.runs_on.map(|runs_on| labels_of(job, runs_on)).unwrap_or_default() {
                let lower = label.name.to_ascii_lowercase();
                let is_usual = USUAL.contains(&lower.as_str()) || HOSTED.iter().any(|hosted| lower.starts_with(hosted));
                if is_usual || known.contains(&lower) {
                    continue;
                }
                // Of other labels nobody knows whether runners beside those of the file carry them.
                let near = near(label.name);
                if lower.starts_with(CLUSTER) || near.is_some() {
                    found.push(unknown(label.name, label.node, near));
                }
            }
            if let JobBody::Call(call) = &job.body {
                for (.., value) in &call.with {
                    let Some(name) = value.as_str().filter(|text| is_cluster(text)) else { continue };
                    if !known.contains(&name.to_ascii_lowercase()) {
                        found.push(unknown(name, *value, near(name)));
                    }
                }
            }
        }
    }
}

struct Asked<'d> {
    name: &'d str,
    node: NodeRef<'d>,
}

/// The labels that are written out in `runs-on`, or in the vector of the matrix that it names.
fn labels_of<'d>(job: &Job<'d>, node: NodeRef<'d>) -> Vec<Asked<'d>> {
    match node.kind() {
        Kind::Str(text) if text.contains("${{") => {
            let matrix = job.strategy.and_then(|strategy| strategy.matrix);
            let Some((matrix, path)) = matrix.zip(matrix_path(text)) else { return vec![] };
            let mut keys = path.split('.');
            let Some(vector) = keys.next() else { return vec![] };
            let written = matrix.get(vector).into_iter().flat_map(NodeRef::items);
            let included = matrix.get("include").into_iter().flat_map(NodeRef::items);
            let all = written.chain(included.filter_map(|entry| entry.get(vector)));
            let inside = all.filter_map(|item| keys.clone().try_fold(item, |node, key| node.get(key)));
            inside
                .filter(|item| item.as_str().is_some_and(|text| !text.contains("${{")))
                .flat_map(|item| labels_of(job, item))
                .collect()
        }
        Kind::Str(name) if !name.contains("${{") => vec![Asked { name, node }],
        Kind::List => node.items().flat_map(|item| labels_of(job, item)).collect(),
        // `group` and `labels`; with a group the labels are those of its runners, of which nobody knows here.
        Kind::Map if node.get("group").is_none() => {
            node.get("labels").map(|labels| labels_of(job, labels)).unwrap_or_default()
        }
        _ => vec![],
    }
}

/// The vector of the matrix that an expression is, and the keys that lead into its values.
fn matrix_path(text: &str) -> Option<String> {
    let template = Template::parse(text, &Allowed::ANYTHING).ok()?;
    let reference = template.as_expression()?.root()?.reference()?;
    reference.strip_prefix("matrix.").map(str::to_owned)
}

/// Whether a text is a label of one cluster and nothing else.
fn is_cluster(text: &str) -> bool {
    text.strip_prefix(CLUSTER).is_some_and(|rest| {
        !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    })
}
