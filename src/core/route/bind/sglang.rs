//! SGLang.

use super::check::{Mismatch, Sides};
use super::engine::{Engine, Topology, argument_is, method_text, switch_is};
use crate::core::num::Num;
use crate::core::yaml::Value;

const ALGORITHM: &str = "speculative-algorithm";
const SHORT_ALGORITHM: &str = "speculative-algo";
const EXPERT_PARALLEL: &str = "expert-parallel-size";
const SHORT_EXPERT_PARALLEL: &str = "ep-size";

pub(super) struct Sglang;

impl Engine for Sglang {
    fn name(&self) -> &'static str {
        "sglang"
    }

    fn check_topology(&self, args: &Value<'_>, point: &Topology) -> Result<(), Mismatch> {
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

    fn draft_method(&self, args: &Value<'_>) -> Result<Option<String>, Mismatch> {
        let (long, short) = (args.get(ALGORITHM), args.get(SHORT_ALGORITHM));
        if let (Some(long), Some(short)) = (long, short)
            && long != short
        {
            return Err(Sides::of(Some(short), Some(long.clone())).differ_in(SHORT_ALGORITHM));
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
