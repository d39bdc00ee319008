//! `srtx-gh point`

use std::io::Read as _;

use clap::{Args, ValueEnum};

use super::Exit;
use super::files::read_source;
use super::report::Reporter;
use crate::core::diag::{Code, Diagnostic};
use crate::core::matrix::check_point;

/// Check that a point arrived whole, and print it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  srtx-gh point --point @point.json\n  srtx-gh matrix full-sweep --points | jq -c '.[0]' | srtx-gh point --point -"
)]
pub(super) struct PointArgs {
    /// The point as JSON: the text itself, @FILE, or - for standard input.
    #[arg(long, value_name = "JSON")]
    point: String,

    /// Rendering.
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line.
    Json,
    /// Indented.
    Pretty,
}

/// The text of an argument that is called JSON: itself, `@FILE`, or `-`.
pub(super) fn json_argument(argument: &str) -> Result<String, Diagnostic> {
    if let Some(file) = argument.strip_prefix('@') {
        return read_source(std::path::Path::new(file)).map(|source| source.text().to_owned());
    }
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| {
        Diagnostic::error(Code::FileUnreadable, format!("standard input cannot be read: {error}")).in_file("-")
    })?;
    Ok(text)
}

pub(super) fn run(args: &PointArgs, reporter: &mut Reporter) -> Exit {
    let parsed = json_argument(&args.point).and_then(|text| crate::gha::inputs::json("env.SRTX_POINT", &text));
    let point = match parsed {
        Ok(point) => point,
        Err(diagnostic) => {
            reporter.found().push(diagnostic);
            return Exit::Wrong;
        }
    };
    check_point(&point, reporter.found());
    if reporter.found().has_errors() {
        return Exit::Wrong;
    }
    reporter.print_json(|out| match args.format {
        Format::Json => writeln!(out, "{point}"),
        Format::Pretty => writeln!(out, "{point:#}"),
    })
}
