//! `srtx-gh lint`

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::Exit;
use super::files::{read_source, write_atomically};
use super::report::Reporter;
use super::walk::{Root, roots};
use crate::core::diag::{Code, Diagnostic, Severity};
use crate::core::lint::{Baseline, Finding, baseline_json, lint, render_json, render_sarif};

/// Check the contracts between workflows, matrix, launchers, runners and recipes.
#[derive(Debug, Args)]
#[command(after_help = "A comment takes a finding away, on its line or on the line above; a reason is required:\n  \
                  conc: \"[${{ matrix.config.conc }}]\" # srtx: allow SRTX0710 the callee reads both forms\n\n\
                  Examples:\n  srtx-gh lint\n  srtx-gh lint ../InferenceX --format github\n  \
                  srtx-gh lint .github/workflows/run-sweep.yml\n  \
                  srtx-gh lint --write-baseline lint.json    then, on every pull request:\n  \
                  srtx-gh lint --baseline lint.json --format sarif > lint.sarif\n  \
                  srtx-gh explain --list                     all codes; srtx-gh explain SRTX0710 what one means")]
pub(super) struct LintArgs {
    /// Checkouts, or files and folders of one.
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,

    /// Findings in this file are known and left out.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Write what is found to this file, as a baseline, and exit 0.
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,

    /// Codes that are not looked for, with commas between.
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = code)]
    allow: Vec<Code>,

    /// Rendering [default: human on a terminal, json otherwise].
    #[arg(long, value_enum)]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people: message, place, snippet, help.
    Human,
    /// The same, and annotations on the pull request.
    Github,
    /// One JSON array.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
}

fn code(text: &str) -> Result<Code, String> {
    Code::from_name(text).ok_or_else(|| "there is no such code; `srtx-gh explain --list` shows all".to_owned())
}

pub(super) fn run(args: &LintArgs, reporter: &mut Reporter) -> Exit {
    let Some(baseline) = read_baseline(args.baseline.as_deref(), reporter) else { return Exit::Wrong };
    let Some(roots) = roots(&args.paths, reporter.found()) else { return Exit::Wrong };
    let mut found: Vec<Finding> = roots.iter().flat_map(|root| findings_of(root, &args.allow)).collect();
    if let Some(file) = &args.write_baseline {
        return write_baseline(file, &found, reporter);
    }
    found = baseline.new_ones(found);
    let failed = found.iter().any(|finding| finding.diagnostic.severity == Severity::Error);
    let printed = print(args, &found, reporter);
    if reporter.is_json() {
        found.into_iter().for_each(|finding| reporter.found().push(finding.diagnostic));
    }
    if failed { Exit::Wrong } else { printed }
}

fn findings_of(root: &Root, allow: &[Code]) -> Vec<Finding> {
    let found = lint(&root.tree, allow);
    let is_asked = |finding: &Finding| {
        let file = finding.diagnostic.file().unwrap_or_default();
        root.only.is_empty() || root.only.iter().any(|only| Path::new(file).starts_with(only))
    };
    found.into_iter().filter(is_asked).collect()
}

fn print(args: &LintArgs, found: &[Finding], reporter: &mut Reporter) -> Exit {
    let default = if std::io::stdout().is_terminal() { Format::Human } else { Format::Json };
    let format = args.format.unwrap_or(default);
    match format {
        Format::Json => reporter.print_json(|out| writeln!(out, "{}", render_json(found))),
        Format::Sarif => reporter.print_json(|out| writeln!(out, "{}", render_sarif(found, env!("CARGO_PKG_VERSION")))),
        Format::Human | Format::Github => {
            let diagnostics: Vec<Diagnostic> = found.iter().map(|finding| finding.diagnostic.clone()).collect();
            reporter.print_findings(&diagnostics, format == Format::Github)
        }
    }
}

/// The baseline; `None` when it cannot be used.
fn read_baseline(file: Option<&Path>, reporter: &mut Reporter) -> Option<Baseline> {
    let Some(file) = file else { return Some(Baseline::default()) };
    let read = read_source(file).and_then(|source| {
        Baseline::read(source.text()).map_err(|(message, line)| {
            let diagnostic = Diagnostic::error(Code::BadInput, message);
            let diagnostic = match line {
                Some(line) => diagnostic.on_line(source.name(), line),
                None => diagnostic.in_file(source.name()),
            };
            diagnostic.help("write it anew with `srtx-gh lint --write-baseline FILE`")
        })
    });
    read.map_err(|diagnostic| reporter.found().push(diagnostic)).ok()
}

fn write_baseline(file: &Path, found: &[Finding], reporter: &mut Reporter) -> Exit {
    let name = file.display().to_string();
    if let Err(error) = write_atomically(file, &baseline_json(found)) {
        let message = format!("{name} could not be written: {error}");
        reporter.found().push(Diagnostic::error(Code::OutputFailed, message).in_file(name));
        return Exit::Wrong;
    }
    reporter.print_text(&format!("{name}: {} findings\n", found.len()))
}
