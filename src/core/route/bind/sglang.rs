//! SGLang.

use super::check::Mismatch;
use super::engine::{Engine, Topology, argument_is, method_text, switch_is};
use crate::core::num::Num;
use crate::core::recipe::Tree;

const ALGORITHM: &str = "speculative-algorithm";
const SHORT_ALGORITHM: &str = "speculative-algo";
const EXPERT_PARALLEL: &str = "expert-parallel-size";
const SHORT_EXPERT_PARALLEL: &str = "ep-size";

pub(super) struct Sglang;

impl Engine for Sglang {
    fn name(&self) -> &'static str {
        "sglang"
    }

    fn check_topology<'d>(&self, args: &Tree<'d>, point: &Topology) -> Result<(), Mismatch<'d>> {
        argument_is(args, "tensor-parallel-size", None, &point.tp)?;
        let data_parallel = if point.dp_attention { point.tp.clone() } else { Num::Int(1) };
        argument_is(args, "data-parallel-size", Some(1), &data_parallel)?;
        match (args.get(EXPERT_PARALLEL), args.get(SHORT_EXPERT_PARALLEL)) {
            (None, Some(_)) => argument_is(args, SHORT_EXPERT_PARALLEL, None, &point.ep)
                .map_err(|mismatch| mismatch.renamed(EXPERT_PARALLEL))?,
            _ => argument_is(args, EXPERT_PARALLEL, Some(1), &point.ep)?,
        }
        switch_is(args, "enable-dp-attention", point.dp_attention, "DP_ATTENTION")
    }

    fn draft_method<'d>(&self, args: &Tree<'d>) -> Result<Option<String>, Mismatch<'d>> {
        let (long, short) = (args.get(ALGORITHM), args.get(SHORT_ALGORITHM));
        if let (Some(long), Some(short)) = (long, short)
            && !long.same(short)
        {
            let reason = format!("{ALGORITHM} and {SHORT_ALGORITHM} name different methods");
            return Err(Mismatch::new(SHORT_ALGORITHM, Some(short.clone()), None).because(reason));
        }
        method_text(long.or(short), ALGORITHM)
    }

    fn draft_argument(&self) -> &'static str {
        ALGORITHM
    }

    fn context_arguments(&self) -> &'static [&'static str] {
        &["context-length"]
    }
}
