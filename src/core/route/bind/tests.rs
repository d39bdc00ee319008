use super::*;
use crate::core::diag::{Diagnostics, Source};
use crate::core::recipe::RecipeFile;
use crate::core::yaml::{Schema, parse};

fn env(pairs: &[(&str, &str)]) -> Environment {
    let base = [
        ("FRAMEWORK", "sglang"),
        ("MODEL", "org/M"),
        ("IMAGE", "i:1"),
        ("PRECISION", "fp8"),
        ("TP", "8"),
        ("GPU_COUNT", "8"),
        ("PP_SIZE", "1"),
        ("DCP_SIZE", "1"),
        ("PCP_SIZE", "1"),
        ("EP_SIZE", "1"),
        ("DP_ATTENTION", "false"),
        ("SPEC_DECODING", "none"),
        ("IS_AGENTIC", "0"),
        ("RUN_EVAL", "false"),
        ("EVAL_ONLY", "false"),
        ("ISL", "8192"),
        ("OSL", "1024"),
        ("RANDOM_RANGE_RATIO", "0.8"),
        ("CONC", "16"),
        ("RESULT_FILENAME", "r"),
        ("GPU_MONITOR_INTERVAL", "1"),
        ("MODEL_PREFIX", "m"),
        ("KV_OFFLOADING", "none"),
        ("TOTAL_CPU_DRAM_GB", "0"),
        ("MAX_MODEL_LEN", "9472"),
        ("DURATION", "3600"),
    ];
    base.iter().chain(pairs).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// A variant of an engine with some arguments, as YAML in flow style.
fn variant(engine: &str, args: &str) -> String {
    format!(
        "{{name: r, engine: {engine}, model: {{path: 'hf:org/M', container: 'i:1', precision: fp8}}, \
         roles: {{agg: {{nodes: 1, workers: 1, gpus: 8, args: {{{args}}}}}}}, \
         benchmark: {{type: custom, command: run.sh, env: {{MODEL: org/M, USE_CHAT_TEMPLATE: 'false', ISL: 8192, \
         OSL: '1024', RANDOM_RANGE_RATIO: 0.8, CONC: '16'}}}}}}"
    )
}

/// Binds to variants, each a section of one file, and tells the fields of the mismatches where none fits.
fn bound(variants: &[String], env: &Environment) -> Result<Bound, Problem> {
    let sections: Vec<String> =
        variants.iter().enumerate().map(|(index, text)| format!("override_{index}: {text}\n")).collect();
    let source = Source::new("r.yaml", format!("base: {{}}\n{}", sections.concat()));
    let mut found = Diagnostics::new();
    let document = parse(&source, Schema::V11, &mut found).unwrap();
    let file = RecipeFile::read(&document, &mut found).unwrap();
    bind(&file.variants(), env).map_err(|refusal| match refusal {
        Refusal::NoMatch(mismatches) => {
            Problem::Fields(mismatches.into_iter().map(|mismatch| mismatch.field.into_owned()).collect())
        }
        Refusal::Several(fitting) => Problem::Several(fitting),
        Refusal::Environment(found) => {
            let mut paths: Vec<String> = found.into_iter().filter_map(|diagnostic| diagnostic.path).collect();
            paths.sort();
            Problem::Environment(paths)
        }
    })
}

#[derive(Debug, PartialEq)]
enum Problem {
    Fields(Vec<String>),
    Several(Vec<usize>),
    Environment(Vec<String>),
}

/// The field in which the only candidate differs.
fn field(variant: String, env: &Environment) -> String {
    match bound(&[variant], env) {
        Err(Problem::Fields(fields)) => fields.concat(),
        other => format!("{other:?}"),
    }
}

const SGLANG: &str = "tensor-parallel-size: 8";

#[test]
fn each_variable_that_differs_is_named() {
    let cases = [
        ("FRAMEWORK", "dynamo-sglang", "FRAMEWORK"),
        ("FRAMEWORK", "vllm", "engine"),
        ("MODEL", "org/N", "model"),
        ("IMAGE", "i:2", "image"),
        ("PRECISION", "fp4", "precision"),
        ("TP", "4", "tensor-parallel-size"),
        ("TP", "eight", "TP"),
        ("EP_SIZE", "8", "expert-parallel-size"),
        ("DP_ATTENTION", "true", "data-parallel-size"),
        ("GPU_COUNT", "4", "gpus"),
        ("SPEC_DECODING", "mtp", "SPEC_DECODING"),
        ("IS_AGENTIC", "1", "AgentX client"),
        ("ISL", "1024", "ISL"),
        ("RANDOM_RANGE_RATIO", "0.80", "RANDOM_RANGE_RATIO"),
        ("CONC", "17", "CONC"),
        ("PP_SIZE", "2", "PP_SIZE"),
        ("DCP_SIZE", "2", "DCP_SIZE"),
        ("PCP_SIZE", "2", "PCP_SIZE"),
    ];
    for (name, value, expected) in cases {
        assert_eq!(field(variant("sglang", SGLANG), &env(&[(name, value)])), expected, "{name}={value}");
    }
    assert!(bound(&[variant("sglang", SGLANG)], &env(&[])).is_ok());
}

#[test]
fn numbers_are_equal_as_in_python() {
    for tp in ["8", "8.0"] {
        assert!(bound(&[variant("sglang", &format!("tensor-parallel-size: {tp}"))], &env(&[])).is_ok(), "{tp}");
    }
    assert_eq!(field(variant("sglang", "tensor-parallel-size: '8'"), &env(&[])), "tensor-parallel-size");
}

#[test]
fn topologies_of_each_engine() {
    let dep = [("EP_SIZE", "8"), ("DP_ATTENTION", "true")];
    type Case<'c> = (&'c str, &'c str, &'c str, &'c [(&'c str, &'c str)], &'c str);
    let cases: [Case<'_>; 11] = [
        (
            "sglang",
            "sglang",
            "tensor-parallel-size: 8, data-parallel-size: 8, ep-size: 8, enable-dp-attention: true",
            &dep,
            "",
        ),
        (
            "sglang",
            "sglang",
            "tensor-parallel-size: 8, data-parallel-size: 8, ep-size: 4",
            &dep,
            "expert-parallel-size",
        ),
        ("sglang", "sglang", "tensor-parallel-size: 8, data-parallel-size: 8, ep-size: 8", &dep, "DP_ATTENTION"),
        ("trt", "trtllm", "tensor_parallel_size: 8, moe_expert_parallel_size: 8, enable_attention_dp: true", &dep, ""),
        ("trt", "trtllm", "tensor_parallel_size: 8", &[], "moe_expert_parallel_size"),
        ("vllm", "vllm", "data-parallel-size: 8, enable-expert-parallel: true", &dep, ""),
        ("vllm", "vllm", "tensor-parallel-size: 2, data-parallel-size: 2", &[], "tensor x data parallel"),
        ("vllm", "vllm", "tensor-parallel-size: 8, enable-expert-parallel: true", &[], "enable-expert-parallel"),
        ("atom", "atom", "enable-expert-parallel: true", &[("EP_SIZE", "4")], "EP_SIZE"),
        ("atom", "atom", "", &[("TP", "4")], "ATOM TP"),
        ("atom", "atom", "decode-context-parallel-size: 4", &[("DCP_SIZE", "4")], ""),
    ];
    for (framework, engine, args, point, expected) in cases {
        let point: Vec<_> = point.iter().copied().chain([("FRAMEWORK", framework)]).collect();
        let result = bound(&[variant(engine, args)], &env(&point));
        match result {
            Ok(_) => assert_eq!(expected, "", "{engine} {args}"),
            Err(problem) => assert_eq!(problem, Problem::Fields(vec![expected.into()]), "{engine} {args}"),
        }
    }
}

