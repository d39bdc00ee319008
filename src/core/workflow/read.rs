//! From a YAML document to a [`Workflow`]. Everything that is wrong is reported.

use hashbrown::HashSet;

use super::keys::{self, check_keys, check_merge_keys, has_merge_key};
use super::model::{Call, Input, InputKind, Job, JobBody, Output, Step, Strategy, Trigger, Workflow};
use super::needs::check_needs;
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::schema::suggestion;
use crate::core::yaml::{Document, Kind, NodeRef};

/// The largest workflow file that GitHub takes.
pub const MAX_WORKFLOW_BYTES: usize = 1024 * 1024;

/// Reads a workflow. `None` when it is none; what is wrong inside one is reported and left out.
pub fn read_workflow<'d>(document: &'d Document, found: &mut Diagnostics) -> Option<Workflow<'d>> {
    let size = document.source().text().len();
    if size > MAX_WORKFLOW_BYTES {
        let message = format!("the workflow has {size} bytes, and GitHub takes {MAX_WORKFLOW_BYTES} at most");
        found.push(
            Diagnostic::error(Code::WorkflowLimit, message)
                .at(document.source(), 0..0)
                .help("move jobs into reusable workflows, and data into files"),
        );
        return None;
    }
    let root = document.root().filter(|root| matches!(root.kind(), Kind::Map));
    let jobs = root.and_then(|root| root.get("jobs"));
    let is_other = |root: NodeRef<'_>| root.get("on").is_none() && forge(root).is_some();
    let (Some(node), Some(jobs), false) = (root, jobs, root.is_some_and(is_other)) else {
        found.push(no_workflow(document, root));
        return None;
    };
    check_merge_keys(node, found);
    check_keys(node, "the workflow", keys::WORKFLOW, found);
    if matches!(jobs.kind(), Kind::Map) && jobs.entries().len() == 0 || jobs.is_null() {
        found.push(shape(jobs, "the workflow has no jobs").help("add at least one below `jobs`"));
    }
    let triggers = node.get("on").map(|on| read_triggers(on, found)).unwrap_or_default();
    if triggers.is_empty() && node.get("on").is_none_or(NodeRef::is_null) {
        let message = "the workflow has no `on`: nothing ever starts it";
        found.push(shape(node, message).help("add `on: push`, `on: workflow_call` or another event"));
    }
    let mut jobs: Vec<Job<'d>> =
        map_entries(Some(jobs)).filter_map(|(id, site, job)| read_job(id, site, job, found)).collect();
    check_needs(&mut jobs, found);
    Some(Workflow {
        node,
        name: node.get("name"),
        run_name: node.get("run-name"),
        triggers,
        env: node.get("env"),
        permissions: node.get("permissions"),
        concurrency: node.get("concurrency"),
        jobs,
    })
}

/// Whose file it is, by keys that GitHub does not have.
fn forge(root: NodeRef<'_>) -> Option<&'static str> {
    const SIGNS: [(&str, &[&str]); 9] = [
        ("GitLab's", &["stages"]),
        ("GitLab's", &["include", "image"]),
        ("Azure Pipelines'", &["pool"]),
        ("Azure Pipelines'", &["trigger"]),
        ("CircleCI's", &["orbs"]),
        ("CircleCI's", &["workflows"]),
        ("Bitbucket's", &["pipelines"]),
        ("Travis CI's", &["language", "script"]),
        ("Drone's", &["kind", "steps"]),
    ];
    let has_all = |keys: &[&str]| keys.iter().all(|key| root.get(key).is_some());
    SIGNS.iter().find(|(_, keys)| has_all(keys)).map(|(forge, _)| *forge)
}

fn no_workflow(document: &Document, root: Option<NodeRef<'_>>) -> Diagnostic {
    let has = |key: &str| root.is_some_and(|root| root.get(key).is_some());
    let lacks = if has("jobs") { "there is no `on`" } else { "there are no `jobs`" };
    let looks_like = match root.and_then(forge) {
        Some(forge) => format!(" (it looks like {forge})"),
        None if has("runs") => " (it is an action)".to_owned(),
        None => String::new(),
    };
    Diagnostic::error(Code::WorkflowShape, format!("this is no GitHub workflow: {lacks}{looks_like}"))
        .at(document.source(), root.map_or(0..0, |root| root.span().start..root.span().start))
        .help("a workflow has `on` and `jobs`")
}

pub(super) fn shape(node: NodeRef<'_>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::WorkflowShape, message).at(node.source(), first_line(node))
}

/// A caret under a whole mapping says nothing: its start does.
pub(super) fn first_line(node: NodeRef<'_>) -> std::ops::Range<usize> {
    let span = node.site();
    let text = &node.source().text()[span.clone()];
    span.start..span.start + text.find('\n').unwrap_or(text.len())
}

/// The entries of a mapping with text keys: name, where it stands, value.
pub(super) fn map_entries<'d>(node: Option<NodeRef<'d>>) -> impl Iterator<Item = (&'d str, NodeRef<'d>, NodeRef<'d>)> {
    node.into_iter().flat_map(NodeRef::entries).filter_map(|(key, value)| Some((key.scalar_text()?, key, value)))
}

