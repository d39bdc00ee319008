//! Outputs, steps and jobs that an expression names and that are not there.

use super::super::guards::{each_reference, index_of};
use super::super::repository::WorkflowFile;
use super::super::{Findings, Owner, Repository, Site, Slot};
use super::{Rule, condition_never_true};
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Expr, Function, Node, NodeKind};
use crate::core::schema::suggestion;
use crate::core::workflow::{JobBody, Step};
use crate::core::yaml::NodeRef;

pub(super) const RULE: Rule = Rule { code: Code::OutputUnknown, name: "output-unknown", check };

/// What is wrong with a reference, and what is meant instead.
struct Wrong {
    message: String,
    help: String,
}

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for (owner, site) in repository.sites() {
        // Where that makes the condition false for ever, that is what is said.
        let is_said = site.is_condition()
            && owner.workflow().is_some_and(|file| condition_never_true::is_never_true(repository, file, site));
        if is_said {
            continue;
        }
        for root in site.expressions().filter_map(Expr::root) {
            look(root, &mut |node, reference| {
                if let Some(wrong) = judge(repository, owner, site, &reference) {
                    found.push(
                        Diagnostic::error(Code::OutputUnknown, wrong.message)
                            .at(site.source(), site.locate(node.span()))
                            .help(wrong.help),
                    );
                }
            });
        }
    }
}

/// Every reference but those that fromJSON reads: of them another rule says more.
fn look<'e>(node: Node<'e>, report: &mut impl FnMut(Node<'e>, String)) {
    match node.kind() {
        NodeKind::Call(Function::FromJson) if node.children().next().is_some_and(|arg| arg.reference().is_some()) => {}
        _ if node.reference().is_some() => each_reference(node, report),
        _ => node.children().for_each(|child| look(child, report)),
    }
}

fn judge<'d>(repository: &Repository<'d>, owner: Owner<'_, 'd>, site: &Site<'d>, reference: &str) -> Option<Wrong> {
    let steps: Vec<&str> = reference.split('.').take_while(|step| *step != "*").collect();
    match steps.as_slice() {
        ["needs", job, rest @ ..] => {
            let file = owner.workflow()?;
            let own = owner.job(site)?;
            let Some(index) = index_of(file, job) else {
                let ids = file.workflow.jobs.iter().map(|job| job.id);
                return Some(wrong(format!("there is no job `{job}`"), job, ids, "jobs"));
            };
            if !own.needs.iter().any(|(name, _)| name.eq_ignore_ascii_case(job)) {
                let message = format!("the job `{}` does not need `{job}`, so `needs.{job}` is empty", own.id);
                return Some(Wrong { message, help: format!("add `{job}` to `needs`") });
            }
            of_job(repository, file, index, rest)
        }
        ["jobs", job, rest @ ..] if site.slot == Slot::CallOutput => {
            let file = owner.workflow()?;
            match index_of(file, job) {
                Some(index) => of_job(repository, file, index, rest),
                None => {
                    let ids = file.workflow.jobs.iter().map(|job| job.id);
                    Some(wrong(format!("there is no job `{job}`"), job, ids, "jobs"))
                }
            }
        }
        ["steps", id, rest @ ..] => {
            let all: &[Step<'_>] = match owner {
                Owner::Action(file) => &file.action.steps,
                Owner::Workflow(_) => match &owner.job(site)?.body {
                    JobBody::Steps(steps) => steps,
                    JobBody::Call(_) => return None,
                },
            };
            of_step(repository, all, site.step, id, rest)
        }
        _ => None,
    }
}

fn of_job<'d>(repository: &Repository<'d>, file: &WorkflowFile<'d>, job: usize, rest: &[&str]) -> Option<Wrong> {
    let ["outputs", output, ..] = rest else { return None };
    let job_id = file.workflow.jobs[job].id;
    let names: Vec<&str> = match &file.workflow.jobs[job].body {
        JobBody::Steps(_) => file.workflow.jobs[job].outputs.iter().map(|output| output.name).collect(),
        JobBody::Call(call) => {
            let callee = repository.called(call.uses)?;
            callee.workflow.trigger("workflow_call")?.outputs.iter().map(|output| output.name).collect()
        }
    };
    let is_declared = names.iter().any(|name| name.eq_ignore_ascii_case(output));
    (!is_declared).then(|| wrong(format!("the job `{job_id}` has no output `{output}`"), output, names, "its outputs"))
}

fn of_step(
    repository: &Repository<'_>,
    steps: &[Step<'_>],
    own: Option<usize>,
    id: &str,
    rest: &[&str],
) -> Option<Wrong> {
    let is = |step: &Step<'_>| step.id.is_some_and(|other| other.eq_ignore_ascii_case(id));
    let Some(at) = steps.iter().position(is) else {
        let ids = steps.iter().filter_map(|step| step.id);
        return Some(wrong(format!("no step here has the id `{id}`"), id, ids, "steps"));
    };
    if own.is_some_and(|own| at >= own) {
        let message = format!("the step `{id}` comes later, so `steps.{id}` is empty here");
        return Some(Wrong { message, help: "move it before this one".to_owned() });
    }
    let ["outputs", output, ..] = rest else { return None };
    let action = repository.used_action(steps[at].uses.and_then(NodeRef::as_str)?)?;
    let names: Vec<&str> = action.action.outputs.iter().map(|output| output.name).collect();
    let is_declared = names.iter().any(|name| name.eq_ignore_ascii_case(output));
    (action.action.using == "composite" && !is_declared)
        .then(|| wrong(format!("{} has no output `{output}`", action.source.name()), output, names, "its outputs"))
}

fn wrong<'n>(message: String, name: &str, known: impl IntoIterator<Item = &'n str>, what: &str) -> Wrong {
    let known: Vec<&str> = known.into_iter().collect();
    let help = match suggestion(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => format!("there are no {}", what.trim_start_matches("its ")),
        None => format!("{what}: {}", known.join(", ")),
    };
    Wrong { message, help }
}
