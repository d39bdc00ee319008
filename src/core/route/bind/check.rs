//! Whether one candidate fits a point: the comparisons, in the order in which they are made.

use super::engine::{Engine, Topology, argument_is, engine_of};
use crate::core::launch::Environment;
use crate::core::num::{Num, python_int};
use crate::core::recipe::{Data, Tree, Variant};

/// Methods that draft tokens. The matrix calls all of them `mtp`.
const DRAFT_METHODS: [&str; 5] = ["eagle", "nextn", "mtp", "dspark", "eagle3"];
/// The client of AgentX points.
const AGENTX_CLIENT: &str = "srt_agentic.sh";

/// The first value that differs.
#[derive(Debug, Clone)]
pub struct Mismatch<'d> {
    /// What differs, by the name that users know.
    pub field: String,
    /// What the recipe has, with its place.
    pub recipe: Option<Tree<'d>>,
    /// What the point has.
    pub matrix: Option<Tree<'d>>,
    /// Why, where the two values do not say it.
    pub reason: Option<String>,
}

impl<'d> Mismatch<'d> {
    pub(in crate::core::route) fn new(field: &str, recipe: Option<Tree<'d>>, matrix: Option<Tree<'d>>) -> Self {
        Self { field: field.to_owned(), recipe, matrix, reason: None }
    }

    pub(super) fn renamed(mut self, field: &str) -> Self {
        field.clone_into(&mut self.field);
        self
    }

    pub(super) fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

/// `None or 1`, as text: what Python calls false stands for one rank.
pub(super) fn ranks_or_one(value: Option<&Tree<'_>>) -> String {
    match value.map(|value| (value, value.to_value().is_truthy())) {
        Some((value, true)) => value.python_str().into_owned(),
        _ => "1".to_owned(),
    }
}

/// Compares a variant with a point; the error is the first difference.
pub(super) fn check<'d>(variant: &Variant<'d>, env: &Environment) -> Result<(), Mismatch<'d>> {
    let recipe = match &variant.recipe {
        Ok(recipe) => recipe,
        Err(diagnostic) => return Err(Mismatch::new("variant", None, None).because(&*diagnostic.message)),
    };
    let point = Point { env };
    let framework = point.text("FRAMEWORK")?;
    let engine = engine_of(framework)
        .ok_or_else(|| point.differs(None, "FRAMEWORK").because("single-node points run sglang, trt, vllm or atom"))?;
    let parts = Parts::read(recipe)?;
    let method = draft_method(engine, parts.args)?;
    check_server(engine, &parts, point)?;
    check_workload(engine, &parts, method.as_deref(), point)
}

/// The environment of a point, as the comparisons read it.
#[derive(Clone, Copy)]
struct Point<'e> {
    env: &'e Environment,
}

impl<'e> Point<'e> {
    fn get(self, name: &str) -> Option<&'e str> {
        self.env.get(name).map(String::as_str)
    }

    /// A variable that must be there.
    fn text<'d>(self, name: &str) -> Result<&'e str, Mismatch<'d>> {
        self.get(name).ok_or_else(|| self.differs(None, name).because(format!("{name} is not set")))
    }

    fn number<'d>(self, name: &str) -> Result<Num, Mismatch<'d>> {
        python_int(self.text(name)?).ok_or_else(|| self.differs(None, name).because(format!("{name} is no integer")))
    }

    fn differs<'d>(self, recipe: Option<&Tree<'d>>, name: &str) -> Mismatch<'d> {
        Mismatch::new(name, recipe.cloned(), self.get(name).map(|value| Tree::text(value.to_owned())))
    }

    /// Compares a text of the recipe with a variable.
    fn is<'d>(self, recipe: Option<&Tree<'d>>, name: &str, field: &str) -> Result<(), Mismatch<'d>> {
        let expected = self.text(name)?;
        if recipe.and_then(Tree::as_str) == Some(expected) {
            return Ok(());
        }
        Err(self.differs(recipe, name).renamed(field))
    }

    /// Compares how a value of the recipe prints with a variable: 8192 and '8192' are the same workload.
    fn prints<'d>(self, recipe: Option<&Tree<'d>>, name: &str) -> Result<(), Mismatch<'d>> {
        let expected = self.text(name)?;
        if recipe.is_some_and(|value| value.python_str() == expected) {
            return Ok(());
        }
        Err(self.differs(recipe, name))
    }
}

