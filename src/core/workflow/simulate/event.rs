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
pub(super) fn github(request: &Request, file: &str, workflow: &Workflow<'_>, inputs: Option<&Value>) -> Value {
    let known = |value: &Option<String>, name: &str| {
        value.as_ref().map_or_else(|| Value::unknown(format!("github.{name}")), |text| Value::text(text.as_str()))
    };
    let payload = &request.payload;
    let text = |value: &Json| value.as_str().map(str::to_owned);
    let git_ref = git_ref(request);
    let ref_name = git_ref.as_ref().map(|git_ref| {
        let prefixes = ["refs/heads/", "refs/tags/", "refs/pull/"];
        prefixes.iter().find_map(|prefix| git_ref.strip_prefix(prefix)).unwrap_or(git_ref).to_owned()
    });
    let ref_type = git_ref.as_ref().map(|git_ref| match git_ref.starts_with("refs/tags/") {
        true => "tag".to_owned(),
        false => "branch".to_owned(),
    });
    // Only pull requests have a head and a base.
    let branch = |side: &str| match &payload["pull_request"][side]["ref"] {
        Json::String(name) => Some(name.clone()),
        _ if request.event.starts_with("pull_request") => None,
        _ => Some(String::new()),
    };
    let sha = if request.event == "push" { text(&payload["after"]) } else { None };
    let name = workflow.name.and_then(NodeRef::scalar_text).filter(|name| !name.is_empty());
    let actor = request.actor.clone().or_else(|| text(&payload["sender"]["login"]));
    let repository = &payload["repository"];
    let mut github: Vec<(Arc<str>, Value)> = vec![
        ("event_name".into(), Value::text(request.event.as_str())),
        ("event".into(), event(request, workflow, inputs)),
        ("ref".into(), known(&git_ref, "ref")),
        ("ref_name".into(), known(&ref_name, "ref_name")),
        ("ref_type".into(), known(&ref_type, "ref_type")),
        ("head_ref".into(), known(&branch("head"), "head_ref")),
        ("base_ref".into(), known(&branch("base"), "base_ref")),
        ("sha".into(), known(&sha, "sha")),
        ("actor".into(), known(&actor, "actor")),
        ("repository".into(), known(&text(&repository["full_name"]), "repository")),
        ("repository_owner".into(), known(&text(&repository["owner"]["login"]), "repository_owner")),
        // Without a name it is called by its file.
        ("workflow".into(), Value::text(name.unwrap_or(file))),
    ];
    const UNKNOWN: [&str; 34] = [
        "action",
        "action_path",
        "action_ref",
        "action_repository",
        "action_status",
        "actor_id",
        "api_url",
        "artifact_cache_size_limit",
        "env",
        "event_path",
        "graphql_url",
        "job",
        "job_workflow_sha",
        "output",
        "path",
        "ref_protected",
        "repositoryUrl",
        "repository_id",
        "repository_owner_id",
        "repository_visibility",
        "retention_days",
        "run_attempt",
        "run_id",
        "run_number",
        "secret_source",
        "server_url",
        "state",
        "step_summary",
        "token",
        "triggering_actor",
        "workflow_ref",
        "workflow_sha",
        "workspace",
        "enterprise",
    ];
    github.extend(UNKNOWN.iter().map(|name| ((*name).into(), Value::unknown(format!("github.{name}")))));
    Value::Object(Object::new(github))
}

/// `github.ref`: what was given, or what the payload says of a push or a pull request.
fn git_ref(request: &Request) -> Option<String> {
    let of_payload = || match &*request.event {
        "push" => request.payload["ref"].as_str().map(str::to_owned),
        "pull_request" => request.payload["number"].as_u64().map(|number| format!("refs/pull/{number}/merge")),
        _ => None,
    };
    request.git_ref.clone().or_else(of_payload)
}

/// The payload. One that was given is whole; of one that was not, what GitHub sends for certain is unknown, so that a
/// label that is given does not make everything else look absent.
fn event(request: &Request, workflow: &Workflow<'_>, inputs: Option<&Value>) -> Value {
    let is_given = !request.payload.is_null();
    let mut members: Vec<(Arc<str>, Value)> = match Value::from(&request.payload) {
        Value::Object(payload) => payload.iter().map(|(name, value)| (name.into(), value.clone())).collect(),
        _ => match sent_with(&request.event) {
            Some(names) => unknown_members("github.event", COMMON)
                .into_iter()
                .chain(unknown_members("github.event", names))
                .collect(),
            None if request.labels.is_empty() => return Value::unknown("github.event"),
            None => unknown_members("github.event", COMMON),
        },
    };
    if !is_given && let Some(cron) = only_schedule(request, workflow) {
        members.push(("schedule".into(), Value::text(cron)));
    }
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

/// The cron line that started a scheduled run, where the workflow has only one.
fn only_schedule(request: &Request, workflow: &Workflow<'_>) -> Option<String> {
    let trigger = workflow.trigger("schedule").filter(|_| request.event == "schedule")?;
    let mut lines = trigger.filters?.items().filter_map(|entry| entry.get("cron")?.as_str());
    let only = lines.next()?;
    lines.next().is_none().then(|| only.to_owned())
}

/// What every payload may have.
const COMMON: &[&str] =
    &["action", "label", "number", "repository", "sender", "organization", "enterprise", "installation"];

/// What the payload of an event may have beside that; `None` where that is not listed here.
fn sent_with(event: &str) -> Option<&'static [&'static str]> {
    Some(match event {
        "push" => &[
            "ref",
            "before",
            "after",
            "created",
            "deleted",
            "forced",
            "base_ref",
            "compare",
            "commits",
            "head_commit",
            "pusher",
        ],
        "pull_request" | "pull_request_target" => &[
            "pull_request",
            "changes",
            "before",
            "after",
            "assignee",
            "milestone",
            "requested_reviewer",
            "requested_team",
            "reason",
        ],
        "schedule" => &["schedule", "workflow"],
        "workflow_dispatch" => &["inputs", "ref", "workflow"],
        _ => return None,
    })
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
    let pushed_ref = git_ref(request);
    let by_kind = match trigger.event {
        "push" => pushed_ref.as_deref().and_then(pushed),
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
