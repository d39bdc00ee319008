//! `srtx-gh recipe consolidate`

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Format, read_document, write_line};
use crate::cli::Exit;
use crate::cli::files::write_atomically;
use crate::cli::report::Reporter;
use crate::core::diag::{Code, Diagnostic, Diagnostics, Severity, Source};
use crate::core::recipe::{Consolidated, Data, Entry, Sizes, Tree, clusters, consolidate, references, write_json};
use crate::core::yaml::{Document, Schema, parse};

/// Make one file of many flat recipes: a base, and a section for each file.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  srtx-gh recipe consolidate recipes/kimi/*.yaml --out recipes/kimi.yaml --write-map map.json\n  \
                        srtx-gh recipe consolidate recipes/*/*.yaml --by-config configs/nvidia-master.yaml --out-dir recipes/bundles\n\n\
                        Each section resolves to exactly what its file was; what cannot be represented is refused."
)]
pub(super) struct ConsolidateArgs {
    /// Flat recipe files.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,

    /// Write the file instead of printing it: YAML, or JSON when its name ends in .json.
    #[arg(long, value_name = "F", conflicts_with = "by_config")]
    out: Option<PathBuf>,

    /// Make one file for each config of these master config files that references any of the recipes.
    #[arg(long, value_name = "F", num_args = 1.., requires = "out_dir")]
    by_config: Vec<String>,

    /// Where the files of --by-config go, each named after its config.
    #[arg(long, value_name = "DIR", requires = "by_config")]
    out_dir: Option<PathBuf>,

    /// Write the map from each file to its new selector, for `recipe verify --map @F`.
    #[arg(long, value_name = "F")]
    write_map: Option<PathBuf>,

    /// Rendering [default: yaml on a terminal and in files, json otherwise].
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// A file to be written.
struct Output {
    path: PathBuf,
    text: String,
}

pub(super) fn run(args: &ConsolidateArgs, reporter: &mut Reporter) -> Result<Exit, Diagnostics> {
    let documents = read_all(&args.files, reporter)?;
    if let Some(folder) = &args.out_dir {
        return by_config(args, documents, folder, reporter);
    }
    let bundle = consolidate(&documents)?;
    report_sizes(args.out.as_deref(), documents.len(), &bundle.sizes, reporter);
    let map = args.write_map.as_ref().map(|path| map_output(path, &bundle.selectors));
    let Some(out) = &args.out else {
        let text = rendered(&bundle, Format::or_default(args.format))?;
        write_all(map.into_iter())?;
        return Ok(reporter.print_text(&text));
    };
    let named_json = out.extension().is_some_and(|extension| extension == "json");
    let format = args.format.unwrap_or(if named_json { Format::Json } else { Format::Yaml });
    let file = Output { path: out.clone(), text: rendered(&bundle, format)? };
    write_all(std::iter::once(file).chain(map))?;
    let report = report(out, None, &bundle);
    Ok(reporter.print_json(|out| write_line(out, &report, Format::Json)))
}

fn read_all(files: &[String], reporter: &mut Reporter) -> Result<Vec<Document>, Diagnostics> {
    let mut found = Diagnostics::new();
    let mut documents = Vec::with_capacity(files.len());
    for file in files {
        match read_document(file, reporter) {
            Ok(document) => documents.push(document),
            Err(reasons) => found.extend(reasons),
        }
    }
    if documents.len() == files.len() { Ok(documents) } else { Err(found) }
}

fn by_config(
    args: &ConsolidateArgs,
    documents: Vec<Document>,
    folder: &Path,
    reporter: &mut Reporter,
) -> Result<Exit, Diagnostics> {
    let configs = read_all(&args.by_config, reporter)?;
    let named: Vec<_> = configs.iter().flat_map(references).collect();
    let files: Vec<&str> = args.files.iter().map(String::as_str).collect();
    let clusters: Vec<(String, Vec<usize>)> =
        clusters(&named, &files).into_iter().map(|(config, members)| (config.to_owned(), members)).collect();
    let mut documents: Vec<Option<Document>> = documents.into_iter().map(Some).collect();
    let (mut found, mut outputs, mut reports, mut map) = (Diagnostics::new(), Vec::new(), Vec::new(), Vec::new());
    for (config, members) in &clusters {
        let members: Vec<Document> = members.iter().filter_map(|at| documents[*at].take()).collect();
        match consolidate(&members) {
            Ok(bundle) => {
                let path = folder.join(format!("{config}.yaml"));
                report_sizes(Some(&path), members.len(), &bundle.sizes, reporter);
                let shown = path.display().to_string();
                map.extend(
                    bundle.selectors.iter().map(|(file, selector)| (file.clone(), format!("{shown}:{selector}"))),
                );
                reports.push(report(&path, Some(config), &bundle));
                outputs.push(Output { path, text: rendered(&bundle, args.format.unwrap_or(Format::Yaml))? });
            }
            Err(reasons) => found.extend(reasons),
        }
    }
    if found.has_errors() {
        return Err(found);
    }
    for left in documents.iter().flatten() {
        let name = left.source().name();
        let message = format!("no config references {name}, so it was left as it is");
        let diagnostic = Diagnostic::warning(Code::RecipeUnused, message).in_file(name).path(name);
        reporter.found().push(diagnostic.help("remove the file, or name the config that uses it"));
    }
    outputs.extend(args.write_map.as_ref().map(|path| map_output(path, &map)));
    write_all(outputs.into_iter())?;
    let reports = Tree::list(reports);
    Ok(reporter.print_json(|out| write_line(out, &reports, Format::Json)))
}

/// The bundle as text. JSON has no comments.
fn rendered(bundle: &Consolidated, format: Format) -> Result<String, Diagnostics> {
    if format == Format::Yaml {
        return Ok(bundle.text.clone());
    }
    let mut found = Diagnostics::new();
    let source = Source::new("the consolidated file", bundle.text.as_str());
    let document = parse(&source, Schema::V11, &mut found).ok_or(found)?;
    let tree = document.root().map_or_else(|| Tree::map(Vec::new()), Tree::of);
    let mut bytes = Vec::new();
    let written = write_json(&mut bytes, &tree, (format == Format::Pretty).then_some(0));
    bytes.push(b'\n');
    written.ok().and_then(|()| String::from_utf8(bytes).ok()).ok_or_else(Diagnostics::new)
}

fn map_output(path: &Path, selectors: &[(String, String)]) -> Output {
    let entries = selectors.iter().map(|(file, selector)| Entry::new(file.clone(), Tree::text(selector.clone())));
    let mut bytes = Vec::new();
    // Writing into memory does not fail.
    let _ = write_json(&mut bytes, &Tree::map(entries.collect()), Some(0));
    bytes.push(b'\n');
    Output { path: path.to_owned(), text: String::from_utf8_lossy(&bytes).into_owned() }
}

fn write_all(outputs: impl Iterator<Item = Output>) -> Result<(), Diagnostics> {
    for output in outputs {
        write_atomically(&output.path, &output.text).map_err(|error| {
            let name = output.path.display().to_string();
            let message = format!("{name} could not be written: {error}");
            Diagnostics::from(Diagnostic::error(Code::OutputFailed, message).in_file(name).help("check the folder"))
        })?;
    }
    Ok(())
}

/// Says what it brought.
fn report_sizes(out: Option<&Path>, files: usize, sizes: &Sizes, reporter: &mut Reporter) {
    let name = out.map_or_else(|| "the consolidated file".to_owned(), |path| path.display().to_string());
    let message = format!(
        "{} of {name}: {} bytes before, {} after; {} leaves before, {} after",
        if files == 1 { "1 recipe became a section".to_owned() } else { format!("{files} recipes became sections") },
        sizes.bytes_before,
        sizes.bytes_after,
        sizes.leaves_before,
        sizes.leaves_after
    );
    let diagnostic = Diagnostic::new(Code::RecipeConsolidated, Severity::Note, message).in_file(name);
    reporter.found().push(diagnostic.help("`recipe verify` proves that each section is what its file was"));
}

fn report(path: &Path, config: Option<&str>, bundle: &Consolidated) -> Tree<'static> {
    #[expect(clippy::cast_possible_wrap, reason = "sizes of files are far below 2^63")]
    let pair = |before: u64, after: u64| {
        let number = |value: u64| Tree::new(Data::Int(value as i64));
        Tree::map(vec![Entry::new("before", number(before)), Entry::new("after", number(after))])
    };
    let sizes = &bundle.sizes;
    let selectors = bundle.selectors.iter().map(|(file, key)| Entry::new(file.clone(), Tree::text(key.clone())));
    let mut entries = vec![Entry::new("file", Tree::text(path.display().to_string()))];
    entries.extend(config.map(|config| Entry::new("config", Tree::text(config.to_owned()))));
    entries.extend([
        Entry::new("bytes", pair(sizes.bytes_before, sizes.bytes_after)),
        Entry::new("leaves", pair(sizes.leaves_before, sizes.leaves_after)),
        Entry::new("selectors", Tree::map(selectors.collect())),
    ]);
    Tree::map(entries)
}
