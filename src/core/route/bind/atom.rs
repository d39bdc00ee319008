//! ATOM.

use super::check::Mismatch;
use super::engine::{Engine, Topology, method_text, number_tree, switch_is};
use crate::core::num::Num;
use crate::core::recipe::Tree;

pub(super) struct Atom;

impl Engine for Atom {
    fn name(&self) -> &'static str {
        "atom"
    }

    fn check_topology<'d>(&self, args: &Tree<'d>, point: &Topology) -> Result<(), Mismatch<'d>> {
        let expert_parallel = point.ep > Num::Int(1);
        if point.ep != Num::Int(1) && point.ep != point.tp {
            let mismatch = Mismatch::new("EP_SIZE", None, Some(number_tree(&point.ep)));
            return Err(mismatch.because("ATOM splits experts over one rank or over all of TP"));
        }
        switch_is(args, "enable-expert-parallel", expert_parallel, "enable-expert-parallel")?;
        switch_is(args, "enable-dp-attention", point.dp_attention, "DP_ATTENTION")
    }

    fn draft_method<'d>(&self, args: &Tree<'d>) -> Result<Option<String>, Mismatch<'d>> {
        method_text(args.get("method"), "method")
    }

    fn draft_argument(&self) -> &'static str {
        "method"
    }

    fn context_arguments(&self) -> &'static [&'static str] {
        &["max-model-len"]
    }

    fn decode_context_parallel(&self, args: &Tree<'_>) -> String {
        super::check::ranks_or_one(args.get("decode-context-parallel-size"))
    }

    /// It has no argument for TP: the number of GPUs is it.
    fn gpus_besides<'t>(&self, point: &'t Topology) -> Option<(&'static str, &'t Num)> {
        Some(("ATOM TP", &point.tp))
    }
}