fn read_triggers<'d>(on: NodeRef<'d>, found: &mut Diagnostics) -> Vec<Trigger<'d>> {
    let bare = |event: &'d str, site: NodeRef<'d>| Trigger {
        event,
        site,
        filters: None,
        inputs: vec![],
        secrets: vec![],
        outputs: vec![],
    };
    match on.kind() {
        Kind::Str(event) => vec![bare(event, on)],
        Kind::List => on.items().filter_map(|item| item.as_str().map(|event| bare(event, item))).collect(),
        Kind::Map => {
            map_entries(Some(on)).map(|(event, site, filters)| read_trigger(event, site, filters, found)).collect()
        }
        Kind::Null => vec![],
        _ => {
            found.push(shape(on, format!("`on` is {}, expected an event, a list or a mapping", on.type_name())));
            vec![]
        }
    }
}

fn read_trigger<'d>(event: &'d str, site: NodeRef<'d>, filters: NodeRef<'d>, found: &mut Diagnostics) -> Trigger<'d> {
    let is_true = |node: Option<NodeRef<'_>>| node.is_some_and(|node| matches!(node.kind(), Kind::Bool(true)));
    let secrets = map_entries(filters.get("secrets")).map(|(name, _, secret)| (name, is_true(secret.get("required"))));
    let outputs = map_entries(filters.get("outputs"))
        .filter_map(|(name, _, output)| Some(Output { name, value: output.get("value")? }))
        .collect();
    let mut inputs = Vec::new();
    for (name, site, input) in map_entries(filters.get("inputs")) {
        inputs.push(Input {
            name,
            site,
            kind: input_kind(input.get("type"), found),
            required: is_true(input.get("required")),
            default: input.get("default").filter(|default| !default.is_null()),
            options: input.get("options"),
        });
    }
    Trigger { event, site, filters: Some(filters), inputs, secrets: secrets.collect(), outputs }
}

fn input_kind(node: Option<NodeRef<'_>>, found: &mut Diagnostics) -> InputKind {
    const KINDS: [(&str, InputKind); 5] = [
        ("string", InputKind::Text),
        ("number", InputKind::Number),
        ("boolean", InputKind::Boolean),
        ("choice", InputKind::Choice),
        ("environment", InputKind::Environment),
    ];
    let Some(node) = node.filter(|node| !node.is_null()) else { return InputKind::Text };
    let word = node.scalar_text().unwrap_or_default();
    if let Some((_, kind)) = KINDS.iter().find(|(name, _)| *name == word) {
        return *kind;
    }
    let names = KINDS.map(|(name, _)| name);
    let diagnostic = shape(node, format!("the input type `{word}` is none of {}", names.join(", ")));
    found.push(match suggestion(word, names) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help("use one of them"),
    });
    InputKind::Text
}

fn read_job<'d>(id: &'d str, site: NodeRef<'d>, node: NodeRef<'d>, found: &mut Diagnostics) -> Option<Job<'d>> {
    if !matches!(node.kind(), Kind::Map) {
        found.push(shape(site, format!("the job `{id}` is {}, expected a mapping", node.type_name())));
        return None;
    }
    if !is_id(id) {
        let message = format!("`{id}` is no name for a job");
        found.push(shape(site, message).help("letters, digits, `-` and `_`, the first a letter or `_`"));
    }
    let whole = format!("the job `{id}`");
    let body = match (node.get("uses"), node.get("steps")) {
        (Some(uses), None) => {
            check_call_keys(node, &whole, found);
            JobBody::Call(read_call(uses, node, found)?)
        }
        (None, Some(steps)) => {
            check_keys(node, &whole, keys::JOB_WITH_STEPS, found);
            JobBody::Steps(read_steps(steps, found))
        }
        (None, None) if has_merge_key(node) => return None,
        (uses, _) => {
            let message = match uses {
                Some(_) => format!("the job `{id}` has both `uses` and `steps`"),
                None => format!("the job `{id}` has neither `steps` nor `uses`"),
            };
            found.push(shape(site, message).help("a job runs steps, or calls a reusable workflow"));
            return None;
        }
    };
    if matches!(body, JobBody::Steps(_)) && node.get("runs-on").is_none() && !has_merge_key(node) {
        found.push(shape(site, format!("the job `{id}` has no `runs-on`")).help("add the labels of the runner"));
    }
    let strategy = node.get("strategy").map(|strategy| Strategy {
        node: strategy,
        matrix: strategy.get("matrix"),
        fail_fast: strategy.get("fail-fast"),
        max_parallel: strategy.get("max-parallel"),
    });
    Some(Job {
        id,
        site,
        node,
        name: node.get("name"),
        needs: read_needs(node.get("needs"), found),
        condition: node.get("if"),
        strategy,
        runs_on: node.get("runs-on"),
        env: node.get("env"),
        outputs: map_entries(node.get("outputs")).map(|(name, _, value)| Output { name, value }).collect(),
        body,
    })
}

