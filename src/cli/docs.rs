//! `srtx-gh docs`

use std::path::Path;

use clap::Args;

use super::Exit;
use super::action::actions;
use super::files::write_atomically;
use super::report::Reporter;
use crate::core::actions::action_yml;
use crate::core::config::schema_files;
use crate::core::diag::{Code, Diagnostic};

/// Write everything that is generated: JSON schemas for editors.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  srtx-gh docs           writes the files below the working directory\n  \
                        srtx-gh docs --check   exits 3 when one of them is out of date")]
pub(super) struct DocsArgs {
    /// Write nothing; exit 3 when a file is out of date.
    #[arg(long)]
    check: bool,
}

/// Every generated file: its path from the root of the repository, and its text.
pub(crate) fn generated() -> Vec<(String, String)> {
    let mut files = schema_files();
    files.extend(actions().iter().map(|action| (format!("actions/{}/action.yml", action.name), action_yml(action))));
    files
}

pub(super) fn run(args: &DocsArgs, reporter: &mut Reporter) -> Exit {
    let mut stale = Vec::new();
    for (path, text) in generated() {
        let current = std::fs::read_to_string(&path).ok();
        if current.as_deref() == Some(&text) {
            continue;
        }
        if !args.check
            && let Err(error) = write_atomically(Path::new(&path), &text)
        {
            let message = format!("{path} could not be written: {error}");
            reporter.found().push(Diagnostic::error(Code::OutputFailed, message).in_file(path));
            return Exit::Wrong;
        }
        stale.push(path);
    }
    let verb = if args.check { "out of date" } else { "written" };
    let printed = reporter.print(|out| {
        for path in &stale {
            writeln!(out, "{path}: {verb}")?;
        }
        Ok(())
    });
    match (args.check, stale.is_empty()) {
        (true, false) => Exit::OutOfDate,
        _ => printed,
    }
}
