//! `srtx-gh diff`

mod emit;
mod markdown;
mod sides;
mod tree;

pub(super) use self::emit::documented_outputs;

use std::io::IsTerminal as _;

use clap::{Args, ValueEnum};
use serde_json::json;

use self::sides::{Named, Range, Side, named, sides};
use super::Exit;
use super::matrix::{FilterArgs, InputArgs, Loaded, UnlistedRunners, Wanted, load_named, rows};
use super::report::Reporter;
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::json::indented;
use crate::core::matrix::diff::{Diff, Report, diff, render_json, render_text};
use crate::core::matrix::{Point, Refusal, points_to_compare};
use crate::exec::Repository;

/// Show which points a change adds, removes and alters.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  srtx-gh diff                          what this branch and the work tree change, since the default branch\n  \
                  srtx-gh diff HEAD                     what is not committed yet\n  \
                  srtx-gh diff v1.2..HEAD --format json | jq '.removed[].key'\n  \
                  srtx-gh diff origin/main...HEAD --fail-on removed --format markdown >> \"$GITHUB_STEP_SUMMARY\"\n\n\
                  Both matrices are generated from git, without a checkout. GPU-hours are those of points whose duration is\n\
                  known, those that come less those that go."
)]
pub(super) struct DiffArgs {
    /// What is compared: BASE with the work tree, BASE..HEAD, or BASE...HEAD from where the two parted.
    ///
    /// Without BASE: from where the head left the default branch (that of the pull request, origin/HEAD, origin/main,
    /// origin/master, main, master). Without HEAD: the files as they are now, and after two dots the commit HEAD.
    #[arg(value_name = "BASE[..HEAD]")]
    range: Option<String>,

    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    filters: FilterArgs,

    #[command(flatten)]
    printing: PrintArgs,
}

/// How the difference is given, and what is refused.
#[derive(Debug, Args)]
struct PrintArgs {
    /// Exit 1 when points are added, removed or changed; several kinds with commas between.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KIND")]
    fail_on: Vec<Kind>,

    /// Rendering [default: table on a terminal, json otherwise].
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// Write the outputs of the action to `GITHUB_OUTPUT`, and a step summary, also when `--fail-on` refuses.
    #[arg(long)]
    emit: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Added,
    Removed,
    Changed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line of JSON.
    Json,
    /// Indented JSON.
    Pretty,
    /// Tables.
    Table,
    /// For a step summary or a comment; starts with a hidden mark by which a comment is found again.
    Markdown,
}

pub(super) fn run(args: DiffArgs, reporter: &mut Reporter) -> Exit {
    let wanted = match Wanted::full_sweep(args.inputs, args.filters) {
        Ok(wanted) => wanted,
        Err(message) => return reporter.usage(&message),
    };
    let repository = match Repository::open() {
        Ok(repository) => repository,
        Err(diagnostic) => return refuse(diagnostic, reporter),
    };
    let (base, head) = match sides(&repository, &Range::of(args.range.as_deref())) {
        Ok(sides) => sides,
        Err(diagnostic) => return refuse(diagnostic, reporter),
    };
    let Some(named) = named(&repository, &wanted.inputs, (&base, &head), reporter.found()) else {
        return exit_of(reporter.found());
    };
    let loaded = match load_both(&wanted, (&base, &head), named, reporter.found()) {
        Some(loaded) => loaded,
        None => return exit_of(reporter.found()),
    };
    let exit = compare(&repository, &wanted, (&base, &head), &loaded, &args.printing, reporter);
    // The process ends here, and frees all of it at once.
    std::mem::forget(loaded);
    exit
}

fn compare(
    repository: &Repository,
    wanted: &Wanted,
    (base, head): (&Side<'_>, &Side<'_>),
    loaded: &Both<Loaded<'_>>,
    printing: &PrintArgs,
    reporter: &mut Reporter,
) -> Exit {
    let points = match points_of_both(wanted, loaded, reporter.found()) {
        Ok(points) => points,
        Err(Refusal::Usage(message)) => return reporter.usage(&message),
        Err(Refusal::Input) => return exit_of(reporter.found()),
    };
    let file_name = |name: &str| {
        let plain = base.plain_name(repository, name);
        if plain == name { head.plain_name(repository, name).to_owned() } else { plain.to_owned() }
    };
    let difference = diff(&points.0, &points.1);
    let report = Report::new(&difference, &file_name);
    let shown = Shown { difference: &difference, report: &report, base, head, file_name: &file_name };
    let mut exit = shown.print(printing.format, reporter);
    if printing.emit
        && let Err(diagnostic) = emit::publish(&report, &base.label, &head.label)
    {
        exit = refuse(diagnostic, reporter);
    }
    for kind in [Kind::Added, Kind::Removed, Kind::Changed].into_iter().filter(|kind| printing.fail_on.contains(kind)) {
        if let Some(diagnostic) = refused(kind, &difference) {
            exit = refuse(diagnostic, reporter);
        }
    }
    std::mem::forget(points);
    exit
}

fn refuse(diagnostic: Diagnostic, reporter: &mut Reporter) -> Exit {
    reporter.found().push(diagnostic);
    exit_of(reporter.found())
}

/// Git is an outside system: where it cannot be used, nothing is wrong with the input.
fn exit_of(found: &Diagnostics) -> Exit {
    match found.as_slice().iter().any(|diagnostic| diagnostic.code == Code::GitUnavailable) {
        true => Exit::Outside,
        false => Exit::Wrong,
    }
}

