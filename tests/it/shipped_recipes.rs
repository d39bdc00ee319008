//! The recipes that are shipped, against the configs that name them. Each file is read and expanded once.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Map, Value as Json};
use srtx::core::config::{Rules, load_runners, merge_masters};
use srtx::core::diag::{Diagnostics, Source};
use srtx::core::launch::point_environment;
use srtx::core::matrix::{Filters, Inputs, NoRecipes, Options, Selection, generate, points};
use srtx::core::recipe::{SchemaChoice, Tree, Variant, check_recipe, split_reference};
use srtx::core::route::bind::bind;
use srtx::core::route::{Asked, RecipeBook, Routed, check_multinode};
use srtx::core::yaml::{Document, Schema, parse};

use crate::support::repository;

const AGENTX: &str = "bash /infmax-workspace/benchmarks/srt_agentic.sh";

fn document(path: &str) -> Document {
    let text = fs::read_to_string(repository().join(path)).unwrap();
    let mut found = Diagnostics::new();
    let document = parse(&Source::new(path, text), Schema::V11, &mut found).unwrap();
    assert_eq!(found.into_iter().count(), 0, "{path} has findings");
    document
}

/// The files below a folder, from the root of the repository.
fn files_below(folder: &str, extension: &str) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(repository().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            files.extend(files_below(&name, extension));
        } else if Path::new(&name).extension().is_some_and(|found| found == extension) {
            files.push(name);
        }
    }
    files.sort();
    files
}

static RECIPES: LazyLock<Vec<Asked>> = LazyLock::new(|| {
    files_below("recipes", "yaml").into_iter().map(|path| (path.clone(), Ok(document(&path)))).collect()
});

/// The points of the shipped configs, as they travel.
fn shipped_points(change: impl Fn(&mut Options)) -> Vec<Map<String, Json>> {
    let masters = ["configs/amd-master.yaml", "configs/nvidia-master.yaml"].map(document);
    let runners = document("configs/runners.yaml");
    let mut found = Diagnostics::new();
    let runners = load_runners(&runners, Rules::R2026_09, &mut found).unwrap();
    let configs = merge_masters(&masters.each_ref().map(|master| master), Rules::R2026_09, &mut found).unwrap();
    let mut options = Options::new(Rules::R2026_09, Selection::FullSweep(Filters::default()));
    change(&mut options);
    let inputs = Inputs { configs: &configs, runners: &runners, recipes: &NoRecipes };
    let rows = generate(&inputs, &options, &mut found).unwrap();
    points(rows, &mut found)
        .iter()
        .map(|point| serde_json::from_str::<Json>(&point.to_json(false)).unwrap().as_object().unwrap().clone())
        .collect()
}

fn is_multinode(point: &Map<String, Json>) -> bool {
    point.get("prefill").is_some_and(Json::is_object)
}

/// Binds every point that names a recipe, and returns the variants that were used.
fn bind_all(points: &[Map<String, Json>], book: &RecipeBook<'_>) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for point in points {
        let routed = Routed { point, entry: None };
        let Some(reference) = routed.recipe() else { continue };
        let (path, selector) = split_reference(reference);
        let (_, variants) = book.select(path, selector).unwrap_or_else(|_| panic!("{reference} cannot be used"));
        let name = &point["exp-name"];
        let index = if is_multinode(point) {
            let [Variant { recipe: Ok(recipe), .. }] = &*variants else { panic!("{reference} is not one variant") };
            check_multinode(recipe, point).unwrap_or_else(|wrong| panic!("{name}, {reference}: {wrong:?}"));
            0
        } else {
            assert_eq!(selector, None, "{reference}: a single-node reference carries no selector");
            let env = point_environment(point, "a-runner_00");
            bind(&variants, &env).unwrap_or_else(|refusal| panic!("{name}, {path}: {refusal:?}")).index
        };
        used.insert(format!("{path}:{}", variants[index].selector.as_deref().unwrap()));
    }
    used
}

#[test]
fn every_shipped_native_point_binds_to_exactly_one_variant_and_every_variant_is_used() {
    let book = RecipeBook::new(&RECIPES);
    let mut used = bind_all(&shipped_points(|_| ()), &book);
    used.extend(bind_all(&shipped_points(|options| options.all_evals = true), &book));
    let shipped = variants(&book).map(|(path, variant)| format!("{path}:{}", variant.selector.unwrap()));
    assert_eq!(used, shipped.collect::<BTreeSet<_>>());
}

