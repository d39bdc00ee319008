//! The route of a point: native, legacy or broken, by which rule, and why.

use serde_json::{Map, Value as Json};

use super::bind::{Mismatch, Refusal, bind};
use super::book::{RecipeBook, Unusable};
use super::launcher::{launcher_script, launchers_of};
use super::multinode::check_multinode;
use super::script::{LegacyPoint, legacy_scripts};
use crate::core::config::Runners;
use crate::core::diag::{Code, Diagnostic};
use crate::core::launch::point_environment;
use crate::core::matrix::Entry;
use crate::core::recipe::{Variant, split_reference};

/// Where a point runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Route {
    /// By srt-slurm, on one variant of a recipe.
    Native,
    /// By the script of a launcher.
    Legacy,
    /// Nowhere.
    Broken,
}

impl Route {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Legacy => "legacy",
            Self::Broken => "broken",
        }
    }
}

/// The rule that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Its recipe has exactly one variant that fits.
    Binds,
    /// Its recipe selector names a variant that agrees.
    SelectorAgrees,
    /// It names no recipe, and the legacy script exists.
    ScriptExists,
    /// It names no recipe and spans nodes: the launcher has a path of its own for it.
    LauncherDecides,
    /// No runner carries its label.
    NoRunner,
    /// It names a recipe, and the launcher takes none.
    LauncherLegacy,
    /// The recipe file is missing or malformed.
    RecipeUnusable,
    /// The selector picks nothing, or several variants.
    SelectorUnusable,
    /// No variant, or several, fit.
    DoesNotBind,
    /// The recipe differs from the point.
    RecipeDiffers,
    /// It names no recipe, and there is no legacy script.
    ScriptMissing,
}

impl Rule {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Binds => "binds",
            Self::SelectorAgrees => "selector-agrees",
            Self::ScriptExists => "script-exists",
            Self::LauncherDecides => "launcher-decides",
            Self::NoRunner => "no-runner",
            Self::LauncherLegacy => "launcher-legacy",
            Self::RecipeUnusable => "recipe-unusable",
            Self::SelectorUnusable => "selector-unusable",
            Self::DoesNotBind => "does-not-bind",
            Self::RecipeDiffers => "recipe-differs",
            Self::ScriptMissing => "script-missing",
        }
    }
}

/// What is known of the checkout that a point runs from.
#[derive(Clone, Copy)]
pub struct Checkout<'c, 'd> {
    /// The recipes that the points name.
    pub recipes: &'c RecipeBook<'d>,
    /// Labels and their runners.
    pub runners: &'c Runners<'d>,
    /// Whether a file exists, by its path from the root.
    pub has_file: &'c dyn Fn(&str) -> bool,
    /// The text of a file, likewise.
    pub text_of: &'c dyn Fn(&str) -> Option<String>,
}

/// How one launcher runs a point.
#[derive(Debug)]
pub struct Decision {
    /// Native, legacy or broken.
    pub route: Route,
    /// By which rule.
    pub rule: Rule,
    /// The launcher; `None` where no runner carries the label.
    pub launcher: Option<String>,
    /// The recipe, without its selector.
    pub recipe: Option<String>,
    /// The variant, by its selector.
    pub variant: Option<String>,
    /// The legacy script.
    pub script: Option<String>,
    /// One sentence.
    pub reason: String,
    /// What is wrong, with the lines of both sides; empty unless it is broken.
    pub diagnostics: Vec<Diagnostic>,
}

/// A point as it is routed.
#[derive(Clone, Copy)]
pub struct Routed<'p, 'd> {
    /// The point.
    pub point: &'p Map<String, Json>,
    /// The entry that made it, where the config is at hand.
    pub entry: Option<Entry<'d>>,
}

/// Decides how each launcher of a point's label runs it. There is always at least one decision.
pub fn route(routed: Routed<'_, '_>, checkout: Checkout<'_, '_>) -> Vec<Decision> {
    let label = routed.text("runner");
    let names: Vec<&str> = match checkout.runners.runners_of(label) {
        Some(names) => names.collect(),
        // A label may be the name of one runner.
        None if is_runner(checkout.runners, label) => vec![label],
        None => Vec::new(),
    };
    let launchers = launchers_of(names.iter().copied());
    let outcome = Outcome::of(routed, checkout.recipes, names.first().copied().unwrap_or(label));
    if launchers.is_empty() {
        return vec![outcome.without_runner(routed)];
    }
    launchers.into_iter().map(|launcher| outcome.on(launcher, routed, checkout)).collect()
}