/// The files of both sides; a side without configs has none.
type Both<T> = (Option<T>, Option<T>);

/// Reads the files of both sides. What is wrong with either is reported; what is merely odd, `matrix` says.
fn load_both<'f>(
    wanted: &Wanted,
    (base, head): (&'f Side<'_>, &'f Side<'_>),
    (of_base, of_head): (Named, Named),
    found: &mut Diagnostics,
) -> Option<Both<Loaded<'f>>> {
    let neither = of_base.masters.is_empty() && of_head.masters.is_empty();
    let mut load = |side: &'f Side<'_>, named: Named, is_head: bool| {
        // Where neither side has configs, the head says so in the words of `matrix`.
        if named.masters.is_empty() && !(neither && is_head) {
            return Some(None);
        }
        let mut of_side = Diagnostics::new();
        let loaded = match named.masters.is_empty() {
            true => super::matrix::load(wanted, &*side.files, &mut of_side),
            false => load_named(wanted, &named.masters, &named.runners, &*side.files, &mut of_side),
        };
        of_side.keep_errors();
        found.extend(of_side);
        loaded.map(Some)
    };
    let (base, head) = (load(base, of_base, false), load(head, of_head, true));
    Some((base?, head?))
}

/// The points of both sides.
fn points_of_both<'l>(
    wanted: &Wanted,
    loaded: &'l Both<Loaded<'_>>,
    found: &mut Diagnostics,
) -> Result<(Vec<Point<'l>>, Vec<Point<'l>>), Refusal> {
    let sides = [&loaded.0, &loaded.1].map(Option::as_ref);
    let mut points = [Vec::new(), Vec::new()];
    let mut refusal = None;
    for (side, points) in sides.into_iter().zip(&mut points) {
        let Some(side) = side else { continue };
        // A label may be on one side only, and is unknown when it is on neither.
        let is_elsewhere =
            |label: &str| !side.has_label(label) && sides.iter().flatten().any(|side| side.has_label(label));
        let Some(wanted) = wanted.without_labels(is_elsewhere) else { continue };
        let mut of_side = Diagnostics::new();
        match rows(&wanted, side, UnlistedRunners::Ignore, &mut of_side) {
            Ok(rows) => *points = points_to_compare(rows, &mut of_side),
            Err(reason) => refusal = Some(reason),
        }
        of_side.keep_errors();
        found.extend(of_side);
    }
    let [base, head] = points;
    match refusal {
        Some(refusal) => Err(refusal),
        None if found.has_errors() => Err(Refusal::Input),
        None => Ok((base, head)),
    }
}

/// A difference and what is needed to print it.
struct Shown<'a> {
    difference: &'a Diff<'a, 'a>,
    report: &'a Report,
    base: &'a Side<'a>,
    head: &'a Side<'a>,
    file_name: &'a dyn Fn(&str) -> String,
}

impl Shown<'_> {
    fn print(&self, format: Option<Format>, reporter: &mut Reporter) -> Exit {
        let default = if std::io::stdout().is_terminal() { Format::Table } else { Format::Json };
        let format = format.unwrap_or(default);
        let (base, head) = (&self.base.label, &self.head.label);
        match format {
            Format::Table => reporter.print_text(&render_text(self.report, base, head)),
            Format::Markdown => reporter.print_text(&markdown::comment(self.report, base, head)),
            Format::Json | Format::Pretty => {
                let (base, head) = (json!(self.base.commit), json!(self.head.commit));
                let text = render_json(self.difference, self.report, &base, &head, self.file_name);
                reporter.print_json(|out| match format {
                    Format::Pretty => out.write_all(&indented(text.as_bytes())).and_then(|()| writeln!(out)),
                    _ => writeln!(out, "{text}"),
                })
            }
        }
    }
}

/// Why `--fail-on` refuses, at the first point of the kind.
fn refused(kind: Kind, difference: &Diff<'_, '_>) -> Option<Diagnostic> {
    let (points, verb): (Vec<&Point<'_>>, &str) = match kind {
        Kind::Added => (difference.added.clone(), "added"),
        Kind::Removed => (difference.removed.clone(), "removed"),
        Kind::Changed => (difference.changed.iter().map(|change| change.after).collect(), "changed"),
    };
    let first = &points.first()?.row.entry;
    let mut configs: Vec<(&str, usize)> = Vec::new();
    for point in &points {
        let key = point.row.entry.config.key;
        match configs.iter_mut().find(|(known, _)| *known == key) {
            Some((_, count)) => *count += 1,
            None => configs.push((key, 1)),
        }
    }
    let named: Vec<String> = configs.iter().take(3).map(|(key, count)| format!("{key} ({count})")).collect();
    let more = if configs.len() > 3 { format!(" and {} more", configs.len() - 3) } else { String::new() };
    let plural = if points.len() == 1 { "point is" } else { "points are" };
    let message = format!("{} {plural} {verb}: {}{more}", points.len(), named.join(", "));
    Some(
        Diagnostic::error(Code::DiffRefused, message)
            .labelled(first.node.source(), first.node.site(), "the first")
            .path(first.path(""))
            .help(format!("--fail-on names {verb}; leave it out when this is meant")),
    )
}
