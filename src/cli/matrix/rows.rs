//! From the command line and named files to rows: the path that every command takes that needs a matrix.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::Wanted;
use crate::cli::files::{Files, RecipesBeside, default_master_files};
use crate::core::config::{self, Rules, Runners};
use crate::core::diag::{Code, Diagnostic, Diagnostics, Source};
use crate::core::matrix::{Inputs, Recipes as _, Refusal, Row, generate};
use crate::core::yaml::{Document, Schema, parse};

/// The files of a matrix, read and parsed.
pub(in crate::cli) struct Loaded<'f> {
    masters: Vec<Document>,
    runners: Document,
    rules: Rules,
    recipes: RecipesBeside<'f>,
}

impl Loaded<'_> {
    /// Whether the runner file has a label.
    pub(in crate::cli) fn has_label(&self, label: &str) -> bool {
        let labels = self.runners.root().and_then(|root| root.get("labels"));
        labels.is_some_and(|labels| labels.get(label).is_some())
    }
}

impl Loaded<'_> {
    /// Labels and their runners; `None` when the runner file is refused.
    pub(in crate::cli) fn runners(&self, found: &mut Diagnostics) -> Option<Runners<'_>> {
        // What is wrong with it was said when the rows were made, or is said then.
        let mut said = Diagnostics::new();
        let runners = config::load_runners(&self.runners, self.rules, &mut said);
        if runners.is_none() {
            found.extend(said);
        }
        runners
    }

    /// A recipe, by the path that a config names.
    pub(in crate::cli) fn recipe(&self, path: &str) -> Option<Arc<Source>> {
        self.recipes.recipe(path)
    }

    /// Whether the checkout has a file.
    pub(in crate::cli) fn has_file(&self, path: &str) -> bool {
        self.recipes.has(path)
    }

    /// The text of a file of the checkout.
    pub(in crate::cli) fn text_of(&self, path: &str) -> Option<String> {
        self.recipes.recipe(path).map(|source| source.text().to_owned())
    }
}

/// Reads and parses all files; everything that is wrong with any of them is reported.
pub(in crate::cli) fn load<'f>(wanted: &Wanted, files: &'f dyn Files, found: &mut Diagnostics) -> Option<Loaded<'f>> {
    let names = master_files(&wanted.inputs.config_files, files, found)?;
    load_named(wanted, &names, &wanted.inputs.runner_config, files, found)
}

/// The same for these files, of which there is at least one.
pub(in crate::cli) fn load_named<'f>(
    wanted: &Wanted,
    names: &[PathBuf],
    runner_config: &Path,
    files: &'f dyn Files,
    found: &mut Diagnostics,
) -> Option<Loaded<'f>> {
    let mut read = |path: &Path| -> Option<Document> {
        let source = files.read(path).map_err(|diagnostic| found.push(diagnostic)).ok()?;
        parse(&source, Schema::V11, found)
    };
    let masters: Vec<Document> = names.iter().filter_map(|name| read(name)).collect();
    let runners = read(runner_config);
    let rules = wanted.rules().or_else(|| runners.as_ref().map(config::detect_rules));
    let all_read = runners.is_some() && masters.len() == names.len();
    if !all_read {
        validate_what_is_there(&masters, runners.as_ref(), rules, found);
        return None;
    }
    let (runners, rules) = (runners?, rules?);
    let recipes = RecipesBeside::new(names.first()?, files);
    Some(Loaded { masters, runners, rules, recipes })
}

/// A file that cannot be read must not hide what is wrong with the others.
fn validate_what_is_there(
    masters: &[Document],
    runners: Option<&Document>,
    rules: Option<Rules>,
    found: &mut Diagnostics,
) {
    let Some(rules) = rules else { return };
    config::merge_masters(&masters.iter().collect::<Vec<_>>(), rules, found);
    if let Some(runners) = runners {
        config::load_runners(runners, rules, found);
    }
}

fn master_files(given: &[PathBuf], files: &dyn Files, found: &mut Diagnostics) -> Option<Vec<PathBuf>> {
    if !given.is_empty() {
        return Some(given.to_vec());
    }
    let help = "run it in the folder that holds configs, or give the files with --config-files";
    let missing = match default_master_files(files) {
        Ok(files) if !files.is_empty() => return Some(files),
        Ok(_) => Diagnostic::error(Code::FileUnreadable, "no file in configs is named *master*.yaml"),
        Err(reason) => Diagnostic::error(Code::FileUnreadable, format!("the folder configs {reason}")),
    };
    found.push(missing.in_file("configs").help(help));
    None
}

/// Whether runners that no label lists are worth a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum UnlistedRunners {
    Warn,
    Ignore,
}

/// The rows that the command line asks for; they borrow from the loaded files.
pub(in crate::cli) fn rows<'l>(
    wanted: &Wanted,
    loaded: &'l Loaded<'_>,
    unlisted: UnlistedRunners,
    found: &mut Diagnostics,
) -> Result<Vec<Row<'l>>, Refusal> {
    let options = wanted.options(loaded.rules).map_err(Refusal::Usage)?;
    let masters: Vec<&Document> = loaded.masters.iter().collect();
    let configs = config::merge_masters(&masters, loaded.rules, found);
    let runners = config::load_runners(&loaded.runners, loaded.rules, found);
    let (Some(configs), Some(runners)) = (configs, runners) else { return Err(Refusal::Input) };
    if unlisted == UnlistedRunners::Warn {
        config::warn_unlisted_runners(&configs, &runners, found);
    }
    generate(&Inputs { configs: &configs, runners: &runners, recipes: &loaded.recipes }, &options, found)
}
