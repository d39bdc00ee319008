//! `srtx-gh recipe verify`

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::path::Path;

use clap::{Args, ValueEnum};

use super::{read_document, read_recipe, write_line};
use crate::cli::Exit;
use crate::cli::files::write_atomically;
use crate::cli::point::json_argument;
use crate::cli::report::Reporter;
use crate::core::diag::{Code, Diagnostic, Diagnostics, Severity};
use crate::core::recipe::{
    Data, Difference, Entry, Original, Overrides, RecipeFile, SchemaChoice, Tree, Variant, Verification, check_recipe,
    differences, duplicates, names_file, references, rewritten, section_key, split_reference,
};
use crate::core::yaml::Document;

/// Prove that the variants of a bundle are what the files were that it replaced.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  srtx-gh recipe verify recipes/kimi.yaml --against old/kimi/*.yaml\n  \
                        srtx-gh recipe verify recipes/kimi.yaml --against recipes/kimi/*.yaml --rewrite-configs configs/nvidia-master.yaml\n\n\
                        Values and types must be the same; the order of keys does not count.")]
pub(super) struct VerifyArgs {
    /// The consolidated file.
    #[arg(value_name = "CONSOLIDATED")]
    bundle: String,

    /// The files that it replaced.
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    against: Vec<String>,

    /// The selectors of files whose stem does not name their section, an object: the text itself, @FILE, or -.
    #[arg(long, value_name = "JSON")]
    map: Option<String>,

    /// Master config files whose references are checked too.
    #[arg(long, value_name = "F", num_args = 1..)]
    configs: Vec<String>,

    /// Master config files in which references to the files are rewritten, when all is the same.
    #[arg(long, value_name = "F", num_args = 1..)]
    rewrite_configs: Vec<String>,

    /// Rendering [default: table on a terminal, json otherwise].
    #[arg(long, value_enum)]
    format: Option<VerifyFormat>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VerifyFormat {
    /// For people.
    Table,
    /// One line of JSON.
    Json,
    /// Indented JSON.
    Pretty,
}

pub(super) fn run(args: &VerifyArgs, reporter: &mut Reporter) -> Result<Exit, Diagnostics> {
    let map = read_map(args.map.as_deref())?;
    let document = read_document(&args.bundle, reporter)?;
    let bundle = read_recipe(&document, &Overrides::default())?;
    let documents = read_originals(args, reporter)?;
    let originals = originals_of(&documents, &map)?;
    let variants = bundle.variants();
    let verification = differences(&bundle, &variants, &originals);
    for difference in &verification.differences {
        reporter.found().push(diagnostic_of(difference, &args.bundle));
    }
    look_around(&bundle, &variants, &verification, reporter);
    let selectors: Vec<(&str, &str)> = originals.iter().map(|o| (o.file, o.selector.as_str())).collect();
    check_references(args, &bundle, &variants, &selectors, reporter)?;
    let default = if io::stdout().is_terminal() { VerifyFormat::Table } else { VerifyFormat::Json };
    let is_same = verification.differences.is_empty() && !reporter.found().has_errors();
    if is_same {
        rewrite(args, &selectors, reporter)?;
    }
    let printed = match args.format.unwrap_or(default) {
        VerifyFormat::Table => reporter.print_text(&table(&verification, originals.len())),
        format => {
            let format = if format == VerifyFormat::Pretty { super::Format::Pretty } else { super::Format::Json };
            let tree = tree_of(&verification);
            reporter.print_json(|out| write_line(out, &tree, format))
        }
    };
    Ok(if is_same { printed } else { Exit::Wrong })
}

/// Files and their selectors.
fn read_map(argument: Option<&str>) -> Result<HashMap<String, String>, Diagnostics> {
    let Some(argument) = argument else { return Ok(HashMap::new()) };
    let text = json_argument(argument)?;
    serde_json::from_str(&text).map_err(|error| {
        let message = format!("--map is no JSON object of texts: {error}");
        let diagnostic = Diagnostic::error(Code::RecipeMap, message);
        let diagnostic = match argument.strip_prefix('@') {
            Some(file) => diagnostic.on_line(file, error.line()),
            None => diagnostic,
        };
        Diagnostics::from(diagnostic.path("--map").help("write {\"old.yaml\": \"override_old\"}"))
    })
}

fn read_originals(args: &VerifyArgs, reporter: &mut Reporter) -> Result<Vec<Document>, Diagnostics> {
    let mut found = Diagnostics::new();
    let mut documents = Vec::with_capacity(args.against.len());
    for file in &args.against {
        match read_document(file, reporter) {
            Ok(document) => documents.push(document),
            Err(reasons) => found.extend(reasons),
        }
    }
    if documents.len() == args.against.len() { Ok(documents) } else { Err(found) }
}

fn originals_of<'d>(
    documents: &'d [Document],
    map: &HashMap<String, String>,
) -> Result<Vec<Original<'d>>, Diagnostics> {
    let mut found = Diagnostics::new();
    let mut originals = Vec::with_capacity(documents.len());
    for document in documents {
        let Some(file) = RecipeFile::read(document, &mut found) else { continue };
        let name = document.source().name();
        if let Some(entry) = file.root().entry("base") {
            let message = format!("{name} has `base`, expected one flat recipe");
            let diagnostic = Diagnostic::error(Code::RecipeNotFlat, message).path("base");
            let diagnostic = match entry.key.place() {
                Some((source, span)) => diagnostic.at(source, span),
                None => diagnostic.in_file(name),
            };
            found.push(diagnostic.help("compare the flat files that the bundle replaced"));
            continue;
        }
        let selector = match map.get(name) {
            // A map of several bundles has the file in front.
            Some(mapped) => split_reference(mapped).1.unwrap_or(mapped).to_owned(),
            None => section_key(name),
        };
        originals.push(Original { file: name, recipe: file.root().clone(), selector });
    }
    if found.has_errors() { Err(found) } else { Ok(originals) }
}

fn diagnostic_of(difference: &Difference<'_, '_>, bundle: &str) -> Diagnostic {
    let Some(path) = &difference.path else {
        let message = format!("{bundle} has no variant `{}` for {}", difference.selector, difference.file);
        let diagnostic = Diagnostic::error(Code::RecipeNoSection, message).in_file(difference.file.clone());
        return diagnostic.path(difference.selector.clone()).help("name its selector with --map, or add the section");
    };
    let shown = |tree: &Option<Tree<'_>>| tree.as_ref().map_or_else(|| "nothing".to_owned(), brief);
    let message = format!(
        "`{}` is {} in {}, and {} in {}",
        path,
        shown(&difference.is),
        difference.selector,
        shown(&difference.was),
        difference.file
    );
    let diagnostic = Diagnostic::error(Code::RecipeDifference, message).path(path.clone());
    let diagnostic = match &difference.place {
        Some((source, span)) => diagnostic.at(source, span.clone()),
        None => diagnostic.in_file(bundle),
    };
    let diagnostic = match &difference.original {
        Some((source, span)) => diagnostic.related(source, span.clone(), "here"),
        None => diagnostic,
    };
    diagnostic.help("correct the section, or consolidate anew")
}

/// A value in a message: JSON, cut when long.
fn brief(tree: &Tree<'_>) -> String {
    const LONGEST: usize = 60;
    let mut bytes = Vec::new();
    let _ = crate::core::recipe::write_json(&mut bytes, tree, None);
    let text = String::from_utf8_lossy(&bytes);
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("`{}…`", &text[..cut]),
        None => format!("`{text}`"),
    }
}

/// What is not wrong and still worth a word: order, duplicates, and what srtctl would refuse.
fn look_around(
    bundle: &RecipeFile<'_>,
    variants: &[Variant<'_>],
    verification: &Verification<'_, '_>,
    reporter: &mut Reporter,
) {
    let name = bundle.source().name();
    let keys: Vec<&str> = bundle.root().as_map().map_or(Vec::new(), |map| {
        let keys = map.entries().iter().filter_map(|entry| entry.key.as_str());
        keys.filter(|key| key.starts_with("override_")).collect()
    });
    if let Some(pair) = keys.windows(2).find(|pair| pair[0] > pair[1]) {
        let message = format!("`{}` stands behind `{}`, and variants are submitted in sorted order", pair[1], pair[0]);
        let diagnostic = Diagnostic::warning(Code::RecipeOrder, message).path(pair[1]);
        let place = bundle.root().entry(pair[1]).and_then(|entry| entry.key.place());
        let diagnostic = match place {
            Some((source, span)) => diagnostic.at(source, span),
            None => diagnostic.in_file(name),
        };
        reporter.found().push(diagnostic.help("sort the sections"));
    }
    if let Some(first) = verification.reordered.first() {
        let message = match verification.reordered.len() {
            1 => format!("`{first}` has its keys in another order"),
            n => format!("{n} variants have their keys in another order, `{first}` first"),
        };
        let diagnostic = Diagnostic::new(Code::RecipeOrder, Severity::Note, message).in_file(name);
        reporter.found().push(diagnostic.path(first.clone()).help("the order of keys means nothing to srtctl"));
    }
    for (selector, first) in duplicates(variants) {
        let message = format!("`{selector}` has the same values as `{first}`, but for the name");
        let diagnostic = Diagnostic::warning(Code::RecipeDuplicate, message).path(selector.clone());
        let place = variants.iter().find(|variant| variant.selector.as_deref() == Some(&selector));
        let diagnostic = match place.and_then(|variant| variant.place.clone()) {
            Some((source, span)) => diagnostic.at(source, span),
            None => diagnostic.in_file(name),
        };
        reporter.found().push(diagnostic.help("remove one of them"));
    }
    let is_refused = |recipe: &Tree<'_>| {
        check_recipe(recipe, SchemaChoice::Auto, false).iter().any(|finding| finding.severity == Severity::Error)
    };
    let refused: Vec<&str> = variants
        .iter()
        .filter(|variant| variant.recipe.as_ref().map_or(true, is_refused))
        .filter_map(|variant| variant.selector.as_deref())
        .collect();
    if let Some(first) = refused.first() {
        let message = match (refused.len(), variants.len()) {
            (n, all) if n == all => format!("srtctl refuses every variant, `{first}` first"),
            (n, all) => format!("srtctl refuses {n} of {all} variants, `{first}` first"),
        };
        let diagnostic = Diagnostic::warning(Code::RecipeRefusedBySrtctl, message).in_file(name);
        let help = format!("run srtx-gh recipe validate {name}");
        reporter.found().push(diagnostic.path((*first).to_owned()).help(help));
    }
}

/// References of configs to the bundle, and variants without any.
fn check_references(
    args: &VerifyArgs,
    bundle: &RecipeFile<'_>,
    variants: &[Variant<'_>],
    selectors: &[(&str, &str)],
    reporter: &mut Reporter,
) -> Result<(), Diagnostics> {
    if args.configs.is_empty() {
        return Ok(());
    }
    let mut used: HashSet<String> = HashSet::new();
    for file in &args.configs {
        let document = read_document(file, reporter)?;
        for reference in references(&document) {
            if let Some((old, selector)) = selectors.iter().find(|(old, _)| names_file(reference.path, old)) {
                let message = format!("{} still references {old}", reference.config);
                let diagnostic = Diagnostic::warning(Code::RecipeReference, message).path(reference.config);
                let diagnostic = diagnostic.at(document.source(), reference.node.site());
                let help = format!("--rewrite-configs {file} makes it `{}:{selector}`", args.bundle);
                reporter.found().push(diagnostic.help(help));
                used.insert((*selector).to_owned());
            } else if names_file(reference.path, &args.bundle) {
                match bundle.select(reference.selector) {
                    Ok(selection) => {
                        used.extend(selection.variants().iter().filter_map(|variant| variant.selector.clone()));
                    }
                    Err(reason) => {
                        let message = format!("{}: {}", reference.config, reason.message);
                        let diagnostic = Diagnostic::error(Code::RecipeReference, message).path(reference.config);
                        let mut diagnostic = diagnostic.at(document.source(), reference.node.site());
                        diagnostic.help.clone_from(&reason.help);
                        reporter.found().push(diagnostic);
                    }
                }
            }
        }
    }
    for variant in variants {
        let Some(selector) = variant.selector.clone().filter(|selector| !used.contains(selector)) else { continue };
        let message = format!("no config references `{selector}`");
        let diagnostic = Diagnostic::warning(Code::RecipeUnused, message).path(selector);
        let diagnostic = match variant.place.clone() {
            Some((source, span)) => diagnostic.at(source, span),
            None => diagnostic.in_file(args.bundle.clone()),
        };
        reporter.found().push(diagnostic.help("remove it, or reference it"));
    }
    Ok(())
}

/// Rewrites all files or none.
fn rewrite(args: &VerifyArgs, selectors: &[(&str, &str)], reporter: &mut Reporter) -> Result<(), Diagnostics> {
    let mut found = Diagnostics::new();
    let mut texts = Vec::new();
    for file in &args.rewrite_configs {
        let document = read_document(file, reporter)?;
        match rewritten(&document, &args.bundle, selectors) {
            Ok((text, count)) => texts.push((file, text, count)),
            Err(reasons) => found.extend(reasons),
        }
    }
    if found.has_errors() {
        return Err(found);
    }
    for (file, text, count) in texts {
        if count > 0 {
            write_atomically(Path::new(file), &text).map_err(|error| {
                let message = format!("{file} could not be written: {error}");
                Diagnostics::from(Diagnostic::error(Code::OutputFailed, message).in_file(file.clone()))
            })?;
        }
        let message = match count {
            1 => format!("1 reference of {file} was rewritten"),
            n => format!("{n} references of {file} were rewritten"),
        };
        let diagnostic = Diagnostic::new(Code::RecipeConsolidated, Severity::Note, message).in_file(file.clone());
        reporter.found().push(diagnostic.help("look at the difference before you commit it"));
    }
    Ok(())
}

fn tree_of(verification: &Verification<'_, '_>) -> Tree<'static> {
    let row = |difference: &Difference<'_, '_>| {
        let path = difference.path.clone().map_or(Tree::new(Data::Null), Tree::text);
        Tree::map(vec![
            Entry::new("file", Tree::text(difference.file.clone())),
            Entry::new("selector", Tree::text(difference.selector.clone())),
            Entry::new("path", path),
        ])
    };
    let verified = i64::try_from(verification.verified).unwrap_or(i64::MAX);
    Tree::map(vec![
        Entry::new("verified", Tree::new(Data::Int(verified))),
        Entry::new("differences", Tree::list(verification.differences.iter().map(row).collect())),
    ])
}

fn table(verification: &Verification<'_, '_>, files: usize) -> String {
    let mut out = format!("{} of {files} selectors verified\n", verification.verified);
    for difference in &verification.differences {
        let path = difference.path.as_deref().unwrap_or("(no such variant)");
        let _ = writeln!(out, "{}  {}  {path}", difference.file, difference.selector);
    }
    out
}
