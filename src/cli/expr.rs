//! `srtx-gh expr`

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

use super::Exit;
use super::files::read_source;
use super::point::json_argument;
use super::report::Reporter;
use crate::core::diag::{Code, Diagnostic, Source};
use crate::core::expr::{
    CaseSource, CasesError, Contexts, Evaluations, Json, JsonError, Object, Value, not_in_json, push_outcome,
    read_cases, read_json, to_display_string,
};

/// Evaluate GitHub expressions.
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Examples:\n  srtx-gh expr eval --expr \"join(matrix.conc, ' ')\" --contexts '{\"matrix\":{\"conc\":[4,8]}}'\n  \
                  srtx-gh expr eval --template '[${{ matrix.conc }}]' --contexts @contexts.json --string"
)]
pub(super) struct ExprArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Eval(EvalArgs),
    Batch(BatchArgs),
}

/// Evaluate one expression or template as GitHub's runner does.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("what").required(true).args(["expr", "template"]),
    after_help = "Examples:\n  srtx-gh expr eval --expr \"fromJSON(needs.plan.outputs.points || '[]')\" --contexts @contexts.json\n  \
                  srtx-gh expr eval --expr '0.00001' --string\n\n\
                  Prints {\"kind\",\"value\"}; a refused expression {\"error\":{\"kind\",\"message\"}} and exit 1."
)]
struct EvalArgs {
    /// What stands between `${{` and `}}`.
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    expr: Option<String>,

    /// A whole text with `${{ }}` parts; exactly one expression keeps its type.
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    template: Option<String>,

    /// The named values, an object: the text itself, @FILE, or - for standard input [default: none].
    #[arg(long, value_name = "JSON")]
    contexts: Option<String>,

    /// Print the value as it is interpolated into a text.
    #[arg(long)]
    string: bool,

    /// Rendering.
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
}

/// Evaluate all cases of a file, one line for each.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  srtx-gh expr batch cases.json\n\n\
                        FILE is {\"contexts\",\"cases\":[{\"expression\"} or {\"template\"}]}, or groups of \
                        {\"expr\",\"contexts\"} as in the test data of GitHub's language services. Exits 0 whatever the \
                        cases evaluate to.")]
struct BatchArgs {
    /// The file of cases.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line.
    Json,
    /// Indented.
    Pretty,
}

pub(super) fn run(args: &ExprArgs, reporter: &mut Reporter) -> Exit {
    let result = match &args.verb {
        Verb::Eval(args) => eval(args, reporter),
        Verb::Batch(args) => batch(&args.file, reporter),
    };
    result.unwrap_or_else(|diagnostic| {
        reporter.found().push(*diagnostic);
        Exit::Wrong
    })
}

fn eval(args: &EvalArgs, reporter: &mut Reporter) -> Result<Exit, Box<Diagnostic>> {
    let contexts = read_contexts(args.contexts.as_deref())?;
    let (option, source) = match (&args.expr, &args.template) {
        (Some(text), _) => ("--expr", CaseSource::Expression(text.as_str().into())),
        (_, text) => ("--template", CaseSource::Template(text.as_deref().unwrap_or_default().into())),
    };
    let result = source.evaluate(&contexts);
    match &result {
        Ok(value) => {
            for path in not_in_json(value).into_iter().filter(|_| !args.string) {
                let message = "a number that JSON cannot hold is printed as null";
                reporter.found().push(Diagnostic::warning(Code::ExpressionValue, message).path(path));
            }
        }
        Err(error) => {
            let source = Source::new(option, source.text());
            reporter.found().push(error.diagnostic(&source, 0));
        }
    }
    let mut text = String::new();
    match result.as_ref().map(to_display_string) {
        Ok(Ok(interpolated)) if args.string => text.push_str(&interpolated),
        _ => push_outcome(&result, source.text(), args.format == Format::Pretty, &mut text),
    }
    let printed = reporter.print(|out| writeln!(out, "{text}"));
    Ok(if result.is_err() { Exit::Wrong } else { printed })
}

fn batch(file: &Path, reporter: &mut Reporter) -> Result<Exit, Box<Diagnostic>> {
    let source = read_source(file)?;
    /// So much is written at once.
    const CHUNK: usize = 1 << 16;
    let cases = read_cases(source.text()).map_err(|error| match error {
        CasesError::Json(error) => not_json(&source, &error),
        CasesError::Shape(path, message) => malformed(&source, &path, message),
    })?;
    let mut evaluations = Evaluations::default();
    Ok(reporter.print(|out| {
        let mut lines = String::with_capacity(2 * CHUNK);
        for case in &cases {
            push_outcome(&evaluations.evaluate(case), case.source.text(), false, &mut lines);
            lines.push('\n');
            if lines.len() >= CHUNK {
                out.write_all(lines.as_bytes())?;
                lines.clear();
            }
        }
        out.write_all(lines.as_bytes())
    }))
}

fn read_contexts(argument: Option<&str>) -> Result<Contexts, Box<Diagnostic>> {
    let Some(argument) = argument else { return Ok(Contexts::new(Object::new([]))) };
    let name = match argument.strip_prefix('@') {
        Some(file) => file,
        None if argument == "-" => "-",
        None => "--contexts",
    };
    let source = Source::new(name, json_argument(argument)?);
    match read_json(source.text()).map_err(|error| not_json(&source, &error))? {
        Json::Object(members) => {
            Ok(Contexts::new(Object::new(members.into_iter().map(|(name, value)| (name.into(), Value::from(value))))))
        }
        _ => Err(malformed(&source, "", "contexts are no JSON object")),
    }
}

fn not_json(source: &Arc<Source>, error: &JsonError) -> Box<Diagnostic> {
    let message = format!("{} is not JSON: {}", source.name(), error.message);
    Box::new(Diagnostic::error(Code::ExpressionInput, message).at(source, error.at..error.at))
}

fn malformed(source: &Arc<Source>, path: &str, message: &str) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::error(Code::ExpressionInput, message).in_file(source.name());
    Box::new(if path.is_empty() { diagnostic } else { diagnostic.path(path) })
}
