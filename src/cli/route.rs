//! `srtx-gh route`

use std::fmt::Write as _;
use std::io::IsTerminal as _;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value as Json, json};

use super::Exit;
use super::files::WorkTree;
use super::matrix::{InputArgs, UnlistedRunners, Wanted, load, rows};
use super::point::json_argument;
use super::report::Reporter;
use super::routing::{RoutedPoint, decide, source_of, travelling};
use crate::core::diag::{Diagnostic, Diagnostics};
use crate::core::matrix::{Refusal, check_point, points};
use crate::core::route::{Decision, Route};
use crate::gha::{Records, Runner, RunnerFile, Secrets};

/// Say which launcher runs a point, natively or by a legacy script, and why.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  srtx-gh route --config-keys 'dsr1-fp8-*' --explain\n  \
                  srtx-gh route --point @point.json --format json\n\n\
                  A point is native when its recipe has exactly one variant that fits, legacy when it names no recipe and its\n\
                  script exists, and broken otherwise: then the exit code is 1, and both lines are shown.")]
pub(super) struct RouteArgs {
    /// A point as JSON: the text itself, @FILE, or - for standard input.
    #[arg(long, value_name = "JSON", required_unless_present = "config_keys", conflicts_with = "config_keys")]
    point: Option<String>,

    /// Config keys, or patterns with `*` and `?`: all of their points.
    #[arg(long, num_args = 1.., value_name = "S")]
    config_keys: Vec<String>,

    /// Say with each point why.
    #[arg(long)]
    explain: bool,

    #[command(flatten)]
    inputs: InputArgs,

    /// Rendering [default: table on a terminal, json otherwise].
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// Write the outputs of the action to `GITHUB_OUTPUT`; for one point.
    #[arg(long, requires = "point")]
    emit: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line of JSON.
    Json,
    /// Indented JSON.
    Pretty,
    /// A table.
    Table,
}

/// The outputs of the action and what each holds.
pub(super) fn documented_outputs() -> Vec<(String, String)> {
    let outputs = [
        ("route", "native or legacy"),
        ("launcher", "name of the launcher"),
        ("recipe", "path of the recipe of a native point"),
        ("variant", "selector of the variant that the point is bound to"),
        ("script", "path of the script of a legacy point"),
        ("reason", "one sentence"),
    ];
    outputs.into_iter().map(|(name, about)| (name.to_owned(), about.to_owned())).collect()
}

pub(super) fn run(args: RouteArgs, reporter: &mut Reporter) -> Exit {
    let RouteArgs { point, config_keys, explain, inputs, format, emit } = args;
    let keys = if config_keys.is_empty() { vec!["*".to_owned()] } else { config_keys };
    let wanted = match Wanted::test_config(inputs, keys, vec![], vec![]) {
        Ok(wanted) => wanted,
        Err(message) => return reporter.usage(&message),
    };
    let point = match point.map(|point| read_point(&point, reporter.found())) {
        Some(None) => return Exit::Wrong,
        point => point.flatten(),
    };
    let Some(loaded) = load(&wanted, &WorkTree, reporter.found()) else { return Exit::Wrong };
    let Some(runners) = loaded.runners(reporter.found()) else { return Exit::Wrong };
    let routed: Vec<RoutedPoint<'_>> = match point {
        Some(point) => vec![(point, None)],
        None => match rows(&wanted, &loaded, UnlistedRunners::Ignore, reporter.found()) {
            Ok(rows) => travelling(&points(rows, reporter.found())),
            Err(Refusal::Usage(message)) => return reporter.usage(&message),
            Err(Refusal::Input) => return Exit::Wrong,
        },
    };
    let decisions = decide(&routed, &loaded, &runners, reporter.found());
    let mut exit = print(&routed, &decisions, format, explain, reporter);
    if emit && let Err(diagnostic) = publish(&decisions) {
        reporter.found().push(diagnostic);
        exit = Exit::Wrong;
    }
    report_broken(decisions, reporter.found());
    if reporter.found().has_errors() { Exit::Wrong } else { exit }
}

fn read_point(argument: &str, found: &mut Diagnostics) -> Option<Map<String, Json>> {
    let parsed = json_argument(argument).and_then(|text| crate::gha::inputs::json("env.SRTX_POINT", &text));
    let point = parsed.map_err(|diagnostic| found.push(diagnostic)).ok()?;
    check_point(&point, found);
    match point {
        Json::Object(point) if !found.has_errors() => Some(point),
        _ => None,
    }
}

