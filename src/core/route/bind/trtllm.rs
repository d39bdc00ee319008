//! TensorRT-LLM.

use super::check::Mismatch;
use super::engine::{Engine, Topology, argument_is, method_text, switch_is};
use crate::core::num::Num;
use crate::core::recipe::Tree;

const SPECULATION: &str = "speculative_config";

pub(super) struct TrtLlm;

impl Engine for TrtLlm {
    fn name(&self) -> &'static str {
        "trtllm"
    }

    fn check_topology<'d>(&self, args: &Tree<'d>, point: &Topology) -> Result<(), Mismatch<'d>> {
        argument_is(args, "tensor_parallel_size", None, &point.tp)?;
        argument_is(args, "moe_expert_parallel_size", None, &point.ep)?;
        argument_is(args, "pipeline_parallel_size", Some(1), &Num::Int(1))?;
        switch_is(args, "enable_attention_dp", point.dp_attention, "DP_ATTENTION")
    }

    fn draft_method<'d>(&self, args: &Tree<'d>) -> Result<Option<String>, Mismatch<'d>> {
        method_text(args.get(SPECULATION).and_then(|speculation| speculation.get("decoding_type")), SPECULATION)
    }

    fn draft_argument(&self) -> &'static str {
        SPECULATION
    }

    fn context_arguments(&self) -> &'static [&'static str] {
        &["max_seq_len", "max_num_tokens"]
    }
}
