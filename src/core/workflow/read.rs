//! From a YAML document to a [`Workflow`]. Everything that is wrong is reported.

use hashbrown::HashMap;

use super::model::{Call, Input, InputKind, Job, JobBody, Output, Step, Strategy, Trigger, Workflow};
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::schema::suggestion;
use crate::core::yaml::{Document, Kind, NodeRef};

/// Reads a workflow. `None` when it is none; what is wrong inside one is reported and left out.
pub fn read_workflow<'d>(document: &'d Document, found: &mut Diagnostics) -> Option<Workflow<'d>> {
    let root = document.root().filter(|root| matches!(root.kind(), Kind::Map));
    let jobs = root.and_then(|root| root.get("jobs"));
    let (Some(node), Some(jobs)) = (root, jobs) else {
        found.push(no_workflow(document, root));
        return None;
    };
    let triggers = node.get("on").map(|on| read_triggers(on, found)).unwrap_or_default();
    if triggers.is_empty() {
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

fn no_workflow(document: &Document, root: Option<NodeRef<'_>>) -> Diagnostic {
    let has = |key: &str| root.is_some_and(|root| root.get(key).is_some());
    let forge = if has("stages") || has("include") && has("image") {
        " (it looks like GitLab's)"
    } else if has("pool") || has("trigger") {
        " (it looks like Azure Pipelines')"
    } else if has("orbs") || has("workflows") {
        " (it looks like CircleCI's)"
    } else if has("runs") {
        " (it is an action)"
    } else {
        ""
    };
    Diagnostic::error(Code::WorkflowShape, format!("this is no GitHub workflow: there are no `jobs`{forge}"))
        .at(document.source(), root.map_or(0..0, |root| root.span().start..root.span().start))
        .help("a workflow has `on` and `jobs`")
}

fn shape(node: NodeRef<'_>, message: impl Into<String>) -> Diagnostic {
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
    let body = match (node.get("uses"), node.get("steps")) {
        (Some(uses), None) => JobBody::Call(read_call(uses, node, found)?),
        (None, Some(steps)) => JobBody::Steps(read_steps(steps, found)),
        (uses, _) => {
            let message = match uses {
                Some(_) => format!("the job `{id}` has both `uses` and `steps`"),
                None => format!("the job `{id}` has neither `steps` nor `uses`"),
            };
            found.push(shape(site, message).help("a job runs steps, or calls a reusable workflow"));
            return None;
        }
    };
    if matches!(body, JobBody::Steps(_)) && node.get("runs-on").is_none() {
        found.push(shape(site, format!("the job `{id}` has no `runs-on`")).help("add the labels of the runner"));
    }
    let strategy = node.get("strategy").map(|strategy| Strategy {
        matrix: strategy.get("matrix"),
        fail_fast: strategy.get("fail-fast"),
        max_parallel: strategy.get("max-parallel"),
    });
    Some(Job {
        id,
        site,
        node,
        name: node.get("name"),
        needs: read_needs(node.get("needs")),
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

fn read_needs(node: Option<NodeRef<'_>>) -> Vec<(&str, NodeRef<'_>)> {
    let Some(node) = node else { return vec![] };
    match node.kind() {
        Kind::Str(one) => vec![(one, node)],
        _ => node.items().filter_map(|item| item.as_str().map(|name| (name, item))).collect(),
    }
}

/// Reads a list of steps.
pub(super) fn read_steps<'d>(steps: NodeRef<'d>, found: &mut Diagnostics) -> Vec<Step<'d>> {
    if !matches!(steps.kind(), Kind::List) {
        found.push(shape(steps, format!("`steps` is {}, expected a list", steps.type_name())));
        return vec![];
    }
    let mut read = Vec::new();
    for node in steps.items() {
        if !matches!(node.kind(), Kind::Map) {
            found.push(shape(node, format!("the step is {}, expected a mapping", node.type_name())));
            continue;
        }
        read.push(Step {
            node,
            id: node.get("id").and_then(NodeRef::as_str),
            name: node.get("name"),
            condition: node.get("if"),
            uses: node.get("uses"),
            run: node.get("run"),
            with: node.get("with"),
            env: node.get("env"),
        });
    }
    read
}

/// Every needed job must exist, and no job may need itself, by whatever way round. Needs at fault are left out, so that
/// what follows can rely on an order.
fn check_needs(jobs: &mut [Job<'_>], found: &mut Diagnostics) {
    let ids: Vec<&str> = jobs.iter().map(|job| job.id).collect();
    for job in jobs.iter_mut() {
        job.needs.retain(|(name, site)| {
            let known = ids.iter().any(|id| id.eq_ignore_ascii_case(name));
            if !known {
                let diagnostic = Diagnostic::error(
                    Code::WorkflowNeeds,
                    format!("the job `{}` needs `{name}`, which is no job", job.id),
                )
                .at(site.source(), site.site());
                found.push(match suggestion(name, ids.iter().copied()) {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None => diagnostic.help(format!("jobs: {}", ids.join(", "))),
                });
            }
            known
        });
    }
    let index: HashMap<String, usize> = ids.iter().enumerate().map(|(at, id)| (id.to_ascii_lowercase(), at)).collect();
    let mut state = vec![Visit::Not; jobs.len()];
    let mut cut: Vec<(usize, usize)> = Vec::new();
    for start in 0..jobs.len() {
        visit(start, jobs, &index, &mut state, &mut cut, found);
    }
    for (job, need) in cut {
        jobs[job].needs.remove(need);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    Not,
    Open,
    Done,
}

/// Depth first without recursion: a hostile file may chain any number of jobs.
fn visit(
    start: usize,
    jobs: &[Job<'_>],
    index: &HashMap<String, usize>,
    state: &mut [Visit],
    cut: &mut Vec<(usize, usize)>,
    found: &mut Diagnostics,
) {
    if state[start] != Visit::Not {
        return;
    }
    let mut stack = vec![(start, 0)];
    state[start] = Visit::Open;
    while let Some((job, next)) = stack.last_mut() {
        let Some((name, site)) = jobs[*job].needs.get(*next) else {
            state[*job] = Visit::Done;
            stack.pop();
            continue;
        };
        let (current, edge) = (*job, *next);
        *next += 1;
        let Some(&target) = index.get(&name.to_ascii_lowercase()) else { continue };
        match state[target] {
            Visit::Not => {
                state[target] = Visit::Open;
                stack.push((target, 0));
            }
            Visit::Open => {
                let from = stack.iter().position(|(job, _)| *job == target).unwrap_or(0);
                let circle: Vec<&str> = stack[from..].iter().map(|(job, _)| jobs[*job].id).collect();
                let message = format!("jobs need each other in a circle: {} → {name}", circle.join(" → "));
                found.push(
                    Diagnostic::error(Code::WorkflowNeeds, message)
                        .at(site.source(), site.site())
                        .help("remove one of these needs"),
                );
                cut.push((current, edge));
            }
            Visit::Done => {}
        }
    }
    // Later removals of one job must not shift earlier ones.
    cut.sort_by(|a, b| b.cmp(a));
}
