//! `srtx-gh recipe resolve` and `recipe override`

use clap::Args;

use super::{ChangeArgs, Format, print_tree, read_document, read_recipe, split_reference, warn_without_variants};
use crate::cli::Exit;
use crate::cli::report::Reporter;
use crate::core::diag::Diagnostics;
use crate::core::recipe::{Data, Entry, Selection, Tree, Variant};
use crate::core::yaml::write_yaml;

/// Print what a recipe resolves to: one recipe, or those of a group or pattern.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  srtx-gh recipe resolve recipes/dsr1.yaml:override_tp8\n  \
                        srtx-gh recipe resolve 'recipes/dsr1.yaml:zip_override_lowlat[1]' --set benchmark.isl=1024\n\n\
                        One recipe is printed as it is. Without a selector, of a whole group and of a pattern a list of \
                        {\"selector\",\"suffix\",\"recipe\"} is, as YAML a document each.")]
pub(super) struct ResolveArgs {
    /// The recipe file and what to select in it.
    #[arg(value_name = "FILE[:SELECTOR]")]
    file: String,

    #[command(flatten)]
    changes: ChangeArgs,

    /// Rendering [default: yaml on a terminal, json otherwise].
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// Print a whole recipe file with values set and removed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  srtx-gh recipe override recipes/dsr1.yaml --set benchmark.env.CONC='\"8\"'\n  \
                        srtx-gh recipe override recipes/dsr1.yaml --unset roles.agg.env.DEBUG --format yaml\n\n\
                        Sets apply before unsets. A key with dots stands in quotes, an item of a list is [N].")]
pub(super) struct OverrideArgs {
    /// The recipe file.
    #[arg(value_name = "FILE")]
    file: String,

    #[command(flatten)]
    changes: ChangeArgs,

    /// Rendering [default: yaml on a terminal, json otherwise].
    #[arg(long, value_enum)]
    format: Option<Format>,
}

pub(super) fn run(args: &ResolveArgs, reporter: &mut Reporter) -> Result<Exit, Diagnostics> {
    let (path, selector) = split_reference(&args.file);
    let changes = args.changes.overrides()?;
    let document = read_document(path, reporter)?;
    let file = read_recipe(&document, &changes)?;
    let selection = file.select(selector).map_err(|diagnostic| Diagnostics::from(*diagnostic))?;
    let mut found = Diagnostics::new();
    if !selection.report_malformed(&mut found) {
        return Err(found);
    }
    let format = Format::or_default(args.format);
    let rows = match &selection {
        Selection::One(Variant { recipe: Ok(recipe), .. }) => return Ok(print_tree(recipe, format, reporter)),
        selection => selection.variants().iter().filter_map(row).collect::<Vec<_>>(),
    };
    if rows.is_empty() {
        warn_without_variants(&file, reporter);
    }
    if format == Format::Yaml {
        let documents = rows.iter().map(|row| format!("---\n{}", write_yaml(&row.to_value())));
        return Ok(reporter.print_text(&documents.collect::<String>()));
    }
    Ok(print_tree(&Tree::list(rows), format, reporter))
}

fn row<'d>(variant: &Variant<'d>) -> Option<Tree<'d>> {
    let text = |text: &Option<String>| text.clone().map_or(Tree::new(Data::Null), Tree::text);
    let recipe = variant.recipe.as_ref().ok()?;
    Some(Tree::map(vec![
        Entry::new("selector", text(&variant.selector)),
        Entry::new("suffix", text(&variant.suffix)),
        Entry::new("recipe", recipe.clone()),
    ]))
}

pub(super) fn run_override(args: &OverrideArgs, reporter: &mut Reporter) -> Result<Exit, Diagnostics> {
    let changes = args.changes.overrides()?;
    let (path, selector) = split_reference(&args.file);
    if let Some(selector) = selector {
        let message = format!("override prints the whole file, so `:{selector}` has no meaning");
        return Ok(reporter.usage(&message));
    }
    let document = read_document(path, reporter)?;
    let file = read_recipe(&document, &changes)?;
    Ok(print_tree(file.root(), Format::or_default(args.format), reporter))
}
