//! `srtx-gh recipe validate`

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::path::Path;

use clap::{Args, ValueEnum};

use super::{read_document, read_recipe, split_reference, warn_without_variants};
use crate::cli::Exit;
use crate::cli::files::{read_source, write_atomically};
use crate::cli::report::Reporter;
use crate::core::diag::{Code, Diagnostic, Diagnostics, Severity};
use crate::core::recipe::{
    Data, Entry, Finding, Overrides, Range2, SchemaChoice, Tree, Variant, check_recipe, mended, write_json,
};

/// Check recipes against the schemas of srt-slurm.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  srtx-gh recipe validate recipes/*.yaml\n  \
                        srtx-gh recipe validate --schema 1 'recipes/dsr1.yaml:zip_override_lowlat[0]'\n  \
                        srtx-gh recipe validate --schema 2 --fix recipes/dsr1.yaml\n\n\
                        Each variant is checked; `base` itself only when it is selected.")]
pub(super) struct ValidateArgs {
    /// Recipe files, each with what to select in it.
    #[arg(value_name = "FILE[:SELECTOR]", required = true)]
    files: Vec<String>,

    /// The version of recipes: 1 is the pinned srtctl, 2 the later one, auto decides by the keys `schema` and `roles`.
    #[arg(long, value_enum, default_value_t = SchemaArg::Auto)]
    schema: SchemaArg,

    /// Mend what is mechanical in the files, and report the rest: old telemetry keys, missing quotes, a join timeout below
    /// its bound. Format and comments stay.
    #[arg(long)]
    fix: bool,

    /// Rendering [default: table on a terminal, json otherwise].
    #[arg(long, value_enum)]
    format: Option<ValidateFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SchemaArg {
    Auto,
    #[value(name = "1")]
    One,
    #[value(name = "2")]
    Two,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ValidateFormat {
    /// For people.
    Table,
    /// One line of JSON.
    Json,
    /// Indented JSON.
    Pretty,
}

/// What was found in one variant.
struct Row {
    file: String,
    selector: Option<String>,
    findings: Vec<(String, String)>,
}

pub(super) fn run(args: &ValidateArgs, reporter: &mut Reporter) -> Result<Exit, Diagnostics> {
    let choice = match args.schema {
        SchemaArg::Auto => SchemaChoice::Auto,
        SchemaArg::One => SchemaChoice::One,
        SchemaArg::Two => SchemaChoice::Two,
    };
    let mut rows = Vec::new();
    let mut all_read = true;
    if args.fix {
        for reference in &args.files {
            fix_file(reference, choice, reporter)?;
        }
    }
    for reference in &args.files {
        if let Err(found) = check_file(reference, choice, &mut rows, reporter) {
            all_read = false;
            reporter.found().extend(found);
        }
    }
    let is_valid = all_read && rows.iter().all(|row| row.findings.is_empty());
    let default = if io::stdout().is_terminal() { ValidateFormat::Table } else { ValidateFormat::Json };
    let printed = match args.format.unwrap_or(default) {
        ValidateFormat::Table => reporter.print_text(&table(&rows)),
        format => {
            let rows = Tree::list(rows.into_iter().map(Row::into_tree).collect());
            reporter.print_json(|out| {
                write_json(out, &rows, (format == ValidateFormat::Pretty).then_some(0))?;
                writeln!(out)
            })
        }
    };
    Ok(if is_valid { printed } else { Exit::Wrong })
}

/// Mends a file. One that cannot be read is reported when it is checked.
fn fix_file(reference: &str, choice: SchemaChoice, reporter: &mut Reporter) -> Result<(), Diagnostics> {
    let (path, selector) = split_reference(reference);
    let Ok(source) = read_source(Path::new(path)) else { return Ok(()) };
    let Some(mended) = mended(&source, selector, choice) else { return Ok(()) };
    write_atomically(Path::new(path), &mended.text).map_err(|error| {
        let message = format!("{path} could not be written: {error}");
        Diagnostics::from(Diagnostic::error(Code::OutputFailed, message).in_file(path).help("check its permissions"))
    })?;
    let places = if mended.edits == 1 { "1 place".to_owned() } else { format!("{} places", mended.edits) };
    let message = format!("{path} was mended in {places}");
    let diagnostic = Diagnostic::new(Code::RecipeMended, Severity::Note, message).in_file(path);
    reporter.found().push(diagnostic.help("look at the difference before you commit it"));
    Ok(())
}

fn check_file(
    reference: &str,
    choice: SchemaChoice,
    rows: &mut Vec<Row>,
    reporter: &mut Reporter,
) -> Result<(), Diagnostics> {
    let (path, selector) = split_reference(reference);
    let document = read_document(path, reporter)?;
    let file = read_recipe(&document, &Overrides::default())?;
    let selection = file.select(selector).map_err(|diagnostic| Diagnostics::from(*diagnostic))?;
    if selection.variants().is_empty() {
        warn_without_variants(&file, reporter);
    }
    let mut reported = Reported::default();
    for variant in selection.variants() {
        rows.push(check_variant(path, variant, choice, file.base().is_none(), &mut reported, reporter));
    }
    Ok(())
}

fn check_variant(
    path: &str,
    variant: &Variant<'_>,
    choice: SchemaChoice,
    is_flat: bool,
    reported: &mut Reported,
    reporter: &mut Reporter,
) -> Row {
    let mut row = Row { file: path.to_owned(), selector: variant.selector.clone(), findings: Vec::new() };
    match &variant.recipe {
        Err(diagnostic) => {
            let at = diagnostic.path.clone().unwrap_or_default();
            row.findings.push((at, diagnostic.message.clone()));
            reporter.found().push(Diagnostic::clone(diagnostic));
        }
        Ok(recipe) => {
            for mut finding in check_recipe(recipe, choice, is_flat) {
                finding.place = finding.place.take().or_else(|| variant.place.clone());
                if finding.severity == Severity::Error {
                    row.findings.push((finding.path.clone(), finding.message.clone()));
                }
                if reported.is_new(&finding) {
                    reporter.found().push(finding.diagnostic(path));
                }
            }
        }
    }
    row
}

/// One fault of the base shows in every variant and is reported once.
#[derive(Default)]
struct Reported(HashSet<(u16, String, String, Option<Range2>)>);

impl Reported {
    fn is_new(&mut self, finding: &Finding<'_>) -> bool {
        let place = finding.place.as_ref().map(|(_, span)| (span.start, span.end));
        self.0.insert((finding.code as u16, finding.path.clone(), finding.message.clone(), place))
    }
}

impl Row {
    fn into_tree(self) -> Tree<'static> {
        let findings = self.findings.into_iter().map(|(path, message)| {
            Tree::map(vec![Entry::new("path", Tree::text(path)), Entry::new("message", Tree::text(message))])
        });
        let findings: Vec<Tree<'static>> = findings.collect();
        Tree::map(vec![
            Entry::new("file", Tree::text(self.file)),
            Entry::new("selector", self.selector.map_or(Tree::new(Data::Null), Tree::text)),
            Entry::new("valid", Tree::new(Data::Bool(findings.is_empty()))),
            Entry::new("findings", Tree::list(findings)),
        ])
    }
}

fn table(rows: &[Row]) -> String {
    let mut out = String::new();
    for row in rows {
        let selector = row.selector.as_ref().map(|selector| format!(":{selector}")).unwrap_or_default();
        let verdict = match row.findings.len() {
            0 => "valid".to_owned(),
            1 => "1 finding".to_owned(),
            n => format!("{n} findings"),
        };
        let _ = writeln!(out, "{}{selector}: {verdict}", row.file);
    }
    out
}
