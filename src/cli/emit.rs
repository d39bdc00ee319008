//! What `matrix --emit` leaves for the runner: outputs and a step summary.

use crate::core::diag::Diagnostic;
use crate::core::matrix::{OutputLimits, Plan};
use crate::gha::summary::{Cell, Column, Table};
use crate::gha::{Records, Runner, RunnerFile, Secrets, Summary};

/// Writes the outputs of a plan, or of one of its shards. Nothing is written when any of it is refused.
pub(super) fn publish(plan: &Plan, shard: Option<usize>, limits: OutputLimits) -> Result<(), Diagnostic> {
    let runner = Runner::of_process();
    let file = runner.require(RunnerFile::Output)?;
    let outputs = match shard {
        Some(number) => plan.shard_outputs(number).unwrap_or_default(),
        None => plan.outputs(limits),
    };
    let mut records = Records::outputs();
    for (name, value) in outputs {
        records.text(&name, value)?;
    }
    records.append_to(file, &Secrets::of_process())?;
    match runner.path(RunnerFile::Summary) {
        Some(file) if shard.is_none() => summary(plan).append_to(file),
        _ => Ok(()),
    }
}

/// Counts by lane and bucket.
fn summary(plan: &Plan) -> Summary {
    let mut summary = Summary::new();
    let counts = plan.counts();
    let total: usize = counts.iter().map(|(_, _, count)| count).sum();
    let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    summary.heading(2, &format!("{} in {}", plural(total, "point"), plural(plan.shard_count(), "shard")));
    if total > 0 {
        let mut table = Table::new([Column::left("lane"), Column::left("bucket"), Column::right("points")]);
        for (lane, bucket, count) in counts {
            table.row([Cell::code(lane), Cell::code(&bucket), Cell::text(&count.to_string())]);
        }
        summary.table(table);
    }
    summary
}
