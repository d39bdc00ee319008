//! The door: one file a verb, each arguments, one call into the core, and printing.

mod action;
mod bind;
mod diff;
mod docs;
mod emit;
mod exit;
mod explain;
mod expr;
mod files;
mod matrix;
mod point;
mod python_args;
mod recipe;
mod report;
mod route;
mod routing;
mod simulate;
mod status;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use crate::core::diag::Diagnostics;
pub use exit::Exit;
use report::Reporter;

/// Benchmark sweeps on GPU fleets, from GitHub Actions or from your shell.
#[derive(Debug, Parser)]
#[command(
    name = "srtx-gh",
    version,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true,
    args_override_self = true,
    max_term_width = 100,
    after_help = "Exit codes: 0 done; 1 the input is wrong; 2 the command line is wrong;\n\
                  3 a generated file is out of date; 4 an outside system refused or could not be reached;\n\
                  130/143 interrupted.\n\n\
                  Start here:\n  srtx-gh matrix full-sweep          the jobs of configs/*master*.yaml, as a table\n  \
                  srtx-gh explain SRTX0203           what a diagnostic means and how to fix it"
)]
struct Cli {
    /// How diagnostics are printed on stderr.
    #[arg(long, global = true, value_enum, default_value_t = DiagnosticFormat::Human, value_name = "FORMAT")]
    diagnostics: DiagnosticFormat,

    #[command(subcommand)]
    command: Command,
}

/// How diagnostics are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DiagnosticFormat {
    /// For people: message, place, snippet, help.
    Human,
    /// For programs: one JSON array.
    Json,
}

#[derive(Debug, Subcommand)]
enum Command {
    Matrix(Box<matrix::MatrixArgs>),
    Point(point::PointArgs),
    Expr(expr::ExprArgs),
    Simulate(Box<simulate::SimulateArgs>),
    Diff(Box<diff::DiffArgs>),
    Route(Box<route::RouteArgs>),
    Status(Box<status::StatusArgs>),
    Bind(bind::BindArgs),
    Recipe(recipe::RecipeArgs),
    Explain(explain::ExplainArgs),
    Docs(docs::DocsArgs),
    Action(action::ActionArgs),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    run(std::env::args_os().collect()).into()
}

fn run(arguments: Vec<OsString>) -> Exit {
    let mut reporter = Reporter::new(wants_json(&arguments));
    let exit = dispatch(&arguments, &mut reporter).unwrap_or_else(|exit| exit);
    reporter.finish();
    exit
}

fn dispatch(arguments: &[OsString], reporter: &mut Reporter) -> Result<Exit, Exit> {
    let command = match parse(arguments, reporter)?.command {
        Command::Action(args) => {
            let line = action::command_line(&args, reporter)?;
            reporter.want_json(wants_json(&line));
            parse(&line, reporter)?.command
        }
        command => command,
    };
    Ok(match command {
        Command::Matrix(args) => matrix::run(*args, reporter),
        Command::Point(args) => point::run(&args, reporter),
        Command::Expr(args) => expr::run(&args, reporter),
        Command::Simulate(args) => simulate::run(&args, reporter),
        Command::Diff(args) => diff::run(*args, reporter),
        Command::Route(args) => route::run(*args, reporter),
        Command::Status(args) => status::run(*args, reporter),
        Command::Bind(args) => bind::run(&args, reporter),
        Command::Recipe(args) => recipe::run(&args, reporter),
        Command::Explain(args) => explain::run(&args, reporter),
        Command::Docs(args) => docs::run(&args, reporter),
        // Only the inputs of an action can name another, and that one has no inputs of its own.
        Command::Action(_) => reporter.usage("an action runs a command, not an action"),
    })
}

/// The outputs that a command line of an action would publish, without publishing them. `None` for a command that has
/// none; the inner `None` when it was refused, with the reasons in `found`.
fn outputs_of(arguments: &[OsString], found: &mut Diagnostics) -> Option<Option<Vec<(String, String)>>> {
    matrix_args(arguments).map(|args| matrix::outputs(args, found))
}

/// The JSON list that a command line would print, likewise.
fn list_of(arguments: &[OsString], found: &mut Diagnostics) -> Option<Option<String>> {
    matrix_args(arguments).map(|args| matrix::list(args, found))
}

fn matrix_args(arguments: &[OsString]) -> Option<matrix::MatrixArgs> {
    let arguments = python_args::expand(arguments).ok()?;
    let parsed = command().try_get_matches_from(arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed.ok()?.command {
        Command::Matrix(args) => Some(*args),
        _ => None,
    }
}

/// The command that `--help`, the man pages and the generated files describe.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

fn parse(arguments: &[OsString], reporter: &mut Reporter) -> Result<Cli, Exit> {
    let arguments = match python_args::expand(arguments) {
        Ok(arguments) => arguments,
        Err(message) => return Err(reporter.usage(&message)),
    };
    let parsed = command().try_get_matches_from(arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map_err(|error| reporter.clap(&error))
}

/// Whether diagnostics are asked for as JSON, known before the command line parses: its own errors count too.
fn wants_json(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--");
    let mut json = false;
    while let Some(word) = words.next() {
        match word.strip_prefix("--diagnostics") {
            Some("") => json = words.next() == Some("json"),
            Some(value) if value.starts_with('=') => json = value == "=json",
            _ => {}
        }
    }
    json
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        super::command().debug_assert();
    }
}
