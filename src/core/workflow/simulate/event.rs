//! What happened: the `github` context, and whether the filters of the trigger let the event through.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::Request;
use super::pattern::takes;
use crate::core::diag::{Code, Diagnostic, Severity};
use crate::core::expr::{Object, Value};
use crate::core::workflow::{Trigger, Workflow};
use crate::core::yaml::{Kind, NodeRef};

/// The `github` context, with the inputs of a dispatch if it is one.
pub(super) fn github(request: &Request, workflow: &Workflow<'_>, inputs: Option<&Value>) -> Value {
    let known = |value: &Option<String>, name: &str| {
        value.as_ref().map_or_else(|| Value::unknown(format!("github.{name}")), |text| Value::text(text.as_str()))
    };
    let ref_name = request.git_ref.as_ref().map(|git_ref| {
        let short = git_ref.strip_prefix("refs/heads/").or_else(|| git_ref.strip_prefix("refs/tags/"));
        short.unwrap_or(git_ref).to_owned()
    });
    // Only pull requests have a head and a base.
    let branch = |side: &str| match &request.payload["pull_request"][side]["ref"] {
        Json::String(name) => Some(name.clone()),
        _ if request.event.starts_with("pull_request") => None,
        _ => Some(String::new()),
    };
    let name = workflow.name.and_then(NodeRef::as_str).unwrap_or_default();
    let mut github: Vec<(Arc<str>, Value)> = vec![
        ("event_name".into(), Value::text(request.event.as_str())),
        ("event".into(), event(request, inputs)),
        ("ref".into(), known(&request.git_ref, "ref")),
        ("ref_name".into(), known(&ref_name, "ref_name")),
        ("head_ref".into(), known(&branch("head"), "head_ref")),
        ("base_ref".into(), known(&branch("base"), "base_ref")),
        ("actor".into(), known(&request.actor, "actor")),
        ("workflow".into(), Value::text(name)),
    ];
    const UNKNOWN: [&str; 15] = [
        "sha",
        "repository",
        "repository_owner",
        "run_id",
        "run_number",
        "run_attempt",
        "token",
        "triggering_actor",
        "workspace",
        "server_url",
        "api_url",
        "workflow_ref",
        "workflow_sha",
        "ref_type",
        "job",
    ];
    github.extend(UNKNOWN.iter().map(|name| ((*name).into(), Value::unknown(format!("github.{name}")))));
    Value::Object(Object::new(github))
}

/// The payload. One that was given is whole; of one that was not, what GitHub sends for certain is unknown, so that a
/// label that is given does not make everything else look absent.
fn event(request: &Request, inputs: Option<&Value>) -> Value {
    let is_given = !request.payload.is_null();
    if !is_given && request.labels.is_empty() && inputs.is_none() {
        return Value::unknown("github.event");
    }
    let mut members: Vec<(Arc<str>, Value)> = match Value::from(&request.payload) {
        Value::Object(payload) => payload.iter().map(|(name, value)| (name.into(), value.clone())).collect(),
        _ => unknown_members("github.event", &["action", "label", "number", "repository", "sender", "organization"]),
    };
    if !request.labels.is_empty() {
        let mut pull_request = match Value::from(&request.payload["pull_request"]) {
            Value::Object(known) => known.iter().map(|(name, value)| (name.into(), value.clone())).collect(),
            _ if is_given => vec![],
            _ => unknown_members("github.event.pull_request", &PULL_REQUEST),
        };
        let labels: Vec<Json> = request.labels.iter().map(|name| json!({"name": name})).collect();
        pull_request.push(("labels".into(), Value::from(&json!(labels))));
        members.push(("pull_request".into(), Value::Object(Object::new(pull_request))));
    }
    if let Some(Value::Object(inputs)) = inputs {
        // The payload has them as texts, whatever they are declared to be.
        let texts = inputs.iter().map(|(name, value)| {
            let text = value.to_text().map_or_else(Value::Unknown, |text| Value::text(&*text));
            (Arc::from(name), text)
        });
        members.push(("inputs".into(), Value::Object(Object::new(texts.collect::<Vec<_>>()))));
    }
    Value::Object(Object::new(members))
}

const PULL_REQUEST: [&str; 16] = [
    "additions",
    "author_association",
    "base",
    "body",
    "changed_files",
    "draft",
    "head",
    "html_url",
    "id",
    "mergeable",
    "merged",
    "number",
    "state",
    "title",
    "user",
    "url",
];

fn unknown_members(path: &str, names: &[&str]) -> Vec<(Arc<str>, Value)> {
    names.iter().map(|name| ((*name).into(), Value::unknown(format!("{path}.{name}")))).collect()
}

