//! Golden acceptance: the submit commands of a recipe, with the acceptance length of its draft made synthetic.
//!
//! A replay of recorded sessions cannot draft what the model would really have said. So throughput runs that draft force the
//! acceptance length that was measured for the model, and evaluations get the real one back.

use std::borrow::Cow;
use std::sync::Arc;

use super::curves::{Draft, acceptance_length, curve_name};
use super::engine::engine_of;
use super::refusal::reference;
use crate::core::diag::{Code, Diagnostic, Diagnostics, Source};
use crate::core::launch::Environment;
use crate::core::matrix::spaced_json;
use crate::core::num::{Num, python_general};
use crate::core::recipe::{Data, Overrides, RecipeFile, Tree, Variant, is_path_below};
use crate::core::yaml::Value;

/// Roles, in the order in which their arguments are given.
const ROLES: [&str; 3] = ["agg", "prefill", "decode"];
const SGLANG_LENGTH: &str = "SGLANG_SIMULATE_ACC_LEN";
const SGLANG_METHOD: &str = "SGLANG_SIMULATE_ACC_METHOD";
const SGLANG_TOKENS: &str = "SGLANG_SIMULATE_ACC_TOKEN_MODE";
const TRTLLM_TOKENS: &str = "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS";
const VLLM_CONFIG: &str = "speculative-config";

/// What is submitted.
#[derive(Debug)]
pub struct Submit<'s> {
    /// The recipe file as it is named in commands.
    pub path: &'s str,
    /// The selector behind it.
    pub selector: Option<&'s str>,
    /// `FRAMEWORK`
    pub framework: &'s str,
    /// The environment of the point.
    pub env: &'s Environment,
    /// What the caller gives to `srtctl apply`.
    pub caller: &'s [String],
}

/// Finds a curve by its name.
pub type Curves<'c> = dyn Fn(&str) -> Result<Arc<Source>, Diagnostic> + 'c;

/// The submit commands, all planned before any is run.
///
/// # Errors
///
/// Everything that is wrong in any of them.
pub fn plan_submissions(
    file: &RecipeFile<'_>,
    submit: &Submit<'_>,
    curves: &Curves<'_>,
) -> Result<Vec<Vec<String>>, Diagnostics> {
    let Some(family) = Family::of(submit.framework) else {
        let target =
            submit.selector.map_or_else(|| submit.path.to_owned(), |selector| format!("{}:{selector}", submit.path));
        return Ok(vec![command(submit, &target, &[])]);
    };
    let caller = Changes::of(submit.caller);
    let changed = file.overridden(&caller.parsed()?)?;
    let variants =
        changed.select(submit.selector).map_err(|diagnostic| Diagnostics::from(*diagnostic))?.into_variants();
    let mut found = Diagnostics::new();
    if variants.is_empty() {
        let message = format!("{} has no variants that could be submitted", submit.path);
        found.push(Diagnostic::error(Code::NotBound, message).in_file(file.source().name()));
    }
    let mut commands = Vec::with_capacity(variants.len());
    for variant in &variants {
        let planned = plan(variant, family, submit, curves).and_then(|generated| {
            generated.check_against(&caller)?;
            generated.check_selects(&caller, file, variant)?;
            Ok(generated)
        });
        match planned {
            Ok(generated) => commands.push(command(submit, &reference(submit.path, variant), &generated.words())),
            Err(diagnostics) => diagnostics.into_iter().for_each(|diagnostic| found.push(diagnostic)),
        }
    }
    if found.has_errors() { Err(found) } else { Ok(commands) }
}

fn command(submit: &Submit<'_>, target: &str, generated: &[String]) -> Vec<String> {
    let start = ["srtctl", "apply"].map(str::to_owned);
    let file = ["--file", target].map(str::to_owned);
    start.into_iter().chain(submit.caller.iter().cloned()).chain(file).chain(generated.iter().cloned()).collect()
}

