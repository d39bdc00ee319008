//! Whether one candidate fits a point: the comparisons, in the order in which they are made.

use super::Candidate;
use super::engine::{Engine, Topology, engine_of};
use crate::core::launch::Environment;
use crate::core::num::{Num, python_int, python_str};
use crate::core::yaml::Value;

/// Methods that draft tokens. The matrix calls all of them `mtp`.
const DRAFT_METHODS: [&str; 5] = ["eagle", "nextn", "mtp", "dspark", "eagle3"];
/// The client of AgentX points.
const AGENTX_CLIENT: &str = "srt_agentic.sh";

/// The first value that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// What differs, by the name that users know.
    pub field: String,
    /// What the recipe has.
    pub recipe: Option<Value<'static>>,
    /// What the point has.
    pub matrix: Option<Value<'static>>,
    /// Why, where the two values do not say it.
    pub reason: Option<String>,
}

impl Mismatch {
    pub(super) fn renamed(mut self, field: &str) -> Self {
        field.clone_into(&mut self.field);
        self
    }

    fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

/// The two values of a comparison.
pub(super) struct Sides {
    recipe: Option<Value<'static>>,
    matrix: Option<Value<'static>>,
}

impl Sides {
    pub(super) fn of(recipe: Option<&Value<'_>>, matrix: Option<Value<'_>>) -> Self {
        Self { recipe: recipe.map(Value::to_static), matrix: matrix.map(|value| value.to_static()) }
    }

    pub(super) fn differ_in(self, field: &str) -> Mismatch {
        Mismatch { field: field.to_owned(), recipe: self.recipe, matrix: self.matrix, reason: None }
    }
}

/// `None or 1`, as text: what Python calls false stands for one rank.
pub(super) fn ranks_or_one(value: Option<&Value<'_>>) -> String {
    value.filter(|value| value.is_truthy()).map_or_else(|| "1".to_owned(), python_str)
}

/// Compares a candidate with a point; the error is the first difference.
pub(super) fn check(candidate: &Candidate<'_>, env: &Environment) -> Result<(), Mismatch> {
    let variant = match &candidate.value {
        Ok(variant) => *variant,
        Err(reason) => return Err(Sides::of(None, None).differ_in("variant").because(reason)),
    };
    let point = Point { env };
    let framework = point.text("FRAMEWORK")?;
    let engine = engine_of(framework)
        .ok_or_else(|| point.differs(None, "FRAMEWORK").because("single-node points run sglang, trt, vllm or atom"))?;
    let variant = Variant::read(variant)?;
    let method = draft_method(engine, variant.args)?;
    check_server(engine, &variant, point)?;
    check_workload(engine, &variant, method.as_deref(), point)
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
    fn text(self, name: &str) -> Result<&'e str, Mismatch> {
        self.get(name).ok_or_else(|| self.differs(None, name).because(format!("{name} is not set")))
    }

    fn number(self, name: &str) -> Result<Num, Mismatch> {
        python_int(self.text(name)?).ok_or_else(|| self.differs(None, name).because(format!("{name} is no integer")))
    }

    fn differs(self, recipe: Option<&Value<'_>>, name: &str) -> Mismatch {
        Sides::of(recipe, self.get(name).map(Value::text)).differ_in(name)
    }

    /// Compares a text of the recipe with a variable.
    fn is(self, recipe: Option<&Value<'_>>, name: &str, field: &str) -> Result<(), Mismatch> {
        let expected = self.text(name)?;
        if recipe.and_then(Value::as_str) == Some(expected) {
            return Ok(());
        }
        Err(self.differs(recipe, name).renamed(field))
    }

    /// Compares how a value of the recipe prints with a variable: 8192 and '8192' are the same workload.
    fn prints(self, recipe: Option<&Value<'_>>, name: &str) -> Result<(), Mismatch> {
        let expected = self.text(name)?;
        if recipe.is_some_and(|value| python_str(value) == expected) {
            return Ok(());
        }
        Err(self.differs(recipe, name))
    }
}

/// The parts of a variant that are compared.
struct Variant<'v> {
    root: &'v Value<'v>,
    role: &'v Value<'v>,
    args: &'v Value<'v>,
    workload: &'v Value<'v>,
}

impl<'v> Variant<'v> {
    fn read(root: &'v Value<'v>) -> Result<Self, Mismatch> {
        static NOTHING: Value<'static> = Value::Map(Vec::new());
        let map = |path: &[&str]| {
            let value = path.iter().try_fold(root, |value, key| value.get(key));
            match value {
                Some(value @ Value::Map(_)) => Ok(value),
                other => {
                    let path = path.join(".");
                    let reason = format!("the variant has no mapping {path}");
                    Err(Sides::of(other, None).differ_in(&path).because(reason))
                }
            }
        };
        let role = map(&["roles", "agg"])?;
        let args = match role.get("args") {
            None | Some(Value::Null) => &NOTHING,
            Some(_) => map(&["roles", "agg", "args"])?,
        };
        let workload = match root.get("benchmark").and_then(|benchmark| benchmark.get("env")) {
            None | Some(Value::Null) => &NOTHING,
            Some(_) => map(&["benchmark", "env"])?,
        };
        Ok(Self { root, role, args, workload })
    }

    fn at(&self, path: [&str; 2]) -> Option<&'v Value<'v>> {
        self.root.get(path[0])?.get(path[1])
    }
}

fn draft_method(engine: &dyn Engine, args: &Value<'_>) -> Result<Option<String>, Mismatch> {
    let method = engine.draft_method(args)?;
    match &method {
        Some(name) if !DRAFT_METHODS.contains(&&**name) => {
            let reason = format!("{name} is no draft method that is known: {}", DRAFT_METHODS.join(", "));
            Err(Sides::of(Some(&Value::text(&**name)), None).differ_in(engine.draft_argument()).because(reason))
        }
        _ => Ok(method),
    }
}

