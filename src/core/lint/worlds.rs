//! How a workflow can be started: an event for each way, with what its triggers let through.

use super::repository::WorkflowFile;
use crate::core::workflow::{InputKind, Trigger};
use crate::core::yaml::{Kind, NodeRef};

/// One way in which a workflow starts.
#[derive(Debug, Clone, Default)]
pub(super) struct World<'d> {
    /// The event; `None` for a workflow that is called, whose callers may be started by anything.
    pub(super) event: Option<&'d str>,
    /// `github.event.action`: known, known to be absent, or unknown.
    pub(super) action: Fact<'d>,
    /// The branch that was pushed, or that a pull request is meant for.
    pub(super) branch: Fact<'d>,
    /// `github.event.schedule`
    pub(super) schedule: Fact<'d>,
    /// The chosen words of inputs that offer a choice.
    pub(super) choices: Vec<(&'d str, &'d str)>,
}

/// What is known of a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Fact<'d> {
    /// Nothing.
    #[default]
    Unknown,
    /// That there is none.
    Absent,
    /// What it is.
    Text(&'d str),
}

/// More combinations than this are not told apart.
const MAX_WORLDS: usize = 256;

/// Every way in which the workflow can start.
pub(super) fn worlds<'d>(file: &WorkflowFile<'d>) -> Vec<World<'d>> {
    let mut all = Vec::new();
    for trigger in &file.workflow.triggers {
        let event = (trigger.event != "workflow_call").then_some(trigger.event);
        let mut of_trigger = vec![World { event, ..World::default() }];
        vary(&mut of_trigger, actions(trigger), |world, fact| world.action = fact);
        vary(&mut of_trigger, branches(trigger), |world, fact| world.branch = fact);
        vary(&mut of_trigger, schedules(trigger), |world, fact| world.schedule = fact);
        for input in trigger.inputs.iter().filter(|input| input.kind == InputKind::Choice) {
            let options: Vec<&str> =
                input.options.into_iter().flat_map(NodeRef::items).filter_map(NodeRef::scalar_text).collect();
            if options.is_empty() || of_trigger.len() * options.len() > MAX_WORLDS {
                continue;
            }
            let one_each = |world: &World<'d>| {
                let choose = |option: &&'d str| {
                    let mut chosen = world.clone();
                    chosen.choices.push((input.name, option));
                    chosen
                };
                options.iter().map(choose).collect::<Vec<_>>()
            };
            of_trigger = of_trigger.iter().flat_map(one_each).collect();
        }
        all.extend(of_trigger);
    }
    all
}

/// Each world once for each fact.
fn vary<'d>(worlds: &mut Vec<World<'d>>, facts: Vec<Fact<'d>>, set: impl Fn(&mut World<'d>, Fact<'d>)) {
    if worlds.len() * facts.len() > MAX_WORLDS {
        return;
    }
    *worlds = worlds
        .iter()
        .flat_map(|world| {
            let with = |fact: &Fact<'d>| {
                let mut world = world.clone();
                set(&mut world, *fact);
                world
            };
            facts.iter().map(with).collect::<Vec<_>>()
        })
        .collect();
}

/// The texts of a filter that holds no expression.
fn texts<'d>(trigger: &Trigger<'d>, name: &str) -> Option<Vec<&'d str>> {
    let node = trigger.filters?.get(name)?;
    let all: Vec<&str> = match node.kind() {
        Kind::Str(text) => vec![text],
        _ => node.items().filter_map(NodeRef::scalar_text).collect(),
    };
    (!all.is_empty()).then_some(all)
}

fn actions<'d>(trigger: &Trigger<'d>) -> Vec<Fact<'d>> {
    if let Some(types) = texts(trigger, "types") {
        return types.into_iter().map(Fact::Text).collect();
    }
    match trigger.event {
        "pull_request" | "pull_request_target" => ["opened", "synchronize", "reopened"].map(Fact::Text).to_vec(),
        "push" | "schedule" | "workflow_dispatch" | "create" | "delete" | "fork" => vec![Fact::Absent],
        _ => vec![Fact::Unknown],
    }
}

fn branches<'d>(trigger: &Trigger<'d>) -> Vec<Fact<'d>> {
    const PATTERN: [char; 6] = ['*', '?', '+', '[', ']', '!'];
    let is_about_branches = matches!(trigger.event, "push" | "pull_request" | "pull_request_target");
    let has = |name: &str| trigger.filters.is_some_and(|filters| filters.get(name).is_some());
    match texts(trigger, "branches") {
        Some(names) if is_about_branches && !has("tags") && !has("tags-ignore") => {
            if names.iter().any(|name| name.contains(PATTERN)) {
                return vec![Fact::Unknown];
            }
            names.into_iter().map(Fact::Text).collect()
        }
        _ => vec![Fact::Unknown],
    }
}

fn schedules<'d>(trigger: &Trigger<'d>) -> Vec<Fact<'d>> {
    if trigger.event != "schedule" {
        return vec![Fact::Absent];
    }
    let crons: Vec<Fact<'d>> = trigger
        .filters
        .into_iter()
        .flat_map(NodeRef::items)
        .filter_map(|entry| entry.get("cron")?.as_str())
        .map(Fact::Text)
        .collect();
    if crons.is_empty() { vec![Fact::Unknown] } else { crons }
}

/// Whether the payload of an event has a member; `None` where nobody can tell.
pub(super) fn payload_has(event: &str, member: &str) -> Option<bool> {
    const MEMBERS: &[(&str, &[&str])] = &[
        (
            "pull_request",
            &["pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment"],
        ),
        ("issue", &["issues", "issue_comment"]),
        ("comment", &["issue_comment", "commit_comment", "discussion_comment", "pull_request_review_comment"]),
        ("review", &["pull_request_review"]),
        ("release", &["release"]),
        ("workflow_run", &["workflow_run"]),
        ("client_payload", &["repository_dispatch"]),
        ("commits", &["push"]),
        ("head_commit", &["push", "merge_group", "workflow_run"]),
        ("merge_group", &["merge_group"]),
        ("discussion", &["discussion", "discussion_comment"]),
        ("deployment", &["deployment", "deployment_status"]),
        ("check_run", &["check_run"]),
        ("check_suite", &["check_suite"]),
        ("inputs", &["workflow_dispatch"]),
        ("schedule", &["schedule"]),
    ];
    let (_, events) = MEMBERS.iter().find(|(name, _)| *name == member)?;
    Some(events.contains(&event))
}