/// `--set` and `--unset`, in their order.
#[derive(Debug, Default)]
struct Changes {
    list: Vec<(bool, String)>,
}

impl Changes {
    /// Those among the words of a caller, whatever else stands there.
    fn of(words: &[String]) -> Self {
        let mut list = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let (option, inline) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let is_set = match option {
                "--set" => true,
                "--unset" => false,
                _ => continue,
            };
            if let Some(value) = inline.or_else(|| words.next().cloned()) {
                list.push((is_set, value));
            }
        }
        Self { list }
    }

    fn set(&mut self, path: &str, value: &str) {
        self.list.push((true, format!("{path}={value}")));
    }

    fn unset(&mut self, path: String) {
        self.list.push((false, path));
    }

    fn those(&self, set: bool) -> impl Iterator<Item = &str> {
        self.list.iter().filter(move |(is_set, _)| *is_set == set).map(|(_, word)| &**word)
    }

    fn parsed(&self) -> Result<Overrides, Diagnostics> {
        Overrides::parse(self.those(true), self.those(false))
    }

    fn words(&self) -> Vec<String> {
        let option = |is_set: bool| if is_set { "--set" } else { "--unset" };
        self.list.iter().flat_map(|(is_set, word)| [option(*is_set).to_owned(), word.clone()]).collect()
    }

    /// srtctl removes after it has set, so a caller who removes what stands above would undo us in silence.
    fn check_against(&self, caller: &Self) -> Result<(), Vec<Diagnostic>> {
        let mut wrong = Vec::new();
        for removed in caller.those(false) {
            if let Some(set) = self.those(true).find(|set| is_path_below(set, removed)) {
                let path = set.split('=').next().unwrap_or(set);
                let message = format!("--unset {removed} removes `{path}`, which the acceptance of the draft sets");
                let diagnostic = Diagnostic::error(Code::RecipeOverride, message).path(removed);
                wrong.push(diagnostic.help("remove less, or leave the acceptance to the evaluation"));
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    /// A value that is set in a group is a list of one, which can leave the group with fewer variants than before.
    fn check_selects(
        &self,
        caller: &Self,
        file: &RecipeFile<'_>,
        variant: &Variant<'_>,
    ) -> Result<(), Vec<Diagnostic>> {
        let all = |set| caller.those(set).chain(self.those(set)).map(str::to_owned).collect::<Vec<_>>();
        let (sets, unsets) = (all(true), all(false));
        let applied = Overrides::parse(sets.iter().map(String::as_str), unsets.iter().map(String::as_str))
            .and_then(|overrides| file.overridden(&overrides))
            .and_then(|changed| {
                let selection = changed.select(variant.selector.as_deref());
                selection.map(drop).map_err(|diagnostic| Diagnostics::from(*diagnostic))
            });
        applied.map_err(|found| found.into_iter().collect())
    }
}

/// The engines whose acceptance can be made synthetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Sglang,
    Vllm,
    TrtLlm,
}

impl Family {
    fn of(framework: &str) -> Option<Self> {
        Some(match framework {
            "sglang" | "sglang-disagg" | "dynamo-sglang" => Self::Sglang,
            "vllm" | "vllm-disagg" | "dynamo-vllm" => Self::Vllm,
            "trt" | "dynamo-trt" => Self::TrtLlm,
            _ => return None,
        })
    }

    /// The variables that force an acceptance.
    fn variables(self) -> &'static [&'static str] {
        match self {
            Self::Sglang => &[SGLANG_LENGTH, SGLANG_METHOD, SGLANG_TOKENS],
            Self::TrtLlm => &[TRTLLM_TOKENS],
            Self::Vllm => &[],
        }
    }

    /// What a role drafts, if it does.
    fn draft<'d>(self, role: &Tree<'d>) -> Result<Option<Draft<'d>>, Vec<Diagnostic>> {
        let framework = match self {
            Self::Sglang => "sglang",
            Self::Vllm => "vllm",
            Self::TrtLlm => "trt",
        };
        let (Some(args), Some(engine)) = (role.get("args"), engine_of(framework)) else { return Ok(None) };
        let method = engine.draft_method(args).map_err(|mismatch| {
            let reason = mismatch.reason.unwrap_or_default();
            let diagnostic = Diagnostic::error(Code::NoAcceptance, format!("{}: {reason}", mismatch.field));
            vec![match mismatch.recipe.as_ref().and_then(Tree::place) {
                Some((source, span)) => diagnostic.at(source, span),
                None => diagnostic,
            }]
        })?;
        let Some(method) = method else { return Ok(None) };
        let text = |tree: Option<&Tree<'_>>| tree.and_then(Tree::as_str).map(str::to_owned);
        Ok(Some(match self {
            Self::Sglang => {
                let length = if method == "dspark" { "speculative-dspark-block-size" } else { "speculative-num-steps" };
                Draft { method, model: None, sample_method: None, length: args.get(length).cloned() }
            }
            Self::TrtLlm => {
                let config = args.get("speculative_config");
                let get = |name| config.and_then(|config| config.get(name));
                let model = text(get("speculative_model"));
                Draft { method, model, sample_method: None, length: get("max_draft_len").cloned() }
            }
            Self::Vllm => {
                let config = vllm_config(args).unwrap_or_default();
                let get = |name: &str| config.iter().find(|(key, _)| key == name).map(|(_, value)| value);
                Draft {
                    method,
                    model: get("model").and_then(Value::as_str).map(str::to_owned),
                    sample_method: get("draft_sample_method").and_then(Value::as_str).map(str::to_owned),
                    length: get("num_speculative_tokens").map(value_tree),
                }
            }
        }))
    }
}

