//! Whether one candidate fits a point: the comparisons, in the order in which they are made.

use std::borrow::Cow;

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
    pub field: Cow<'static, str>,
    /// What the recipe has, with its place.
    pub recipe: Option<Tree<'d>>,
    /// What the point has.
    pub matrix: Option<Tree<'d>>,
    /// Why, where the two values do not say it.
    pub reason: Option<String>,
}

impl<'d> Mismatch<'d> {
    pub(in crate::core::route) fn new(
        field: impl Into<Cow<'static, str>>,
        recipe: Option<Tree<'d>>,
        matrix: Option<Tree<'d>>,
    ) -> Self {
        Self { field: field.into(), recipe, matrix, reason: None }
    }

    pub(super) fn renamed(mut self, field: &'static str) -> Self {
        self.field = Cow::Borrowed(field);
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
pub(super) fn check<'d>(variant: &Variant<'d>, point: &Point<'_>) -> Result<(), Mismatch<'d>> {
    let recipe = match &variant.recipe {
        Ok(recipe) => recipe,
        Err(diagnostic) => return Err(Mismatch::new("variant", None, None).because(&*diagnostic.message)),
    };
    let engine = match point.engine {
        Some(engine) => engine,
        None => {
            point.text("FRAMEWORK")?;
            return Err(point.differs(None, "FRAMEWORK").because("single-node points run sglang, trt, vllm or atom"));
        }
    };
    let parts = Parts::read(recipe)?;
    let method = draft_method(engine, parts.args)?;
    check_server(engine, &parts, point)?;
    check_workload(engine, &parts, method.as_deref(), point)
}

/// The environment of a point, as the comparisons read it. What is computed from it is computed once for all candidates.
pub(super) struct Point<'e> {
    env: &'e Environment,
    engine: Option<&'static dyn Engine>,
    model: Option<String>,
    topology: Option<Topology>,
    gpus: Option<Num>,
}

impl<'e> Point<'e> {
    /// Reads an environment.
    pub(super) fn of(env: &'e Environment) -> Self {
        let text = |name: &str| env.get(name).map(String::as_str);
        let number = |name: &str| text(name).and_then(python_int);
        let topology = match (number("TP"), number("EP_SIZE"), text("DP_ATTENTION")) {
            (Some(tp), Some(ep), Some(switch)) => Some(Topology { tp, ep, dp_attention: switch == "true" }),
            _ => None,
        };
        Self {
            env,
            engine: text("FRAMEWORK").and_then(engine_of),
            model: text("MODEL").map(|model| format!("hf:{model}")),
            topology,
            gpus: number("GPU_COUNT"),
        }
    }

    fn get(&self, name: &'static str) -> Option<&'e str> {
        self.env.get(name).map(String::as_str)
    }

    /// A variable that must be there.
    fn text<'d>(&self, name: &'static str) -> Result<&'e str, Mismatch<'d>> {
        self.get(name).ok_or_else(|| self.absent(name))
    }

