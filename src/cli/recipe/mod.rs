//! `srtx-gh recipe`

mod consolidate;
mod list;
mod resolve;
mod validate;
mod verify;

use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use clap::{Args, Subcommand, ValueEnum};

use super::Exit;
use super::files::read_source;
use super::report::Reporter;
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::recipe::{Overrides, RecipeFile, Tree, not_in_json, split_reference, write_json};
use crate::core::yaml::{Document, Schema, parse, write_yaml};

/// Work with srt-slurm recipes.
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Examples:\n  srtx-gh recipe list recipes/dsr1.yaml\n  \
                  srtx-gh recipe resolve 'recipes/dsr1.yaml:zip_override_lowlat[0]' --format yaml\n\n\
                  FILE is YAML 1.1 as PyYAML reads it; a selector follows the first colon."
)]
pub(super) struct RecipeArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    List(list::ListArgs),
    Resolve(resolve::ResolveArgs),
    Override(resolve::OverrideArgs),
    Validate(validate::ValidateArgs),
    Consolidate(consolidate::ConsolidateArgs),
    Verify(verify::VerifyArgs),
}

pub(super) fn run(args: &RecipeArgs, reporter: &mut Reporter) -> Exit {
    let result = match &args.verb {
        Verb::List(args) => list::run(args, reporter),
        Verb::Resolve(args) => resolve::run(args, reporter),
        Verb::Override(args) => resolve::run_override(args, reporter),
        Verb::Validate(args) => validate::run(args, reporter),
        Verb::Consolidate(args) => consolidate::run(args, reporter),
        Verb::Verify(args) => verify::run(args, reporter),
    };
    result.unwrap_or_else(|found| {
        reporter.found().extend(found);
        Exit::Wrong
    })
}

/// How a recipe is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line of JSON.
    Json,
    /// Indented JSON.
    Pretty,
    /// YAML that YAML 1.1 readers read as the same values.
    Yaml,
}

impl Format {
    /// What was asked for; else YAML for people and JSON for programs.
    fn or_default(given: Option<Self>) -> Self {
        given.unwrap_or_else(|| if io::stdout().is_terminal() { Self::Yaml } else { Self::Json })
    }
}

/// Changes that are made to a file before it is expanded.
#[derive(Debug, Args)]
struct ChangeArgs {
    /// Set a value: a YAML scalar or list; in a file with `base` in the base and in every section.
    #[arg(long, value_name = "PATH=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,

    /// Remove a value, or an item of a list, wherever it stands.
    #[arg(long, value_name = "PATH", allow_hyphen_values = true)]
    unset: Vec<String>,
}

impl ChangeArgs {
    fn overrides(&self) -> Result<Overrides, Diagnostics> {
        Overrides::parse(self.set.iter().map(String::as_str), self.unset.iter().map(String::as_str))
    }
}

/// A YAML file, parsed. Warnings go to the reporter.
pub(super) fn read_document(path: &str, reporter: &mut Reporter) -> Result<Document, Diagnostics> {
    let source = read_source(Path::new(path)).map_err(Diagnostics::from)?;
    parse(&source, Schema::V11, reporter.found()).ok_or_else(Diagnostics::new)
}

/// The recipe file in a document, after changes.
pub(super) fn read_recipe<'d>(document: &'d Document, changes: &Overrides) -> Result<RecipeFile<'d>, Diagnostics> {
    let mut found = Diagnostics::new();
    let file = RecipeFile::read(document, &mut found).ok_or(found)?;
    if changes.is_empty() { Ok(file) } else { file.overridden(changes) }
}

/// Warns of a file from which nothing is selected unless `base` is asked for.
fn warn_without_variants(file: &RecipeFile<'_>, reporter: &mut Reporter) {
    let message = format!("{} has `base` and no variant of it", file.source().name());
    let diagnostic = Diagnostic::warning(Code::RecipeWithoutVariants, message).path("base");
    let place = file.root().entry("base").and_then(|entry| entry.key.place());
    let diagnostic = match place {
        Some((source, span)) => diagnostic.at(source, span),
        None => diagnostic.in_file(file.source().name()),
    };
    reporter.found().push(diagnostic.help("select `:base` for the base itself, or add an `override_*` section"));
}

/// Warns of numbers that are printed as null.
fn warn_not_in_json(tree: &Tree<'_>, reporter: &mut Reporter) {
    for path in not_in_json(tree) {
        let message = "a number that JSON cannot hold is printed as null";
        let diagnostic = Diagnostic::warning(Code::RecipeNumber, message).path(path);
        reporter.found().push(diagnostic.help("print it with --format yaml, or correct the recipe"));
    }
}

/// Prints one value.
fn print_tree(tree: &Tree<'_>, format: Format, reporter: &mut Reporter) -> Exit {
    if format == Format::Yaml {
        return reporter.print_text(&write_yaml(&tree.to_value()));
    }
    warn_not_in_json(tree, reporter);
    reporter.print_json(|out| write_line(out, tree, format))
}

fn write_line(out: &mut dyn Write, tree: &Tree<'_>, format: Format) -> io::Result<()> {
    write_json(out, tree, (format == Format::Pretty).then_some(0))?;
    out.write_all(b"\n")
}