#[test]
fn a_sweep_with_fewer_concurrencies_binds_as_well() {
    let book = RecipeBook::new(&RECIPES);
    for change in [|options: &mut Options| options.smoke = true, |options: &mut Options| options.trim_conc = true] {
        let points = shipped_points(change);
        // Fixed lengths on several nodes run the concurrencies of their recipe, all or none.
        let points: Vec<_> = points.into_iter().filter(|point| !is_multinode(point)).collect();
        assert!(!bind_all(&points, &book).is_empty());
    }
}

fn variants<'b>(book: &'b RecipeBook<'static>) -> impl Iterator<Item = (&'static str, Variant<'static>)> + 'b {
    RECIPES.iter().flat_map(|(path, _)| {
        let (_, variants) = book.select(path, None).unwrap_or_else(|_| panic!("{path} cannot be used"));
        variants.into_owned().into_iter().map(move |variant| (path.as_str(), variant))
    })
}

#[test]
fn recipes_are_of_schema_2_and_have_basic_overrides_only() {
    let book = RecipeBook::new(&RECIPES);
    for (path, document) in RECIPES.iter() {
        for (key, _) in document.as_ref().unwrap().root().unwrap().entries() {
            let key = key.as_str().unwrap();
            assert!(key == "base" || key.starts_with("override_"), "{path}: {key}");
        }
    }
    for (path, variant) in variants(&book) {
        let recipe = variant.recipe.unwrap();
        assert_eq!(number(&recipe, &["schema"]), Some(2), "{path}");
        let findings = check_recipe(&recipe, SchemaChoice::Two, false);
        assert!(findings.is_empty(), "{path}:{:?}", variant.selector);
        let setup = recipe.get("setup_script").and_then(Tree::as_str);
        assert!(
            setup.is_none_or(|script| repository().join("recipes/setup").join(script).is_file()),
            "{path}: {setup:?}"
        );
    }
}

fn number(recipe: &Tree<'_>, path: &[&str]) -> Option<u64> {
    recipe.at(path)?.python_str().parse().ok()
}

/// The sizes of the decode batches that are captured, as sequences of one rank.
fn graph_batch(args: &Tree<'_>, engine: &str) -> u64 {
    match engine {
        "sglang" => {
            number(args, &["cuda-graph-max-bs-decode"]).or_else(|| number(args, &["cuda-graph-max-bs"])).unwrap()
        }
        "vllm" => {
            let config = args.get("speculative-config").and_then(Tree::as_str).unwrap_or("{}");
            let drafts = serde_json::from_str::<Json>(config).unwrap()["num_speculative_tokens"].as_u64().unwrap_or(0);
            number(args, &["max-cudagraph-capture-size"]).unwrap() / (drafts + 1)
        }
        _ => {
            let sizes = args.get("cudagraph-capture-sizes").and_then(Tree::as_str).unwrap();
            serde_json::from_str::<Vec<u64>>(sizes).unwrap().into_iter().max().unwrap()
        }
    }
}

#[test]
fn agentic_admission_is_twice_the_concurrency_capped_at_the_decode_graphs() {
    let book = RecipeBook::new(&RECIPES);
    let mut judged = 0;
    for (path, variant) in variants(&book) {
        let recipe = variant.recipe.unwrap();
        let is_agentic = recipe.at(&["benchmark", "command"]).and_then(Tree::as_str) == Some(AGENTX);
        let Some(args) = recipe.at(&["roles", "agg", "args"]).filter(|_| is_agentic) else { continue };
        let engine = recipe.get("engine").unwrap();
        let engine = engine.as_str().unwrap_or_else(|| engine.get("type").unwrap().as_str().unwrap());
        let concurrency = number(&recipe, &["benchmark", "env", "CONC"]).unwrap();
        let ranks = number(args, &["data-parallel-size"]).unwrap_or(1);
        let graphs = graph_batch(args, engine);
        // SGLang's limit is that of all ranks together, vLLM's that of each.
        let (limit, expected) = match engine {
            "sglang" => ("max-running-requests", (2 * concurrency).min(graphs * ranks)),
            _ => ("max-num-seqs", (2 * concurrency / ranks).min(graphs)),
        };
        assert_eq!(number(args, &[limit]), Some(expected), "{path}:{:?}", variant.selector);
        let renders = recipe.at(&["benchmark", "env", "AIPERF_APPLY_CHAT_TEMPLATE"]).is_some();
        assert_eq!(renders, engine == "atom", "{path}: the client renders the template where the frontend does not");
        judged += 1;
    }
    assert!(judged > 200, "{judged}");
}