/// What is wrong with one entry is wrong with each of its points: it is said once.
fn report_broken(decisions: Vec<Vec<Decision>>, found: &mut Diagnostics) {
    let mut said = std::collections::HashSet::new();
    for diagnostic in decisions.into_iter().flatten().flat_map(|decision| decision.diagnostics) {
        if said.insert((diagnostic.message.clone(), diagnostic.path.clone())) {
            found.push(diagnostic);
        }
    }
}

fn print(
    routed: &[RoutedPoint<'_>],
    decisions: &[Vec<Decision>],
    format: Option<Format>,
    explain: bool,
    reporter: &mut Reporter,
) -> Exit {
    let default = if std::io::stdout().is_terminal() { Format::Table } else { Format::Json };
    let format = format.unwrap_or(default);
    if format == Format::Table {
        return reporter.print_text(&table(routed, decisions, explain));
    }
    let mut list: Vec<Json> = Vec::new();
    for (point, decisions) in routed.iter().zip(decisions) {
        list.extend(decisions.iter().map(|decision| to_json(point, decision)));
    }
    let json = if list.len() == 1 { list.remove(0) } else { Json::Array(list) };
    reporter.print_json(|out| if format == Format::Json { writeln!(out, "{json}") } else { writeln!(out, "{json:#}") })
}

fn to_json(point: &RoutedPoint<'_>, decision: &Decision) -> Json {
    json!({
        "key": point.0.get("key"),
        "route": decision.route.name(),
        "launcher": decision.launcher,
        "recipe": decision.recipe,
        "variant": decision.variant,
        "script": decision.script,
        "reason": decision.reason,
        "rule": decision.rule.name(),
        "source": source_of(point),
    })
}

fn table(routed: &[RoutedPoint<'_>], decisions: &[Vec<Decision>], explain: bool) -> String {
    let mut lines: Vec<([String; 5], &str)> = Vec::new();
    for ((point, _), decisions) in routed.iter().zip(decisions) {
        let text = |name: &str| point.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        for decision in decisions {
            let how = match (&decision.variant, &decision.recipe, &decision.script) {
                (Some(variant), Some(recipe), _) => format!("{recipe}:{variant}"),
                (None, Some(recipe), _) => recipe.clone(),
                (_, None, Some(script)) => script.clone(),
                _ => decision.rule.name().to_owned(),
            };
            let launcher = decision.launcher.clone().unwrap_or_else(|| "-".to_owned());
            lines.push((
                [text("key"), text("exp-name"), decision.route.name().to_owned(), launcher, how],
                &decision.reason,
            ));
        }
    }
    let heads = ["key", "experiment", "route", "launcher", "by"].map(str::to_owned);
    let width = |column: usize| {
        let cells = lines.iter().map(|(cells, _)| cells[column].chars().count());
        cells.chain([heads[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..4).map(width).collect();
    let mut out = String::new();
    let mut line = |cells: &[String; 5]| {
        for (cell, width) in cells.iter().zip(&widths) {
            let _ = write!(out, "{cell:width$}  ");
        }
        let _ = writeln!(out, "{}", cells[4]);
    };
    line(&heads);
    for (cells, reason) in &lines {
        line(cells);
        if explain {
            line(&[String::new(), String::new(), String::new(), String::new(), format!("because {reason}")]);
        }
    }
    let count = |route: Route| decisions.iter().flatten().filter(|decision| decision.route == route).count();
    let [native, legacy, broken] = [Route::Native, Route::Legacy, Route::Broken].map(count);
    let _ = writeln!(out, "\n{native} native, {legacy} legacy, {broken} broken");
    out
}

/// The outputs of one point. All launchers of its label must run it alike.
fn publish(decisions: &[Vec<Decision>]) -> Result<(), Diagnostic> {
    let runner = Runner::of_process();
    let file = runner.require(RunnerFile::Output)?;
    let Some(decision) = decisions.first().and_then(|decisions| decisions.first()) else { return Ok(()) };
    if decision.route == Route::Broken {
        return Ok(());
    }
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let mut records = Records::outputs();
    records.text("route", decision.route.name())?;
    records.text("launcher", text(&decision.launcher))?;
    records.text("recipe", text(&decision.recipe))?;
    records.text("variant", text(&decision.variant))?;
    records.text("script", text(&decision.script))?;
    records.text("reason", decision.reason.clone())?;
    records.append_to(file, &Secrets::of_process())
}