/// The parts of a variant that are compared.
struct Parts<'v, 'd> {
    root: &'v Tree<'d>,
    role: &'v Tree<'d>,
    args: &'v Tree<'d>,
    workload: Option<&'v Tree<'d>>,
}

impl<'v, 'd> Parts<'v, 'd> {
    fn read(root: &'v Tree<'d>) -> Result<Self, Mismatch<'d>> {
        let mapping = |path: &[&str]| match root.at(path) {
            Some(value) if value.as_map().is_some() => Ok(value),
            other => {
                let path = path.join(".");
                let reason = format!("the variant has no mapping `{path}`");
                Err(Mismatch::new(&path, other.cloned(), None).because(reason))
            }
        };
        Ok(Self {
            root,
            role: mapping(&["roles", "agg"])?,
            args: mapping(&["roles", "agg", "args"])?,
            workload: root.at(&["benchmark", "env"]),
        })
    }

    fn workload(&self, name: &str) -> Option<&'v Tree<'d>> {
        self.workload?.get(name)
    }
}

fn draft_method<'d>(engine: &dyn Engine, args: &Tree<'d>) -> Result<Option<String>, Mismatch<'d>> {
    let method = engine.draft_method(args)?;
    match &method {
        Some(name) if !DRAFT_METHODS.contains(&&**name) => {
            let reason = format!("{name} is none of the draft methods {}", DRAFT_METHODS.join(", "));
            let argument = engine.draft_argument();
            Err(Mismatch::new(argument, Some(Tree::text(name.clone())), None).because(reason))
        }
        _ => Ok(method),
    }
}

/// What the servers are: engine, model, image, topology and the resources of the one role.
fn check_server<'d>(engine: &dyn Engine, parts: &Parts<'_, 'd>, point: Point<'_>) -> Result<(), Mismatch<'d>> {
    let named = parts.root.get("engine");
    let named = named.and_then(|engine| if engine.as_map().is_some() { engine.get("type") } else { Some(engine) });
    if named.and_then(Tree::as_str) != Some(engine.name()) {
        return Err(Mismatch::new("engine", named.cloned(), Some(Tree::text(engine.name()))));
    }
    let model = format!("hf:{}", point.text("MODEL")?);
    let path = parts.root.at(&["model", "path"]);
    if path.and_then(Tree::as_str) != Some(&model) {
        return Err(Mismatch::new("model", path.cloned(), Some(Tree::text(model))));
    }
    point.is(parts.root.at(&["model", "container"]), "IMAGE", "image")?;
    point.is(parts.root.at(&["model", "precision"]), "PRECISION", "precision")?;
    let topology = topology(point)?;
    engine.check_topology(parts.args, &topology)?;
    counts(parts.role, "gpus", &point.number("GPU_COUNT")?)?;
    counts(parts.role, "nodes", &Num::Int(1))?;
    counts(parts.role, "workers", &Num::Int(1))?;
    match parts.root.get("roles").and_then(Tree::as_map) {
        Some(roles) if roles.len() == 1 => Ok(()),
        roles => {
            let names = roles.map(|roles| roles.entries().iter().map(|entry| entry.key.clone()).collect());
            Err(Mismatch::new("roles", names.map(Tree::list), Some(Tree::text("agg"))))
        }
    }
}

fn topology<'d>(point: Point<'_>) -> Result<Topology, Mismatch<'d>> {
    Ok(Topology {
        tp: point.number("TP")?,
        ep: point.number("EP_SIZE")?,
        dp_attention: point.text("DP_ATTENTION")? == "true",
    })
}

