//! `srtx-gh docs`

use std::path::Path;

use clap::Args;

use super::Exit;
use super::action::actions;
use super::files::write_atomically;
use super::report::Reporter;
use crate::core::actions::{action_readme, action_yml, actions_table, root_action_yml};
use crate::core::config::schema_files;
use crate::core::diag::{Code, Diagnostic};

/// Write everything that is generated: action.yml files, READMEs of actions, JSON schemas.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  srtx-gh docs           writes the files below the working directory\n  \
                        srtx-gh docs --check   exits 3 when one of them is out of date")]
pub(super) struct DocsArgs {
    /// Write nothing; exit 3 when a file is out of date.
    #[arg(long)]
    check: bool,
}

/// Every generated file: its path from the root of the repository, and its text.
fn generated() -> Vec<(String, String)> {
    let actions = actions();
    let mut files = schema_files();
    files.push(("action.yml".to_owned(), root_action_yml()));
    for action in &actions {
        files.push((format!("actions/{}/action.yml", action.name), action_yml(action)));
        files.push((format!("actions/{}/README.md", action.name), action_readme(action)));
    }
    // Of the main README only what stands between the markers is generated; without it there is nothing to keep true.
    if let Ok(readme) = std::fs::read_to_string(README)
        && let Some(text) = between_markers(&readme, "actions", &actions_table(&actions))
    {
        files.push((README.to_owned(), text));
    }
    files
}

const README: &str = "README.md";

/// A text with what stands between `<!-- srtx:begin NAME -->` and `<!-- srtx:end NAME -->` replaced.
fn between_markers(text: &str, name: &str, content: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- srtx:begin {name} -->\n"), format!("<!-- srtx:end {name} -->"));
    let start = text.find(&begin)? + begin.len();
    let stop = start + text[start..].find(&end)?;
    Some(format!("{}{content}{}", &text[..start], &text[stop..]))
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