fn is_runner(runners: &Runners<'_>, name: &str) -> bool {
    runners.labels().any(|label| runners.runners_of(label).into_iter().flatten().any(|runner| runner == name))
}

impl Routed<'_, '_> {
    fn text(&self, name: &str) -> &str {
        self.point.get(name).and_then(Json::as_str).unwrap_or_default()
    }

    fn is_agentic(&self) -> bool {
        self.text("scenario-type") == "agentic-coding"
    }

    fn is_multinode(&self) -> bool {
        self.point.get("prefill").is_some_and(Json::is_object)
    }

    /// The recipe that it names: its own, or that of its workers' settings. An evaluation may have another.
    pub fn recipe(&self) -> Option<&str> {
        let own = self.point.get("srt-recipe").and_then(Json::as_str);
        if !self.is_multinode() {
            return own;
        }
        let only_evaluates = self.point.get("eval-only") == Some(&Json::Bool(true));
        let evaluation = if only_evaluates { self.setting("EVAL_CONFIG_FILE") } else { None };
        evaluation.or(own).or_else(|| self.setting("CONFIG_FILE"))
    }

    fn setting(&self, name: &str) -> Option<&str> {
        let workers = ["prefill", "decode"].into_iter().filter_map(|role| self.point.get(role));
        let settings = workers.filter_map(|worker| worker.get("additional-settings")?.as_array()).flatten();
        settings.filter_map(Json::as_str).find_map(|setting| setting.strip_prefix(name)?.strip_prefix('='))
    }

    /// Points at what the config says of a field, or at the entry.
    fn place(&self, diagnostic: Diagnostic, field: &str) -> Diagnostic {
        let Some(entry) = self.entry else { return diagnostic.path(format!("point.{}", config_key(field))) };
        let key = config_key(field);
        let node = entry.node.get(key).or_else(|| entry.config.node.get(key)).unwrap_or(entry.node);
        let below = if entry.node.get(key).is_some() { key } else { "" };
        diagnostic.labelled(entry.node.source(), node.site(), "the point").path(entry.path(below))
    }
}

/// The key of a config behind a field of a comparison.
fn config_key(field: &str) -> &str {
    match field {
        "FRAMEWORK" | "engine" => "framework",
        "benchmark MODEL" => "model",
        "SPEC_DECODING" => "spec-decoding",
        "CONC" | "concurrencies" => "conc-list",
        "KV_OFFLOADING" => "kv-offloading",
        "TP" | "gpus" | "tensor-parallel-size" | "tensor_parallel_size" | "tensor x data parallel" | "ATOM TP" => "tp",
        "DP_ATTENTION" | "data-parallel-size" => "dp-attn",
        "EP_SIZE" | "expert-parallel-size" | "moe_expert_parallel_size" | "enable-expert-parallel" => "ep",
        "PP_SIZE" => "pp",
        "DCP_SIZE" => "dcp-size",
        "PCP_SIZE" => "pcp-size",
        "prefill workers" | "prefill gpus" => "prefill",
        "decode workers" | "decode gpus" => "decode",
        "recipe" => "srt-recipe",
        other => other,
    }
}

/// What the recipe of a point comes to, whichever launcher runs it.
enum Outcome {
    /// It names none.
    NoRecipe,
    /// It can run natively.
    Fits { rule: Rule, recipe: String, variant: Option<String> },
    /// It cannot.
    Unfit { rule: Rule, recipe: String, reason: String, diagnostics: Vec<Diagnostic> },
}

