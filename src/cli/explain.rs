//! `srtx-gh explain`

use clap::Args;

use super::Exit;
use super::report::Reporter;
use crate::core::diag::{ALL_CODES, Code};

/// Say what a diagnostic code means and how to fix it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  srtx-gh explain SRTX0203\n  srtx-gh explain --list")]
pub(super) struct ExplainArgs {
    /// A code, with or without its prefix.
    #[arg(value_name = "CODE", required_unless_present = "list")]
    code: Option<String>,

    /// List all codes.
    #[arg(long, conflicts_with = "code")]
    list: bool,
}

pub(super) fn run(args: &ExplainArgs, reporter: &mut Reporter) -> Exit {
    let Some(name) = &args.code else {
        return reporter.print(|out| {
            for code in ALL_CODES {
                writeln!(out, "{}  {}", code.name(), code.title())?;
            }
            Ok(())
        });
    };
    match Code::from_name(name) {
        Some(code) => {
            reporter.print(|out| writeln!(out, "{}: {}\n\n{}", code.name(), code.title(), code.explanation()))
        }
        None => reporter.usage(&format!("there is no diagnostic code {name}; `srtx-gh explain --list` shows all")),
    }
}
