//! vLLM.

use super::check::Mismatch;
use super::engine::{Engine, Topology, method_text, number_tree, switch_is};
use crate::core::num::Num;
use crate::core::recipe::{Data, Tree};

const SPECULATION: &str = "speculative-config";

pub(super) struct Vllm;

impl Engine for Vllm {
    fn name(&self) -> &'static str {
        "vllm"
    }

    /// Ranks of data parallelism hold the attention of a DEP topology, so both sizes together are the TP of the matrix. How
    /// large EP is follows from them: only whether there is any counts.
    fn check_topology<'d>(&self, args: &Tree<'d>, point: &Topology) -> Result<(), Mismatch<'d>> {
        const PRODUCT: &str = "tensor x data parallel";
        let size = |name| args.get(name).map_or(Some(Num::Int(1)), Tree::as_num);
        let (Some(tensor), Some(data)) = (size("tensor-parallel-size"), size("data-parallel-size")) else {
            let shown = args.get("tensor-parallel-size").or(args.get("data-parallel-size"));
            let mismatch = Mismatch::new(PRODUCT, shown.cloned(), Some(number_tree(&point.tp)));
            return Err(mismatch.because("both sizes are numbers"));
        };
        let ranks = tensor.times(&data);
        if ranks != point.tp {
            return Err(Mismatch::new(PRODUCT, Some(number_tree(&ranks)), Some(number_tree(&point.tp))));
        }
        if (data > Num::Int(1)) != point.dp_attention {
            let matrix = Tree::new(Data::Bool(point.dp_attention));
            return Err(Mismatch::new("DP_ATTENTION", args.get("data-parallel-size").cloned(), Some(matrix)));
        }
        let expert_parallel = point.ep > Num::Int(1);
        switch_is(args, "enable-expert-parallel", expert_parallel, "enable-expert-parallel")
    }

    fn draft_method<'d>(&self, args: &Tree<'d>) -> Result<Option<String>, Mismatch<'d>> {
        let config = args.get(SPECULATION);
        match config.map(Tree::data) {
            Some(Data::Map(_)) => method_text(config.and_then(|config| config.get("method")), SPECULATION),
            Some(Data::Str(text)) => match serde_json::from_str(text) {
                Ok(serde_json::Value::Object(config)) => {
                    let method = config.get("method").and_then(|method| method.as_str()).unwrap_or_default();
                    Ok(Some(method.to_lowercase()).filter(|method| !method.is_empty()))
                }
                _ => Err(Mismatch::new(SPECULATION, config.cloned(), None).because("it is no JSON object")),
            },
            _ => method_text(config, SPECULATION),
        }
    }

    fn draft_argument(&self) -> &'static str {
        SPECULATION
    }

    fn context_arguments(&self) -> &'static [&'static str] {
        &["max-model-len"]
    }

    fn decode_context_parallel(&self, args: &Tree<'_>) -> String {
        super::check::ranks_or_one(args.get("decode-context-parallel-size"))
    }
}