impl Outcome {
    fn of(routed: Routed<'_, '_>, recipes: &RecipeBook<'_>, runner: &str) -> Self {
        let Some(reference) = routed.recipe() else { return Self::NoRecipe };
        let (path, selector) = split_reference(reference);
        let unfit =
            |rule, reason: String, diagnostics| Self::Unfit { rule, recipe: path.to_owned(), reason, diagnostics };
        let (page, variants) = match recipes.select(path, selector) {
            Ok(selected) => selected,
            Err(Unusable::File(problems)) => {
                let reason = format!("{path} cannot be used as a recipe");
                let named = routed.place(Diagnostic::error(Code::NotBound, reason.clone()), "recipe");
                return unfit(Rule::RecipeUnusable, reason, std::iter::once(named).chain(problems).collect());
            }
            Err(Unusable::Selector(problem)) => {
                let reason = format!("{reference}: {}", problem.message);
                let named = routed.place(Diagnostic::error(Code::NotBound, reason.clone()), "recipe");
                return unfit(Rule::SelectorUnusable, reason, vec![named, *problem]);
            }
        };
        if routed.is_multinode() {
            return Self::of_multinode(routed, path, reference, &variants);
        }
        let env = point_environment(routed.point, runner);
        match bind(&variants, &env) {
            Ok(bound) => {
                let variant = variants[bound.index].selector.clone();
                Self::Fits { rule: Rule::Binds, recipe: path.to_owned(), variant }
            }
            Err(refusal) => {
                let several = matches!(refusal, Refusal::Several(_));
                let field = refusal.nearest_field().unwrap_or("recipe").to_owned();
                let problems = refusal.diagnostics(&page.file, &variants);
                let reason = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
                let about = if several { "recipe" } else { &field };
                let problems = problems.into_iter().map(|problem| both_lines(problem, routed, about)).collect();
                unfit(Rule::DoesNotBind, reason, problems)
            }
        }
    }

