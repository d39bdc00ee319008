//! What an engine's arguments say: the one trait, and who implements it.

use super::check::Mismatch;
use super::{atom, sglang, trtllm, vllm};
use crate::core::num::Num;
use crate::core::recipe::{Data, Tree};

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
    fn check_topology<'d>(&self, args: &Tree<'d>, point: &Topology) -> Result<(), Mismatch<'d>>;

    /// The method that drafts tokens, in lower case; none where nothing drafts.
    fn draft_method<'d>(&self, args: &Tree<'d>) -> Result<Option<String>, Mismatch<'d>>;

    /// The argument that a method stands in.
    fn draft_argument(&self) -> &'static str;

    /// The arguments that bound the context in an evaluation.
    fn context_arguments(&self) -> &'static [&'static str];

    /// How many ranks share the decode context, as text.
    fn decode_context_parallel(&self, _args: &Tree<'_>) -> String {
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
pub(super) fn argument_is<'d>(
    args: &Tree<'d>,
    name: &'static str,
    default: Option<i64>,
    expected: &Num,
) -> Result<(), Mismatch<'d>> {
    let value = args.get(name);
    let number = match (value, default) {
        (Some(value), _) => value.as_num(),
        (None, default) => default.map(Num::Int),
    };
    if number.is_some_and(|number| number == *expected) {
        return Ok(());
    }
    let assumed = || default.map(|default| Tree::new(Data::Int(default)));
    Err(Mismatch::new(name, value.cloned().or_else(assumed), Some(number_tree(expected))))
}

/// Compares a switch, off where it is absent, as Python does: 1 and 1.0 are true.
pub(super) fn switch_is<'d>(
    args: &Tree<'d>,
    name: &str,
    expected: bool,
    field: &'static str,
) -> Result<(), Mismatch<'d>> {
    let value = args.get(name);
    let number = value.map_or(Some(Num::Int(0)), Tree::as_num);
    if number.is_some_and(|number| number == Num::Int(i64::from(expected))) {
        return Ok(());
    }
    let recipe = value.cloned().unwrap_or_else(|| Tree::new(Data::Bool(false)));
    Err(Mismatch::new(field, Some(recipe), Some(Tree::new(Data::Bool(expected)))))
}

/// The text of a method in lower case. Something that is no text is named at fault.
pub(super) fn method_text<'d>(
    value: Option<&Tree<'d>>,
    argument: &'static str,
) -> Result<Option<String>, Mismatch<'d>> {
    match value.map(Tree::data) {
        None | Some(Data::Null) => Ok(None),
        Some(Data::Str(text)) if text.is_empty() => Ok(None),
        Some(Data::Str(text)) => Ok(Some(text.to_lowercase())),
        Some(_) => Err(Mismatch::new(argument, value.cloned(), None).because("a draft method is a text")),
    }
}

/// A number as a value of its own.
pub(super) fn number_tree<'d>(number: &Num) -> Tree<'d> {
    Tree::new(match number {
        Num::Int(value) => Data::Int(*value),
        Num::Big(value) => Data::Big(std::rc::Rc::new(value.clone())),
        Num::Float(value) => Data::Float(*value),
    })
}