type Config = Vec<(String, Value<'static>)>;

/// The speculation of vLLM, which is a mapping or the JSON text of one.
fn vllm_config(args: &Tree<'_>) -> Option<Config> {
    let config = args.get(VLLM_CONFIG)?;
    match config.data() {
        Data::Map(map) => {
            let entry = |key: &Tree<'_>, value: &Tree<'_>| (key.key_text().into_owned(), value.to_value().to_static());
            Some(map.entries().iter().map(|e| entry(&e.key, &e.value)).collect())
        }
        Data::Str(text) => match serde_json::from_str(text).ok()? {
            serde_json::Value::Object(map) => {
                Some(map.into_iter().map(|(key, value)| (key, json_value(value))).collect())
            }
            _ => None,
        },
        _ => None,
    }
}

fn json_value(value: serde_json::Value) -> Value<'static> {
    use serde_json::Value as Json;
    match value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(value),
        Json::Number(number) => match number.as_i64() {
            Some(value) => Value::Int(value),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::Str(Cow::Owned(text)),
        Json::Array(items) => Value::List(items.into_iter().map(json_value).collect()),
        Json::Object(map) => {
            Value::Map(map.into_iter().map(|(key, value)| (Value::Str(Cow::Owned(key)), json_value(value))).collect())
        }
    }
}

fn value_tree<'d>(value: &Value<'_>) -> Tree<'d> {
    Tree::new(match value {
        Value::Int(value) => Data::Int(*value),
        Value::Float(value) => Data::Float(*value),
        Value::Bool(value) => Data::Bool(*value),
        Value::Str(text) => Data::Str(Cow::Owned(text.clone().into_owned())),
        _ => Data::Null,
    })
}

