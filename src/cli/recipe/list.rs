//! `srtx-gh recipe list`

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use clap::{Args, ValueEnum};

use super::{read_document, read_recipe, split_reference, warn_without_variants};
use crate::cli::Exit;
use crate::cli::report::Reporter;
use crate::core::diag::Diagnostics;
use crate::core::recipe::{Entry, Overrides, Tree, Variant, write_json};

/// List the variants of a recipe file, in the order in which they are submitted.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  srtx-gh recipe list recipes/dsr1.yaml\n  \
                        srtx-gh recipe list 'recipes/dsr1.yaml:*lowlat*' --format json")]
pub(super) struct ListArgs {
    /// The recipe file; with a selector only the variants that it names.
    #[arg(value_name = "FILE[:SELECTOR]")]
    file: String,

    /// Rendering [default: table on a terminal, json otherwise].
    #[arg(long, value_enum)]
    format: Option<ListFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// For people.
    Table,
    /// One line of JSON.
    Json,
    /// Indented JSON.
    Pretty,
}

pub(super) fn run(args: &ListArgs, reporter: &mut Reporter) -> Result<Exit, Diagnostics> {
    let (path, selector) = split_reference(&args.file);
    let document = read_document(path, reporter)?;
    let file = read_recipe(&document, &Overrides::default())?;
    let selection = file.select(selector).map_err(|diagnostic| Diagnostics::from(*diagnostic))?;
    let mut found = Diagnostics::new();
    if !selection.report_malformed(&mut found) {
        return Err(found);
    }
    let variants = selection.variants();
    if variants.is_empty() {
        warn_without_variants(&file, reporter);
    }
    let default = if io::stdout().is_terminal() { ListFormat::Table } else { ListFormat::Json };
    Ok(match args.format.unwrap_or(default) {
        ListFormat::Table => reporter.print_text(&table(variants)),
        format => {
            let rows = Tree::list(variants.iter().map(row).collect());
            reporter.print_json(|out| {
                write_json(out, &rows, (format == ListFormat::Pretty).then_some(0))?;
                writeln!(out)
            })
        }
    })
}

fn row<'d>(variant: &Variant<'d>) -> Tree<'d> {
    let text = |text: &Option<String>| text.clone().map_or_else(null, Tree::text);
    let name = variant.name().cloned().unwrap_or_else(null);
    Tree::map(vec![
        Entry::new("selector", text(&variant.selector)),
        Entry::new("suffix", text(&variant.suffix)),
        Entry::new("name", name),
    ])
}

fn null<'d>() -> Tree<'d> {
    Tree::new(crate::core::recipe::Data::Null)
}

fn table(variants: &[Variant<'_>]) -> String {
    let selector = |variant: &Variant<'_>| variant.selector.clone().unwrap_or_else(|| "-".to_owned());
    let width = variants.iter().map(|variant| selector(variant).chars().count()).max().unwrap_or(0).max(8);
    let mut out = format!("{:width$}  name\n", "selector");
    for variant in variants {
        let name = variant.name().map(|name| name.python_str().into_owned()).unwrap_or_default();
        let _ = writeln!(out, "{:width$}  {name}", selector(variant));
    }
    out
}