#[test]
fn any_draft_is_mtp_and_an_unknown_one_is_refused() {
    let with = |method: &str| {
        variant("sglang", &format!("{SGLANG}, speculative-algorithm: {method}"))
            .replace("USE_CHAT_TEMPLATE: 'false'", "USE_CHAT_TEMPLATE: 'true'")
    };
    for label in ["mtp", "draft_model"] {
        for method in ["EAGLE", "nextn", "EAGLE3", "DSpark"] {
            assert!(bound(&[with(method)], &env(&[("SPEC_DECODING", label)])).is_ok(), "{method} {label}");
        }
    }
    assert_eq!(field(with("medusa"), &env(&[("SPEC_DECODING", "mtp")])), "speculative-algorithm");
    assert_eq!(field(with("DSPARK"), &env(&[("SPEC_DECODING", "dspark")])), "SPEC_DECODING");
    let twice = variant("sglang", "tensor-parallel-size: 8, speculative-algorithm: EAGLE, speculative-algo: NEXTN");
    assert_eq!(field(twice, &env(&[("SPEC_DECODING", "mtp")])), "speculative-algo");
}

#[test]
fn a_malformed_variant_does_not_hide_a_good_one() {
    let broken = "{name: x, engine: sglang}".to_owned();
    let good = variant("sglang", SGLANG);
    assert_eq!(bound(&[broken.clone(), good.clone()], &env(&[])).unwrap().index, 1);
    assert_eq!(field(broken, &env(&[])), "roles.agg");
    assert_eq!(bound(&[good.clone(), good], &env(&[])), Err(Problem::Several(vec![0, 1])));
    assert_eq!(bound(&[], &env(&[])), Err(Problem::Fields(vec![])));
}

