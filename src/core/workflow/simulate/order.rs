//! The order in which jobs are decided.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use crate::core::workflow::Job;

/// Jobs so that each comes after those that it needs, otherwise as they are written. The reader has removed circles.
pub(super) fn order(jobs: &[Job<'_>]) -> Vec<usize> {
    let index: HashMap<String, usize> =
        jobs.iter().enumerate().map(|(at, job)| (job.id.to_ascii_lowercase(), at)).collect();
    let mut waits_for = vec![0; jobs.len()];
    let mut behind: Vec<Vec<usize>> = vec![Vec::new(); jobs.len()];
    for (at, job) in jobs.iter().enumerate() {
        for need in job.needs.iter().filter_map(|(name, _)| index.get(&name.to_ascii_lowercase())) {
            waits_for[at] += 1;
            behind[*need].push(at);
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> = (0..jobs.len()).filter(|at| waits_for[*at] == 0).map(Reverse).collect();
    let mut ordered = Vec::with_capacity(jobs.len());
    while let Some(Reverse(at)) = ready.pop() {
        ordered.push(at);
        for &next in &behind[at] {
            waits_for[next] -= 1;
            if waits_for[next] == 0 {
                ready.push(Reverse(next));
            }
        }
    }
    ordered
}