/// The filter that leaves this event out, as a note; `None` when all let it through, as far as that is known.
pub(super) fn left_out(trigger: &Trigger<'_>, request: &Request) -> Option<Diagnostic> {
    let filters = trigger.filters?;
    let payload = &request.payload;
    let say = |node: NodeRef<'_>, message: String| {
        Diagnostic::new(Code::WorkflowEvent, Severity::Note, message).at(node.source(), node.site())
    };
    if let Some(action) = payload["action"].as_str() {
        let types = filters.get("types").filter(|types| !types.is_null());
        let default = ["opened", "synchronize", "reopened"];
        let is_default = types.is_none() && matches!(trigger.event, "pull_request" | "pull_request_target");
        let passes = match types {
            Some(types) => texts(types).any(|known| known == action),
            None => !is_default || default.contains(&action),
        };
        if !passes {
            let types = types.map_or_else(|| default.join(", "), |types| texts(types).collect::<Vec<_>>().join(", "));
            let message = format!("{} starts nothing: its action is `{action}`, the types are {types}", trigger.event);
            return Some(say(filters.entry("types").map_or(trigger.site, |(key, _)| key), message));
        }
    }
    let by_kind = match trigger.event {
        "push" => request.git_ref.as_deref().or_else(|| payload["ref"].as_str()).and_then(pushed),
        "pull_request" | "pull_request_target" => {
            payload["pull_request"]["base"]["ref"].as_str().map(|name| ("branches", name))
        }
        "workflow_run" => payload["workflow_run"]["head_branch"].as_str().map(|name| ("branches", name)),
        _ => None,
    };
    if let Some((kind, name)) = by_kind
        && let Some((node, why)) = refused_ref(filters, kind, name)
    {
        return Some(say(node, format!("{} starts nothing: {why}", trigger.event)));
    }
    // Tags have no paths to compare.
    if by_kind.is_some_and(|(kind, _)| kind == "tags") {
        return None;
    }
    let files = changed_files(payload)?;
    let (node, why) = refused_paths(filters, &files)?;
    Some(say(node, format!("{} starts nothing: {why}", trigger.event)))
}

/// What was pushed; `None` for what is neither a branch nor a tag.
fn pushed(git_ref: &str) -> Option<(&'static str, &str)> {
    match (git_ref.strip_prefix("refs/heads/"), git_ref.strip_prefix("refs/tags/")) {
        (Some(branch), _) => Some(("branches", branch)),
        (_, Some(tag)) => Some(("tags", tag)),
        // A short name, as people write it, is a branch.
        _ => (!git_ref.starts_with("refs/")).then_some(("branches", git_ref)),
    }
}

fn refused_ref<'d>(filters: NodeRef<'d>, kind: &'static str, name: &str) -> Option<(NodeRef<'d>, String)> {
    let (ignore, other) = if kind == "branches" { ("branches-ignore", "tags") } else { ("tags-ignore", "branches") };
    let word = if kind == "branches" { "branch" } else { "tag" };
    if let Some((key, patterns)) = filters.entry(kind) {
        let why = || format!("`{kind}` does not have the {word} {name}");
        return (!takes(texts(patterns), name)).then(|| (key, why()));
    }
    if let Some((key, patterns)) = filters.entry(ignore) {
        let why = || format!("`{ignore}` has the {word} {name}");
        return takes(texts(patterns), name).then(|| (key, why()));
    }
    // A filter of branches alone leaves out all tags, and the other way round.
    let other_ignore = if other == "tags" { "tags-ignore" } else { "branches-ignore" };
    let (key, _) = filters.entry(other).or_else(|| filters.entry(other_ignore))?;
    Some((key, format!("only {other} are listed, and {name} is a {word}")))
}

/// The files that a push changes, where the payload lists them.
fn changed_files(payload: &Json) -> Option<Vec<&str>> {
    let commits = payload["commits"].as_array()?;
    let mut files = Vec::new();
    for commit in commits {
        let lists = ["added", "modified", "removed"].map(|list| commit[list].as_array());
        if lists.iter().all(Option::is_none) {
            return None;
        }
        files.extend(lists.into_iter().flatten().flatten().filter_map(Json::as_str));
    }
    (!files.is_empty()).then_some(files)
}

fn refused_paths<'d>(filters: NodeRef<'d>, files: &[&str]) -> Option<(NodeRef<'d>, String)> {
    if let Some((key, patterns)) = filters.entry("paths") {
        let taken = files.iter().any(|file| takes(texts(patterns), file));
        return (!taken).then(|| (key, format!("`paths` has none of the {} changed files", files.len())));
    }
    let (key, patterns) = filters.entry("paths-ignore")?;
    let ignored = files.iter().all(|file| takes(texts(patterns), file));
    ignored.then(|| (key, format!("`paths-ignore` has all of the {} changed files", files.len())))
}

/// The texts of a list, or the one text that stands in its place.
fn texts<'d>(node: NodeRef<'d>) -> impl Iterator<Item = &'d str> {
    let single = matches!(node.kind(), Kind::Str(_)).then_some(node);
    single.into_iter().chain(node.items()).filter_map(NodeRef::scalar_text)
}