    fn of_multinode(routed: Routed<'_, '_>, path: &str, reference: &str, variants: &[Variant<'_>]) -> Self {
        let unfit =
            |rule, reason: String, diagnostics| Self::Unfit { rule, recipe: path.to_owned(), reason, diagnostics };
        let [variant] = variants else {
            let reason = format!("{reference} names {} variants, and a multi-node point needs one", variants.len());
            let diagnostic = routed.place(Diagnostic::error(Code::NotBound, reason.clone()), "recipe");
            return unfit(Rule::SelectorUnusable, reason, vec![diagnostic.help("name one by its selector")]);
        };
        let recipe = match &variant.recipe {
            Ok(recipe) => recipe,
            Err(problem) => {
                let reason = format!("{reference}: {}", problem.message);
                return unfit(Rule::RecipeUnusable, reason, vec![Diagnostic::clone(problem)]);
            }
        };
        match check_multinode(recipe, routed.point) {
            Ok(()) => {
                let variant = variant.selector.clone();
                Self::Fits { rule: Rule::SelectorAgrees, recipe: path.to_owned(), variant }
            }
            Err(mismatch) => {
                let reason = format!("{reference} does not agree with the point: {}", mismatch.sentence());
                let diagnostic = routed.place(Diagnostic::error(Code::NotBound, reason.clone()), &mismatch.field);
                unfit(Rule::RecipeDiffers, reason, vec![with_recipe_line(diagnostic, &mismatch)])
            }
        }
    }

    fn without_runner(&self, routed: Routed<'_, '_>) -> Decision {
        let label = routed.text("runner");
        let (recipe, variant, also) = match self {
            Self::NoRecipe => (None, None, String::new()),
            Self::Fits { recipe, variant, .. } => {
                (Some(recipe.clone()), variant.clone(), " (its recipe fits)".to_owned())
            }
            Self::Unfit { recipe, reason, .. } => (Some(recipe.clone()), None, format!("; besides, {reason}")),
        };
        let reason = format!("no runner carries the label `{label}`{also}");
        let diagnostic = routed.place(Diagnostic::error(Code::NotBound, reason.clone()), "runner");
        let mut diagnostics = vec![diagnostic.help("correct the label, or add a runner to it")];
        if let Self::Unfit { diagnostics: problems, .. } = self {
            diagnostics.extend(problems.iter().cloned());
        }
        Decision {
            route: Route::Broken,
            rule: Rule::NoRunner,
            launcher: None,
            recipe,
            variant,
            script: None,
            reason,
            diagnostics,
        }
    }

    fn on(&self, launcher: &str, routed: Routed<'_, '_>, checkout: Checkout<'_, '_>) -> Decision {
        let decision = |route, rule, reason: String| Decision {
            route,
            rule,
            launcher: Some(launcher.to_owned()),
            recipe: None,
            variant: None,
            script: None,
            reason,
            diagnostics: Vec::new(),
        };
        match self {
            Self::Fits { recipe, variant, rule } => {
                let mut decision = match takes_recipes(launcher, routed, checkout) {
                    true => decision(Route::Native, *rule, fits_reason(*rule, recipe, variant.as_deref())),
                    false => {
                        let reason = format!("the launcher {launcher} does not take recipes for this point");
                        let mut decision = decision(Route::Broken, Rule::LauncherLegacy, reason.clone());
                        let diagnostic = routed.place(Diagnostic::error(Code::NotBound, reason), "recipe");
                        let help = format!("remove the recipe, or let {} run srt-slurm", launcher_script(launcher));
                        decision.diagnostics = vec![diagnostic.help(help)];
                        decision
                    }
                };
                decision.recipe = Some(recipe.clone());
                decision.variant.clone_from(variant);
                decision
            }
            Self::Unfit { rule, recipe, reason, diagnostics } => {
                let mut decision = decision(Route::Broken, *rule, reason.clone());
                decision.recipe = Some(recipe.clone());
                decision.diagnostics.clone_from(diagnostics);
                decision
            }
            Self::NoRecipe if routed.is_multinode() => {
                let reason = "it names no recipe, so the multi-node path of the launcher runs it".to_owned();
                decision(Route::Legacy, Rule::LauncherDecides, reason)
            }
            Self::NoRecipe => legacy(launcher, routed, checkout, &decision),
        }
    }
}

fn fits_reason(rule: Rule, recipe: &str, variant: Option<&str>) -> String {
    let name = variant.map_or_else(|| recipe.to_owned(), |variant| format!("{recipe}:{variant}"));
    match rule {
        Rule::Binds => format!("exactly one variant fits, {name}"),
        _ => format!("{name} agrees with the point"),
    }
}

/// Whether a launcher runs a point by srt-slurm. A script of the checkout says so itself; where there is none, srtx-gh is
/// the launcher. One cluster never runs AgentX natively.
fn takes_recipes(launcher: &str, routed: Routed<'_, '_>, checkout: Checkout<'_, '_>) -> bool {
    const WITHOUT_AGENTX: &str = "b200-nb";
    const NATIVE_CALLS: [&str; 3] = ["launch_srt_single_node", "srtctl", "srtx-gh launch"];
    if launcher == WITHOUT_AGENTX && routed.is_agentic() {
        return false;
    }
    match (checkout.text_of)(&launcher_script(launcher)) {
        None => true,
        Some(text) if routed.is_multinode() => NATIVE_CALLS.iter().any(|call| text.contains(call)),
        Some(text) => text.contains(NATIVE_CALLS[0]) || text.contains(NATIVE_CALLS[2]),
    }
}

fn legacy(
    launcher: &str,
    routed: Routed<'_, '_>,
    checkout: Checkout<'_, '_>,
    decision: &dyn Fn(Route, Rule, String) -> Decision,
) -> Decision {
    let point = LegacyPoint {
        exp_name: routed.text("exp-name"),
        precision: routed.text("precision"),
        framework: routed.text("framework"),
        spec_decoding: routed.text("spec-decoding"),
        agentic: routed.is_agentic(),
    };
    let scripts = legacy_scripts(launcher, &point);
    if let Some(script) = scripts.iter().find(|script| (checkout.has_file)(script)) {
        let reason = format!("it names no recipe, and {script} exists");
        let mut decision = decision(Route::Legacy, Rule::ScriptExists, reason);
        decision.script = Some(script.clone());
        return decision;
    }
    let reason = if scripts.is_empty() {
        format!("it names no recipe, and the launcher {launcher} has no single-node scripts")
    } else {
        format!("it names no recipe, and there is no legacy script {}", scripts.join(" or "))
    };
    let mut decision = decision(Route::Broken, Rule::ScriptMissing, reason.clone());
    let diagnostic = routed.place(Diagnostic::error(Code::NotBound, reason), "recipe");
    decision.diagnostics = vec![diagnostic.help("name a recipe with `srt-recipe`, or add the script")];
    decision
}

/// A problem of the recipe, with the line of the config beside it.
fn both_lines(problem: Diagnostic, routed: Routed<'_, '_>, field: &str) -> Diagnostic {
    let Some(entry) = routed.entry else { return problem };
    let key = config_key(field);
    let node = entry.node.get(key).or_else(|| entry.config.node.get(key)).unwrap_or(entry.node);
    problem.related(entry.node.source(), node.site(), "the point")
}

fn with_recipe_line(diagnostic: Diagnostic, mismatch: &Mismatch<'_>) -> Diagnostic {
    match mismatch.recipe.as_ref().and_then(crate::core::recipe::Tree::place) {
        Some((source, span)) => diagnostic.related(source, span, "the recipe"),
        None => diagnostic,
    }
}
