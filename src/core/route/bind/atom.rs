//! ATOM.

use super::check::{Mismatch, Sides};
use super::engine::{Engine, Topology, method_text, switch_is};
use crate::core::num::Num;
use crate::core::yaml::Value;

pub(super) struct Atom;

impl Engine for Atom {
    fn name(&self) -> &'static str {
        "atom"
    }

    fn check_topology(&self, args: &Value<'_>, point: &Topology) -> Result<(), Mismatch> {
        let expert_parallel = point.ep > Num::Int(1);
        if point.ep != Num::Int(1) && point.ep != point.tp {
            let sides = Sides::of(Some(&point.tp.clone().into_value()), Some(point.ep.clone().into_value()));
            return Err(sides.differ_in("EP_SIZE"));
        }
        switch_is(args, "enable-expert-parallel", expert_parallel, "enable-expert-parallel")?;
        switch_is(args, "enable-dp-attention", point.dp_attention, "DP_ATTENTION")
    }

    fn draft_method(&self, args: &Value<'_>) -> Result<Option<String>, Mismatch> {
        method_text(args.get("method"), "method")
    }

    fn draft_argument(&self) -> &'static str {
        "method"
    }

    fn context_arguments(&self) -> &'static [&'static str] {
        &["max-model-len"]
    }

    fn decode_context_parallel(&self, args: &Value<'_>) -> String {
        super::check::ranks_or_one(args.get("decode-context-parallel-size"))
    }

    /// It has no argument for TP: the number of GPUs is it.
    fn gpus_besides<'t>(&self, point: &'t Topology) -> Option<(&'static str, &'t Num)> {
        Some(("ATOM TP", &point.tp))
    }
}