fn read_call<'d>(uses: NodeRef<'d>, job: NodeRef<'d>, found: &mut Diagnostics) -> Option<Call<'d>> {
    let Some(name) = uses.as_str() else {
        found.push(shape(uses, format!("`uses` is {}, expected a text", uses.type_name())));
        return None;
    };
    let with = map_entries(job.get("with")).collect();
    Some(Call { uses: name, site: uses, with, secrets: job.get("secrets") })
}

/// Ids of jobs and steps: others are refused.
fn is_id(id: &str) -> bool {
    let mut bytes = id.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// A job that calls a workflow takes few keys; those of a job with steps are refused beside `uses`.
fn check_call_keys(node: NodeRef<'_>, whole: &str, found: &mut Diagnostics) {
    let known = |keys: &[(&'static str, keys::Takes)], key: &str| keys.iter().any(|(name, _)| *name == key);
    for (key, site, _) in map_entries(Some(node)) {
        if known(keys::JOB_WITH_STEPS, key) && !known(keys::JOB_WITH_CALL, key) {
            let message = format!("`{key}` does not go with `uses`: {whole} calls a workflow, which sets its own");
            found.push(shape(site, message).help(format!("remove `{key}`, or pass it as an input")));
        }
    }
    check_keys(node, whole, keys::JOB_WITH_CALL, found);
}

fn read_needs<'d>(node: Option<NodeRef<'d>>, found: &mut Diagnostics) -> Vec<(&'d str, NodeRef<'d>)> {
    let Some(node) = node else { return vec![] };
    let items = match node.kind() {
        Kind::List => node.items().collect(),
        // Reported with the other keys.
        Kind::Map | Kind::Null => vec![],
        _ => vec![node],
    };
    let mut needs = Vec::with_capacity(items.len());
    for item in items {
        match item.scalar_text() {
            Some(name) => needs.push((name, item)),
            None => found.push(shape(item, format!("a need is {}, expected the id of a job", item.type_name()))),
        }
    }
    needs
}

/// Reads a list of steps.
pub(super) fn read_steps<'d>(steps: NodeRef<'d>, found: &mut Diagnostics) -> Vec<Step<'d>> {
    if !matches!(steps.kind(), Kind::List) {
        found.push(shape(steps, format!("`steps` is {}, expected a list", steps.type_name())));
        return vec![];
    }
    let mut read: Vec<Step<'d>> = Vec::new();
    let mut ids: HashSet<String> = HashSet::new();
    for node in steps.items() {
        if !matches!(node.kind(), Kind::Map) {
            found.push(shape(node, format!("the step is {}, expected a mapping", node.type_name())));
            continue;
        }
        check_step(node, &mut ids, found);
        read.push(Step {
            node,
            id: node.get("id").and_then(NodeRef::as_str),
            name: node.get("name"),
            condition: node.get("if"),
            uses: node.get("uses"),
            run: node.get("run"),
            with: node.get("with"),
            env: node.get("env"),
            looks_back: looks_back(node),
            timeout_minutes: node.get("timeout-minutes"),
            continue_on_error: node.get("continue-on-error"),
        });
    }
    read
}

/// Whether an expression of a step may name `steps`. What an alias stands for is written elsewhere.
fn looks_back(step: NodeRef<'_>) -> bool {
    let text = &step.source().text().as_bytes()[step.span()];
    text.contains(&b'*') || text.windows(5).any(|word| word.eq_ignore_ascii_case(b"steps"))
}

/// A step runs a script or uses an action, and its id is its own.
fn check_step(node: NodeRef<'_>, ids: &mut HashSet<String>, found: &mut Diagnostics) {
    check_keys(node, "a step", keys::STEP, found);
    match (node.entry("uses"), node.entry("run")) {
        (Some((site, _)), Some(_)) => {
            found.push(shape(site, "the step has both `uses` and `run`").help("make two steps of it"));
        }
        (None, None) if !has_merge_key(node) => {
            found.push(
                shape(node, "the step has neither `uses` nor `run`").help("a step runs a script, or uses an action"),
            );
        }
        (None, Some(_)) => {
            if let Some((site, _)) = node.entry("with") {
                found.push(shape(site, "`with` goes with `uses` only").help("give a script its values through `env`"));
            }
        }
        _ => {}
    }
    let Some(id) = node.get("id") else { return };
    let Some(name) = id.scalar_text() else { return };
    if !is_id(name) {
        let help = "letters, digits, `-` and `_`, the first a letter or `_`";
        found.push(shape(id, format!("`{name}` is no name for a step")).help(help));
    } else if !ids.insert(name.to_ascii_lowercase()) {
        found.push(shape(id, format!("two steps have the id `{name}`")).help("give each its own"));
    }
}