/// What the servers are: engine, model, image, topology and the resources of the one role.
fn check_server(engine: &dyn Engine, variant: &Variant<'_>, point: Point<'_>) -> Result<(), Mismatch> {
    let named = variant.root.get("engine").map(|engine| match engine {
        Value::Map(_) => engine.get("type").unwrap_or(&Value::Null),
        other => other,
    });
    if named.and_then(Value::as_str) != Some(engine.name()) {
        return Err(Sides::of(named, Some(Value::text(engine.name()))).differ_in("engine"));
    }
    let model = format!("hf:{}", point.text("MODEL")?);
    let path = variant.at(["model", "path"]);
    if path.and_then(Value::as_str) != Some(&model) {
        return Err(Sides::of(path, Some(Value::text(model))).differ_in("model"));
    }
    point.is(variant.at(["model", "container"]), "IMAGE", "image")?;
    point.is(variant.at(["model", "precision"]), "PRECISION", "precision")?;
    let topology = Topology {
        tp: point.number("TP")?,
        ep: point.number("EP_SIZE")?,
        dp_attention: point.text("DP_ATTENTION")? == "true",
    };
    engine.check_topology(variant.args, &topology)?;
    counts(variant.role, "gpus", &point.number("GPU_COUNT")?)?;
    counts(variant.role, "nodes", &Num::Int(1))?;
    counts(variant.role, "workers", &Num::Int(1))?;
    match variant.root.get("roles") {
        Some(Value::Map(roles)) if roles.len() == 1 => Ok(()),
        roles => Err(Sides::of(roles.map(role_names).as_ref(), Some(Value::text("agg"))).differ_in("roles")),
    }
}

fn role_names(roles: &Value<'_>) -> Value<'static> {
    let Value::Map(roles) = roles else { return Value::Null };
    Value::List(roles.iter().map(|(name, _)| name.to_static()).collect())
}

fn counts(role: &Value<'_>, name: &str, expected: &Num) -> Result<(), Mismatch> {
    let value = role.get(name);
    if value.and_then(Num::of).is_some_and(|value| value == *expected) {
        return Ok(());
    }
    Err(Sides::of(value, Some(expected.clone().into_value())).differ_in(name))
}

/// What is run against the servers, and how it is counted.
fn check_workload(
    engine: &dyn Engine,
    variant: &Variant<'_>,
    method: Option<&str>,
    point: Point<'_>,
) -> Result<(), Mismatch> {
    let kind = variant.at(["benchmark", "type"]);
    if kind.and_then(Value::as_str) != Some("custom") {
        return Err(Sides::of(kind, Some(Value::text("custom"))).differ_in("benchmark type"));
    }
    let workload = variant.workload;
    point.is(workload.get("MODEL"), "MODEL", "benchmark MODEL")?;
    check_speculation(workload, method, point)?;
    let agentic = point.get("IS_AGENTIC") == Some("1");
    let command = variant.at(["benchmark", "command"]);
    if command.and_then(Value::as_str).is_some_and(|command| command.ends_with(AGENTX_CLIENT)) != agentic {
        return Err(Sides::of(command, Some(Value::Bool(agentic))).differ_in("AgentX client"));
    }
    if !agentic {
        let expected = if method.is_some() { "true" } else { "false" };
        let template = workload.get("USE_CHAT_TEMPLATE");
        if template.and_then(Value::as_str) != Some(expected) {
            return Err(Sides::of(template, Some(Value::text(expected))).differ_in("USE_CHAT_TEMPLATE"));
        }
        for name in ["ISL", "OSL", "RANDOM_RANGE_RATIO"] {
            point.prints(workload.get(name), name)?;
        }
    }
    for name in ["CONC", "KV_OFFLOADING", "TOTAL_CPU_DRAM_GB"] {
        if let Some(value) = workload.get(name) {
            point.prints(Some(value), name)?;
        }
    }
    check_parallel(engine, variant, point)
}

/// Any draft is `mtp` in the matrix. A variant without one may name a label of its own.
fn check_speculation(workload: &Value<'_>, method: Option<&str>, point: Point<'_>) -> Result<(), Mismatch> {
    let label = match (method, workload.get("SPEC_DECODING")) {
        (Some(_), _) => "mtp".to_owned(),
        (None, Some(label)) if label.is_truthy() => python_str(label),
        (None, _) => "none".to_owned(),
    };
    let asked = match point.text("SPEC_DECODING")? {
        "draft_model" => "mtp",
        other => other,
    };
    if label == asked {
        return Ok(());
    }
    Err(Sides::of(Some(&Value::text(label)), Some(Value::text(asked))).differ_in("SPEC_DECODING"))
}

fn check_parallel(engine: &dyn Engine, variant: &Variant<'_>, point: Point<'_>) -> Result<(), Mismatch> {
    let topology = Topology { tp: point.number("TP")?, ep: point.number("EP_SIZE")?, dp_attention: false };
    if let Some((field, expected)) = engine.gpus_besides(&topology) {
        counts(variant.role, "gpus", expected).map_err(|mismatch| mismatch.renamed(field))?;
    }
    let decode_context = engine.decode_context_parallel(variant.args);
    for (name, expected) in [("PP_SIZE", "1"), ("DCP_SIZE", &*decode_context), ("PCP_SIZE", "1")] {
        if point.text(name)? != expected {
            return Err(point.differs(Some(&Value::text(expected)), name));
        }
    }
    Ok(())
}
