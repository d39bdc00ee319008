//! Which jobs need which: every need exists, and there are no circles.

use hashbrown::HashMap;

use super::model::Job;
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::schema::suggestion;

/// How many jobs a message names, and for how many unknown needs a likely name is looked for.
const NAMED: usize = 12;

/// Every needed job must exist, and no job may need itself, by whatever way round. Needs at fault are left out, so that
/// what follows can rely on an order.
pub(super) fn check_needs(jobs: &mut [Job<'_>], found: &mut Diagnostics) {
    let ids: Vec<&str> = jobs.iter().map(|job| job.id).collect();
    let index: HashMap<String, usize> = ids.iter().enumerate().map(|(at, id)| (id.to_ascii_lowercase(), at)).collect();
    let mut looked_for = 0;
    for job in jobs.iter_mut() {
        job.needs.retain(|(name, site)| {
            let known = index.contains_key(&name.to_ascii_lowercase());
            if !known {
                looked_for += 1;
                let near = (looked_for <= NAMED).then(|| suggestion(name, ids.iter().copied())).flatten();
                let diagnostic = Diagnostic::error(
                    Code::WorkflowNeeds,
                    format!("the job `{}` needs `{name}`, which is no job", job.id),
                )
                .at(site.source(), site.site());
                found.push(match near {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None => diagnostic.help(format!("jobs: {}", shortened(&ids, ", "))),
                });
            }
            known
        });
    }
    let mut state = vec![Visit::Not; jobs.len()];
    let mut cut: HashMap<usize, Vec<usize>> = HashMap::new();
    for start in 0..jobs.len() {
        visit(start, jobs, &index, &mut state, &mut cut, found);
    }
    for (job, edges) in cut {
        let mut at = 0;
        jobs[job].needs.retain(|_| {
            at += 1;
            !edges.contains(&(at - 1))
        });
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
    cut: &mut HashMap<usize, Vec<usize>>,
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
                let of_job = cut.entry(current).or_default();
                // One circle a job is enough to see what is wrong with it.
                if of_job.is_empty() {
                    let circle: Vec<&str> = stack[from..].iter().map(|(job, _)| jobs[*job].id).collect();
                    let message = format!("jobs need each other in a circle: {} → {name}", shortened(&circle, " → "));
                    found.push(
                        Diagnostic::error(Code::WorkflowNeeds, message)
                            .at(site.source(), site.site())
                            .help("remove one of these needs"),
                    );
                }
                of_job.push(edge);
            }
            Visit::Done => {}
        }
    }
}

/// The names, the middle of a long list left out.
fn shortened(names: &[&str], between: &str) -> String {
    if names.len() <= NAMED {
        return names.join(between);
    }
    let (first, last) = (&names[..NAMED - 2], &names[names.len() - 1..]);
    format!("{}{between}… {} more …{between}{}", first.join(between), names.len() - NAMED + 1, last.join(between))
}
