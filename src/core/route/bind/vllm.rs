//! vLLM.

use super::check::{Mismatch, Sides};
use super::engine::{Engine, Topology, method_text, switch_is};
use crate::core::num::Num;
use crate::core::yaml::Value;

const SPECULATION: &str = "speculative-config";

pub(super) struct Vllm;

impl Engine for Vllm {
    fn name(&self) -> &'static str {
        "vllm"
    }

    /// Ranks of data parallelism hold the attention of a DEP topology, so both sizes together are the TP of the matrix. How
    /// large EP is follows from them: only whether there is any counts.
    fn check_topology(&self, args: &Value<'_>, point: &Topology) -> Result<(), Mismatch> {
        let one = Value::Int(1);
        let tensor = args.get("tensor-parallel-size").unwrap_or(&one);
        let data = args.get("data-parallel-size").unwrap_or(&one);
        let sides = || Sides::of(Some(tensor), Some(point.tp.clone().into_value()));
        let (Some(tensor), Some(data)) = (Num::of(tensor), Num::of(data)) else {
            return Err(sides().differ_in("tensor x data parallel"));
        };
        let ranks = tensor.times(&data);
        if ranks != point.tp {
            let sides = Sides::of(Some(&ranks.into_value()), Some(point.tp.clone().into_value()));
            return Err(sides.differ_in("tensor x data parallel"));
        }
        let splits = data > Num::Int(1);
        if splits != point.dp_attention {
            let sides = Sides::of(Some(&data.into_value()), Some(Value::Bool(point.dp_attention)));
            return Err(sides.differ_in("DP_ATTENTION"));
        }
        let expert_parallel = point.ep > Num::Int(1);
        switch_is(args, "enable-expert-parallel", expert_parallel, "enable-expert-parallel")
    }

    fn draft_method(&self, args: &Value<'_>) -> Result<Option<String>, Mismatch> {
        match args.get(SPECULATION) {
            Some(Value::Str(text)) => {
                let parsed: Option<serde_json::Value> = serde_json::from_str(text).ok();
                let Some(serde_json::Value::Object(config)) = parsed else {
                    return Err(Sides::of(args.get(SPECULATION), None).differ_in(SPECULATION));
                };
                let method = config.get("method").and_then(|method| method.as_str()).map(str::to_owned);
                method_text(method.map(Value::text).as_ref(), SPECULATION)
            }
            Some(config @ Value::Map(_)) => method_text(config.get("method"), SPECULATION),
            other => method_text(other, SPECULATION),
        }
    }

    fn draft_argument(&self) -> &'static str {
        SPECULATION
    }

    fn context_arguments(&self) -> &'static [&'static str] {
        &["max-model-len"]
    }

    fn decode_context_parallel(&self, args: &Value<'_>) -> String {
        super::check::ranks_or_one(args.get("decode-context-parallel-size"))
    }
}