    fn absent<'d>(&self, name: &'static str) -> Mismatch<'d> {
        self.differs(None, name).because(format!("{name} is not set"))
    }

    fn no_number<'d>(&self, name: &'static str) -> Mismatch<'d> {
        match self.get(name) {
            None => self.absent(name),
            Some(_) => self.differs(None, name).because(format!("{name} is no integer")),
        }
    }

    fn differs<'d>(&self, recipe: Option<&Tree<'d>>, name: &'static str) -> Mismatch<'d> {
        Mismatch::new(name, recipe.cloned(), self.get(name).map(|value| Tree::text(value.to_owned())))
    }

    /// Compares a text of the recipe with a variable.
    fn is<'d>(&self, recipe: Option<&Tree<'d>>, name: &'static str, field: &'static str) -> Result<(), Mismatch<'d>> {
        let expected = self.text(name)?;
        if recipe.and_then(Tree::as_str) == Some(expected) {
            return Ok(());
        }
        Err(self.differs(recipe, name).renamed(field))
    }

    /// Compares how a value of the recipe prints with a variable: 8192 and '8192' are the same workload.
    fn prints<'d>(&self, recipe: Option<&Tree<'d>>, name: &'static str) -> Result<(), Mismatch<'d>> {
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
                Err(Mismatch::new(path, other.cloned(), None).because(reason))
            }
        };
        Ok(Self {
            root,
            role: mapping(&["roles", "agg"])?,
            args: mapping(&["roles", "agg", "args"])?,
            workload: root.at(&["benchmark", "env"]),
        })
    }

    fn workload(&self, name: &'static str) -> Option<&'v Tree<'d>> {
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
fn check_server<'d>(engine: &dyn Engine, parts: &Parts<'_, 'd>, point: &Point<'_>) -> Result<(), Mismatch<'d>> {
    let named = parts.root.get("engine");
    let named = named.and_then(|engine| if engine.as_map().is_some() { engine.get("type") } else { Some(engine) });
    if named.and_then(Tree::as_str) != Some(engine.name()) {
        return Err(Mismatch::new("engine", named.cloned(), Some(Tree::text(engine.name()))));
    }
    let Some(model) = &point.model else { return Err(point.absent("MODEL")) };
    let path = parts.root.at(&["model", "path"]);
    if path.and_then(Tree::as_str) != Some(model) {
        return Err(Mismatch::new("model", path.cloned(), Some(Tree::text(model.clone()))));
    }
    point.is(parts.root.at(&["model", "container"]), "IMAGE", "image")?;
    point.is(parts.root.at(&["model", "precision"]), "PRECISION", "precision")?;
    engine.check_topology(parts.args, topology(point)?)?;
    match &point.gpus {
        Some(gpus) => counts(parts.role, "gpus", gpus)?,
        None => return Err(point.no_number("GPU_COUNT")),
    }
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

fn topology<'p, 'd>(point: &'p Point<'_>) -> Result<&'p Topology, Mismatch<'d>> {
    point.topology.as_ref().ok_or_else(|| {
        let wrong = ["TP", "EP_SIZE"].into_iter().find(|name| point.get(name).and_then(python_int).is_none());
        wrong.map_or_else(|| point.absent("DP_ATTENTION"), |name| point.no_number(name))
    })
}

fn counts<'d>(role: &Tree<'d>, name: &'static str, expected: &Num) -> Result<(), Mismatch<'d>> {
    argument_is(role, name, None, expected)
}

/// What is run against the servers, and how it is counted.
fn check_workload<'d>(
    engine: &dyn Engine,
    parts: &Parts<'_, 'd>,
    method: Option<&str>,
    point: &Point<'_>,
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

fn check_fixed_lengths<'d>(parts: &Parts<'_, 'd>, drafts: bool, point: &Point<'_>) -> Result<(), Mismatch<'d>> {
    let expected = if drafts { "true" } else { "false" };
    let template = parts.workload("USE_CHAT_TEMPLATE");
    if template.and_then(Tree::as_str) != Some(expected) {
        return Err(Mismatch::new("USE_CHAT_TEMPLATE", template.cloned(), Some(Tree::text(expected))));
    }
    ["ISL", "OSL", "RANDOM_RANGE_RATIO"].into_iter().try_for_each(|name| point.prints(parts.workload(name), name))
}

/// Any draft is `mtp` in the matrix. A variant without one may name a label of its own.
fn check_speculation<'d>(parts: &Parts<'_, 'd>, method: Option<&str>, point: &Point<'_>) -> Result<(), Mismatch<'d>> {
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

fn check_parallel<'d>(engine: &dyn Engine, parts: &Parts<'_, 'd>, point: &Point<'_>) -> Result<(), Mismatch<'d>> {
    if let Some((field, expected)) = engine.gpus_besides(topology(point)?) {
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
