//! What an engine's arguments say: the one trait, and who implements it.

use super::check::{Mismatch, Sides};
use super::{atom, sglang, trtllm, vllm};
use crate::core::num::Num;
use crate::core::yaml::Value;

/// The topology of a point.
#[derive(Debug, Clone)]
pub(super) struct Topology {
    /// `TP`
    pub(super) tp: Num,
    /// `EP_SIZE`
    pub(super) ep: Num,
    /// Whether `DP_ATTENTION` is `true`.
    pub(super) dp_attention: bool,
}

/// How one engine spells what the matrix knows.
pub(super) trait Engine: Sync {
    /// Its name in recipes.
    fn name(&self) -> &'static str;

    /// Compares the topology with the arguments, in the engine's order.
    fn check_topology(&self, args: &Value<'_>, point: &Topology) -> Result<(), Mismatch>;

    /// The method that drafts tokens, in lower case; none where nothing drafts.
    fn draft_method(&self, args: &Value<'_>) -> Result<Option<String>, Mismatch>;

    /// The argument that a method stands in.
    fn draft_argument(&self) -> &'static str;

    /// The arguments that bound the context in an evaluation.
    fn context_arguments(&self) -> &'static [&'static str];

    /// How many ranks share the decode context, as text.
    fn decode_context_parallel(&self, _args: &Value<'_>) -> String {
        "1".to_owned()
    }

    /// What the number of GPUs must be besides, and under which name a difference is reported.
    fn gpus_besides<'t>(&self, _point: &'t Topology) -> Option<(&'static str, &'t Num)> {
        None
    }
}

/// The engine behind a `FRAMEWORK` of a single node.
pub(super) fn engine_of(framework: &str) -> Option<&'static dyn Engine> {
    Some(match framework {
        "sglang" => &sglang::Sglang,
        "trt" => &trtllm::TrtLlm,
        "vllm" => &vllm::Vllm,
        "atom" => &atom::Atom,
        _ => return None,
    })
}

/// Compares an argument, or its default, with a number.
pub(super) fn argument_is(args: &Value<'_>, name: &str, default: Option<i64>, expected: &Num) -> Result<(), Mismatch> {
    let value = match (args.get(name), default) {
        (Some(value), _) => value.clone(),
        (None, Some(default)) => Value::Int(default),
        (None, None) => return Err(Sides::of(None, Some(expected.clone().into_value())).differ_in(name)),
    };
    if Num::of(&value).is_some_and(|value| value == *expected) {
        return Ok(());
    }
    Err(Sides::of(Some(&value), Some(expected.clone().into_value())).differ_in(name))
}

/// Compares a switch, off where it is absent, as Python does: 1 and 1.0 are true.
pub(super) fn switch_is(args: &Value<'_>, name: &str, expected: bool, field: &str) -> Result<(), Mismatch> {
    let value = args.get(name).cloned().unwrap_or(Value::Bool(false));
    if Num::of(&value).is_some_and(|value| value == Num::Int(i64::from(expected))) {
        return Ok(());
    }
    Err(Sides::of(Some(&value), Some(Value::Bool(expected))).differ_in(field))
}

/// The text of a method in lower case. Something that is no text is named at fault.
pub(super) fn method_text(value: Option<&Value<'_>>, argument: &str) -> Result<Option<String>, Mismatch> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Str(text)) if text.is_empty() => Ok(None),
        Some(Value::Str(text)) => Ok(Some(text.to_lowercase())),
        Some(other) => Err(Sides::of(Some(other), None).differ_in(argument)),
    }
}