#[test]
fn arguments_are_quoted_and_in_order() {
    let point = env(&[
        ("RESULT_FILENAME", "a\"é"),
        ("SRT_SRUN_OPTIONS", r#"{"container-remap-root":"","container-writable":""}"#),
    ]);
    let bound = bound(&[variant("sglang", SGLANG)], &point).unwrap();
    let set: Vec<&str> = bound.arguments.iter().filter(|word| *word != "--set").map(String::as_str).collect();
    assert_eq!(
        set,
        [
            "srun_options.gpus-per-node=\"8\"",
            "srun_options.container-workdir=\"/infmax-workspace\"",
            "srun_options.container-remap-root=\"\"",
            "srun_options.container-writable=\"\"",
            "benchmark.env.RESULT_FILENAME=\"a\\\"\\u00e9\"",
            "benchmark.env.GPU_MONITOR_INTERVAL=\"1\"",
            "benchmark.env.RUN_EVAL=\"false\"",
            "benchmark.env.EVAL_ONLY=\"false\"",
            "benchmark.env.FRAMEWORK=\"sglang\"",
            "benchmark.env.RESULT_DIR=\"/logs\"",
        ]
    );
}

#[test]
fn everything_missing_from_the_environment_is_reported_at_once() {
    let mut point = env(&[("RUN_EVAL", "yes"), ("SRT_SRUN_OPTIONS", "[]"), ("GPU_MONITOR_INTERVAL", "")]);
    point.remove("RESULT_FILENAME");
    let paths = ["env.GPU_MONITOR_INTERVAL", "env.RESULT_FILENAME", "env.RUN_EVAL", "env.SRT_SRUN_OPTIONS"];
    let expected = Problem::Environment(paths.map(str::to_owned).to_vec());
    assert_eq!(bound(&[variant("sglang", SGLANG)], &point), Err(expected));
}

#[test]
fn an_evaluation_alone_gets_its_context() {
    let point = env(&[("EVAL_ONLY", "true"), ("RUN_EVAL", "true"), ("FRAMEWORK", "trt")]);
    let variant = variant("trtllm", "tensor_parallel_size: 8, moe_expert_parallel_size: 1");
    let arguments = bound(std::slice::from_ref(&variant), &point).unwrap().arguments.join(" ");
    assert!(arguments.contains("--set roles.agg.args.max_seq_len=9472 --set roles.agg.args.max_num_tokens=9472 --set"));
    for wrong in ["0", "", "-1", "x"] {
        let mut point = point.clone();
        point.insert("MAX_MODEL_LEN".into(), wrong.into());
        let expected = Problem::Environment(vec!["env.MAX_MODEL_LEN".to_owned()]);
        assert_eq!(bound(std::slice::from_ref(&variant), &point), Err(expected), "{wrong}");
    }
}
