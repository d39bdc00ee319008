//! What `diff --emit` leaves for the runner: outputs, a step summary, and the comment as a file.

use std::path::Path;

use super::markdown::{comment, step_summary};
use crate::cli::files::write_atomically;
use crate::core::diag::{Code, Diagnostic};
use crate::core::matrix::diff::Report;
use crate::gha::{Records, Runner, RunnerFile, Secrets};

/// The outputs and what each holds.
pub(in crate::cli) fn documented_outputs() -> Vec<(String, String)> {
    let outputs = [
        ("added", "number of added points"),
        ("removed", "number of removed points"),
        ("changed", "number of changed points"),
        ("gpu-hours", "GPU-hours that come, less those that go, of points whose duration is known; empty when none is"),
        ("markdown", "path of a Markdown file, cut to what a comment may have, that begins with a hidden mark"),
    ];
    outputs.into_iter().map(|(name, about)| (name.to_owned(), about.to_owned())).collect()
}

pub(super) fn publish(report: &Report, base: &str, head: &str) -> Result<(), Diagnostic> {
    let runner = Runner::of_process();
    let file = runner.require(RunnerFile::Output)?;
    let path = runner.temp.clone().unwrap_or_else(std::env::temp_dir).join("srtx-gh-diff.md");
    let secrets = Secrets::of_process();
    let text = comment(report, base, head);
    secrets.check("markdown", &text)?;
    write_comment(&path, &text)?;
    let mut records = Records::outputs();
    for (name, total) in
        [("added", report.added_total), ("removed", report.removed_total), ("changed", report.changed_total)]
    {
        records.text(name, total.points.to_string())?;
    }
    records.text("gpu-hours", report.gpu_hours.map(|hours| hours.to_string()).unwrap_or_default())?;
    records.text("markdown", path.display().to_string())?;
    records.append_to(file, &secrets)?;
    match runner.path(RunnerFile::Summary) {
        Some(file) => step_summary(report, base, head).append_to(file),
        None => Ok(()),
    }
}

fn write_comment(path: &Path, text: &str) -> Result<(), Diagnostic> {
    write_atomically(path, text).map_err(|error| {
        let message = format!("{} could not be written: {error}", path.display());
        Diagnostic::error(Code::OutputFailed, message).in_file(path.display().to_string()).help("check RUNNER_TEMP")
    })
}