/// What is generated for one variant.
fn plan(
    variant: &Variant<'_>,
    family: Family,
    submit: &Submit<'_>,
    curves: &Curves<'_>,
) -> Result<Changes, Vec<Diagnostic>> {
    let recipe = variant.recipe.as_ref().map_err(|diagnostic| vec![Diagnostic::clone(diagnostic)])?;
    let roles: Vec<(&str, &Tree<'_>)> =
        ROLES.iter().filter_map(|role| Some((*role, recipe.at(&["roles", role])?))).collect();
    let generating = roles.iter().find(|(name, _)| *name == "decode").or(roles.iter().find(|(name, _)| *name == "agg"));
    let draft = match generating {
        Some((_, role)) => family.draft(role)?,
        None => None,
    };
    let mut changes = Changes::default();
    for variable in family.variables() {
        if recipe.at(&["environment", variable]).is_some() {
            changes.unset(format!("environment.{variable}"));
        }
    }
    match draft.filter(|_| is_synthetic(submit.env)) {
        Some(draft) => {
            let name = curve_name(&draft, submit.env).map_err(|diagnostic| vec![diagnostic])?;
            let source = curves(&name).map_err(|diagnostic| vec![diagnostic])?;
            let length = acceptance_length(&source, &draft, submit.env)?;
            for (name, role) in roles {
                if family.draft(role)?.is_some() {
                    force(&mut changes, family, name, role, &length);
                }
            }
        }
        None => roles.into_iter().for_each(|(name, role)| release(&mut changes, family, name, role)),
    }
    Ok(changes)
}

/// Whether the point is a throughput run of AgentX that drafts.
fn is_synthetic(env: &Environment) -> bool {
    let get = |name: &str| env.get(name).map_or("", String::as_str);
    let agentic = get("IS_AGENTIC");
    get("EVAL_ONLY") != "true"
        && (agentic == "1" || agentic.eq_ignore_ascii_case("true"))
        && get("SPEC_DECODING") != "none"
}

/// Makes the acceptance of a role that drafts synthetic.
fn force(changes: &mut Changes, family: Family, role: &str, tree: &Tree<'_>, length: &Num) {
    let mut variable =
        |name: &str, value: &str| changes.set(&format!("roles.{role}.env.{name}"), &format!("\"{value}\""));
    match family {
        Family::Sglang => {
            variable(SGLANG_LENGTH, &python_general(length.to_f64()));
            variable(SGLANG_METHOD, "match-expected");
            variable(SGLANG_TOKENS, "real-draft-token");
        }
        Family::TrtLlm => variable(TRTLLM_TOKENS, &python_general(length.to_f64() - 1.0)),
        Family::Vllm => {
            let mut config = tree.get("args").and_then(vllm_config).unwrap_or_default();
            put(&mut config, "rejection_sample_method", Value::text("synthetic"));
            put(&mut config, "synthetic_acceptance_length", length.clone().into_value());
            set_vllm_config(changes, role, config);
        }
    }
}

/// Takes a forced acceptance away.
fn release(changes: &mut Changes, family: Family, role: &str, tree: &Tree<'_>) {
    for variable in family.variables() {
        if tree.at(&["env", variable]).is_some() {
            changes.unset(format!("roles.{role}.env.{variable}"));
        }
    }
    if family != Family::Vllm {
        return;
    }
    let Some(mut config) = tree.get("args").and_then(vllm_config) else { return };
    let method = config.iter().find(|(key, _)| key == "rejection_sample_method");
    if method.and_then(|(_, value)| value.as_str()) == Some("synthetic") {
        put(&mut config, "rejection_sample_method", Value::text("block"));
        config.retain(|(key, _)| key != "synthetic_acceptance_length");
        set_vllm_config(changes, role, config);
    }
}

fn put(config: &mut Config, name: &str, value: Value<'static>) {
    match config.iter_mut().find(|(key, _)| key == name) {
        Some((_, old)) => *old = value,
        None => config.push((name.to_owned(), value)),
    }
}

fn set_vllm_config(changes: &mut Changes, role: &str, config: Config) {
    let map = config.into_iter().map(|(key, value)| (Value::Str(Cow::Owned(key)), value)).collect();
    changes.set(&format!("roles.{role}.args.{VLLM_CONFIG}"), &spaced_json(&Value::Map(map)));
}