fn counts<'d>(role: &Tree<'d>, name: &str, expected: &Num) -> Result<(), Mismatch<'d>> {
    argument_is(role, name, None, expected)
}

/// What is run against the servers, and how it is counted.
fn check_workload<'d>(
    engine: &dyn Engine,
    parts: &Parts<'_, 'd>,
    method: Option<&str>,
    point: Point<'_>,
) -> Result<(), Mismatch<'d>> {
    let kind = parts.root.at(&["benchmark", "type"]);
    if kind.and_then(Tree::as_str) != Some("custom") {
        return Err(Mismatch::new("benchmark type", kind.cloned(), Some(Tree::text("custom"))));
    }
    point.is(parts.workload("MODEL"), "MODEL", "benchmark MODEL")?;
    check_speculation(parts, method, point)?;
    let agentic = point.get("IS_AGENTIC") == Some("1");
    let command = parts.root.at(&["benchmark", "command"]);
    if command.and_then(Tree::as_str).is_some_and(|command| command.ends_with(AGENTX_CLIENT)) != agentic {
        let reason = if agentic { "AgentX points run" } else { "only AgentX points run" };
        let mismatch = Mismatch::new("AgentX client", command.cloned(), Some(Tree::new(Data::Bool(agentic))));
        return Err(mismatch.because(format!("{reason} a command that ends with {AGENTX_CLIENT}")));
    }
    if !agentic {
        check_fixed_lengths(parts, method.is_some(), point)?;
    }
    for name in ["CONC", "KV_OFFLOADING", "TOTAL_CPU_DRAM_GB"] {
        if let Some(value) = parts.workload(name) {
            point.prints(Some(value), name)?;
        }
    }
    check_parallel(engine, parts, point)
}

fn check_fixed_lengths<'d>(parts: &Parts<'_, 'd>, drafts: bool, point: Point<'_>) -> Result<(), Mismatch<'d>> {
    let expected = if drafts { "true" } else { "false" };
    let template = parts.workload("USE_CHAT_TEMPLATE");
    if template.and_then(Tree::as_str) != Some(expected) {
        return Err(Mismatch::new("USE_CHAT_TEMPLATE", template.cloned(), Some(Tree::text(expected))));
    }
    ["ISL", "OSL", "RANDOM_RANGE_RATIO"].into_iter().try_for_each(|name| point.prints(parts.workload(name), name))
}

/// Any draft is `mtp` in the matrix. A variant without one may name a label of its own.
fn check_speculation<'d>(parts: &Parts<'_, 'd>, method: Option<&str>, point: Point<'_>) -> Result<(), Mismatch<'d>> {
    let own = parts.workload("SPEC_DECODING").filter(|label| label.to_value().is_truthy());
    let label = match (method, own) {
        (Some(_), _) => "mtp".into(),
        (None, Some(label)) => label.python_str(),
        (None, None) => "none".into(),
    };
    let asked = match point.text("SPEC_DECODING")? {
        "draft_model" => "mtp",
        other => other,
    };
    if label == asked {
        return Ok(());
    }
    let recipe = match (method, own) {
        (None, Some(own)) => own.clone(),
        _ => Tree::text(label.into_owned()),
    };
    Err(Mismatch::new("SPEC_DECODING", Some(recipe), Some(Tree::text(asked.to_owned()))))
}

fn check_parallel<'d>(engine: &dyn Engine, parts: &Parts<'_, 'd>, point: Point<'_>) -> Result<(), Mismatch<'d>> {
    let topology = topology(point)?;
    if let Some((field, expected)) = engine.gpus_besides(&topology) {
        counts(parts.role, "gpus", expected).map_err(|mismatch| mismatch.renamed(field))?;
    }
    let decode_context = engine.decode_context_parallel(parts.args);
    for (name, expected) in [("PP_SIZE", "1"), ("DCP_SIZE", &*decode_context), ("PCP_SIZE", "1")] {
        if point.text(name)? != expected {
            return Err(point.differs(Some(&Tree::text(expected.to_owned())), name));
        }
    }
    Ok(())
}
