//! The keys of schema 1 recipes, level by level, as data.

use super::shape::Shape::*;
use super::shape::{Alternatives, Fields, field};

/// What `backend` may be, by its `type`.
pub(super) static BACKENDS: Alternatives = Alternatives {
    default: "sglang",
    of: &[
        ("sglang", &BACKEND_SGLANG),
        ("trtllm", &BACKEND_TRTLLM),
        ("vllm", &BACKEND_VLLM),
        ("mocker", &BACKEND_MOCKER),
    ],
};

pub(super) static MODEL: Fields = Fields(&[
    field("path", Text).required(),
    field("container", Text).required(),
    field("precision", Text).required(),
    field("stage_dir", Text).nullable(),
]);

pub(super) static RESOURCES: Fields = Fields(&[
    field("gpu_type", Text).required(),
    field("gpus_per_node", Integer),
    field("prefill_nodes", Integer).nullable(),
    field("decode_nodes", Integer).nullable(),
    field("prefill_workers", Integer).nullable(),
    field("decode_workers", Integer).nullable(),
    field("agg_nodes", Integer).nullable(),
    field("agg_workers", Integer).nullable(),
    field("spread_workers", Boolean),
    field("het_jobs", Boolean).nullable(),
    field("gpus_per_prefill", Integer).nullable(),
    field("gpus_per_decode", Integer).nullable(),
    field("gpus_per_agg", Integer).nullable(),
]);

pub(super) static SLURM: Fields = Fields(&[
    field("account", Text).nullable(),
    field("partition", Text).nullable(),
    field("time_limit", Text).nullable(),
]);

pub(super) static FRONTEND: Fields = Fields(&[
    field("type", Known(&["dynamo", "sglang", "trtllm_serve", "vllm"])),
    field("enable_multiple_frontends", Boolean),
    field("num_additional_frontends", Integer),
    field("nginx_container", Text),
    field("nginx_raise_ulimit", Boolean),
    field("nginx_session_affinity", Boolean),
    field("nginx_session_affinity_header", Text),
    field("nginx_keepalive_timeout", Text),
    field("args", FreeMap).nullable(),
    field("env", TextMap).nullable(),
    field("ctx_router", FreeMap).nullable(),
    field("gen_router", FreeMap).nullable(),
    field("server_config_extra", FreeMap).nullable(),
    field("orchestrator_placement", Known(&["head", "first_decode"])),
    field("dedicated_node", Boolean),
]);

pub(super) static DYNAMO: Fields = Fields(&[
    field("install", Boolean),
    field("version", Text).nullable(),
    field("hash", Text).nullable(),
    field("top_of_tree", Boolean),
    field("wheel", Text).nullable(),
    field("request_plane", Word(&["nats", "tcp", "http"])),
    field("event_plane", Word(&["nats", "zmq"])).nullable(),
    field("cargo_patches", List(&Text)).nullable(),
]);

pub(super) static BENCHMARK: Fields = Fields(&[
    field(
        "type",
        Known(&[
            "manual",
            "custom",
            "sa-bench",
            "sglang-bench",
            "router",
            "mooncake-router",
            "trace-replay",
            "mmlu",
            "gpqa",
            "gsm8k",
            "longbenchv2",
            "lm-eval",
        ]),
    ),
    field("isl", Integer).nullable(),
    field("osl", Integer).nullable(),
    field("concurrencies", Either(&[List(&Integer), Text])).nullable(),
    field("req_rate", Either(&[Text, Integer])).nullable(),
    field("client_placement", Known(&["head", "last_decode"])),
    field("client_dedicated_node", Boolean),
    field("colocate_with_frontend", Boolean),
    field("sweep", Sweep).nullable(),
    field("num_examples", Integer).nullable(),
    field("max_tokens", Integer).nullable(),
    field("repeat", Integer).nullable(),
    field("num_threads", Integer).nullable(),
    field("max_context_length", Integer).nullable(),
    field("categories", List(&Text)).nullable(),
    field("num_shots", Integer).nullable(),
    field("temperature", Number).nullable(),
    field("top_p", Number).nullable(),
    field("top_k", Integer).nullable(),
    field("num_requests", Integer).nullable(),
    field("concurrency", Integer).nullable(),
    field("prefix_ratios", Either(&[List(&Number), Text])).nullable(),
    field("mooncake_workload", Known(&["mooncake", "conversation", "synthetic", "toolagent"])).nullable(),
    field("ttft_threshold_ms", Integer).nullable(),
    field("itl_threshold_ms", Integer).nullable(),
    field("random_range_ratio", Number).nullable(),
    field("num_prompts_mult", Integer).nullable(),
    field("num_warmup_mult", Integer).nullable(),
    field("dataset_name", Known(&["random", "custom"])).nullable(),
    field("dataset_path", Text).nullable(),
    field("trace_file", Text).nullable(),
    field("custom_tokenizer", Text).nullable(),
    field("use_chat_template", Boolean),
    field("reuse_http_connections", Boolean),
    field("command", Text).nullable(),
    field("container_image", Text).nullable(),
    field("env", TextMap),
    field("aiperf_package", Text).nullable(),
    field("aiperf_args", FreeMap),
    field("export_node_metrics", Boolean),
    field("slow_down_sleep_time", Number).nullable(),
    field("slow_down_wait_time", Number).nullable(),
]);

pub(super) static PROFILING_PREFILL: Fields =
    Fields(&[field("start_step", Integer).nullable(), field("stop_step", Integer).nullable()]);

pub(super) static PROFILING: Fields = Fields(&[
    field("type", Known(&["none", "nsys", "nsys-time", "torch"])),
    field("extra_nsys_args", List(&Text)).nullable(),
    field("prefill", Block(&PROFILING_PREFILL)).nullable(),
    field("decode", Block(&PROFILING_PREFILL)).nullable(),
    field("aggregated", Block(&PROFILING_PREFILL)).nullable(),
    field("delay_secs", Integer).nullable(),
    field("duration_secs", Integer).nullable(),
    field("benchmark_duration_secs", Integer),
]);

pub(super) static OUTPUT: Fields = Fields(&[field("log_dir", Text)]);

pub(super) static HEALTH_CHECK: Fields = Fields(&[field("max_attempts", Integer), field("interval_seconds", Integer)]);

pub(super) static INFRA: Fields =
    Fields(&[field("etcd_nats_dedicated_node", Boolean), field("nats_max_payload_mb", Integer).nullable()]);

pub(super) static OBSERVABILITY_TACHOMETER: Fields = Fields(&[
    field("enabled", Boolean),
    field("binary_path", Text),
    field("default_frequency", Number),
    field("sync_interval_secs", Integer),
    field("compaction_threads", Integer),
    field("storage_subdir", Text),
    field("extra_metadata", TextMap),
    field("dcgm_exporter", Block(&TELEMETRY_DCGM_EXPORTER)).nullable(),
    field("node_exporter", Block(&TELEMETRY_DCGM_EXPORTER)).nullable(),
]);

pub(super) static OBSERVABILITY: Fields = Fields(&[
    field("enabled", Boolean),
    field("enable_otel", Boolean),
    field("otel_endpoint", Text).nullable(),
    field("scrape_metrics", Boolean).nullable(),
    field("scrape_interval_seconds", Number),
    field("scrape_output", Text),
    field("build_dashboard", Boolean).nullable(),
    field("tachometer", Block(&OBSERVABILITY_TACHOMETER)),
]);

pub(super) static TELEMETRY_DCGM_EXPORTER: Fields = Fields(&[
    field("container_image", Text).required(),
    field("port", Integer).required(),
    field("command", Text).nullable(),
]);

pub(super) static TELEMETRY: Fields = Fields(&[
    field("enabled", Boolean),
    field("dcgm_exporter", Block(&TELEMETRY_DCGM_EXPORTER)).nullable(),
    field("default_frequency", Number),
    field("storage_subdir", Text),
    field("required", Boolean),
    field("startup_timeout_seconds", Number),
    field("request_timeout_seconds", Number),
    field("collector_join_timeout_seconds", Number).nullable(),
]);

pub(super) static IDENTITY_MODEL: Fields =
    Fields(&[field("repo", Text).nullable(), field("revision", Text).nullable()]);

pub(super) static IDENTITY_CONTAINER: Fields = Fields(&[field("image", Text).nullable()]);

pub(super) static IDENTITY: Fields = Fields(&[
    field("model", Block(&IDENTITY_MODEL)),
    field("container", Block(&IDENTITY_CONTAINER)),
    field("frameworks", TextMap),
]);

pub(super) static REPORTING_STATUS: Fields =
    Fields(&[field("endpoint", Text).nullable(), field("endpoints", List(&Text)).nullable()]);

pub(super) static REPORTING_AI_ANALYSIS: Fields = Fields(&[
    field("enabled", Boolean),
    field("openrouter_api_key", Text).nullable(),
    field("gh_token", Text).nullable(),
    field("repos_to_search", List(&Text)),
    field("pr_search_days", Integer),
    field("prompt", Text).nullable(),
]);

pub(super) static REPORTING_S3: Fields = Fields(&[
    field("bucket", Text).required(),
    field("prefix", Text).nullable(),
    field("region", Text).nullable(),
    field("endpoint_url", Text).nullable(),
    field("access_key_id", Text).nullable(),
    field("secret_access_key", Text).nullable(),
]);

pub(super) static REPORTING: Fields = Fields(&[
    field("status", Block(&REPORTING_STATUS)).nullable(),
    field("ai_analysis", Block(&REPORTING_AI_ANALYSIS)).nullable(),
    field("s3", Block(&REPORTING_S3)).nullable(),
]);

pub(super) static TOP: Fields = Fields(&[
    field("name", Text).required(),
    field("model", Block(&MODEL)).required(),
    field("resources", Block(&RESOURCES)).required(),
    field("slurm", Block(&SLURM)),
    field("backend", Typed(&BACKENDS)),
    field("frontend", Block(&FRONTEND)),
    field("dynamo", Block(&DYNAMO)),
    field("benchmark", Block(&BENCHMARK)),
    field("profiling", Block(&PROFILING)),
    field("output", Block(&OUTPUT)),
    field("health_check", Block(&HEALTH_CHECK)),
    field("infra", Block(&INFRA)),
    field("observability", Block(&OBSERVABILITY)),
    field("telemetry", Block(&TELEMETRY)),
    field("environment", TextMap),
    field("container_mounts", TextMap),
    field("extra_mount", List(&Text)).nullable(),
    field("srun_options", TextMap),
    field("sbatch_directives", TextMap),
    field("enable_config_dump", Boolean),
    field("setup_script", Text).nullable(),
    field("identity", Block(&IDENTITY)),
    field("reporting", Block(&REPORTING)).nullable(),
]);

pub(super) static BACKEND_SGLANG_SGLANG_CONFIG: Fields = Fields(&[
    field("prefill", FreeMap).nullable(),
    field("decode", FreeMap).nullable(),
    field("aggregated", FreeMap).nullable(),
]);

pub(super) static BACKEND_SGLANG_MOONCAKE_KV_STORE: Fields =
    Fields(&[field("container", Text).nullable(), field("env", TextMap), field("master_extra_args", List(&Text))]);

pub(super) static BACKEND_SGLANG: Fields = Fields(&[
    field("type", Word(&["sglang"])),
    field("gpu_type", Text).nullable(),
    field("prefill_environment", TextMap),
    field("decode_environment", TextMap),
    field("aggregated_environment", TextMap),
    field("sglang_config", Block(&BACKEND_SGLANG_SGLANG_CONFIG)).nullable(),
    field("kv_events_config", Either(&[Boolean, FreeMap])).nullable(),
    field("mooncake_kv_store", Block(&BACKEND_SGLANG_MOONCAKE_KV_STORE)).nullable(),
]);

pub(super) static BACKEND_TRTLLM: Fields = Fields(&[
    field("type", Word(&["trtllm"])),
    field("prefill_environment", TextMap),
    field("decode_environment", TextMap),
    field("aggregated_environment", TextMap),
    field("trtllm_config", Block(&BACKEND_SGLANG_SGLANG_CONFIG)).nullable(),
    field("publish_events_and_metrics", Boolean),
    field("sequential_node_start", Integer),
    field("numa_memory_bind", Boolean).nullable(),
]);

pub(super) static BACKEND_VLLM_MOONCAKE_KV_STORE: Fields = Fields(&[
    field("container", Text).nullable(),
    field("env", TextMap),
    field("master_extra_args", List(&Text)),
    field("store_config", FreeMap).nullable(),
]);

pub(super) static BACKEND_VLLM: Fields = Fields(&[
    field("type", Word(&["vllm"])),
    field("prefill_environment", TextMap),
    field("decode_environment", TextMap),
    field("aggregated_environment", TextMap),
    field("vllm_config", Block(&BACKEND_SGLANG_SGLANG_CONFIG)).nullable(),
    field("set_cuda_visible_devices", Boolean),
    field("connector", Text).nullable(),
    field("mooncake_kv_store", Block(&BACKEND_VLLM_MOONCAKE_KV_STORE)).nullable(),
    field("kv_events_config", Either(&[Boolean, FreeMap])).nullable(),
    field("allow_prefill_decode_colocation", Boolean),
    field("allow_prefill_decode_colocation_across_nodes", Boolean),
    field("dp_launch_mode", Word(&["per_gpu", "per_node"])),
]);

pub(super) static BACKEND_MOCKER: Fields = Fields(&[
    field("type", Word(&["mocker"])),
    field("engine_type", Text),
    field("speedup_ratio", Number),
    field("decode_speedup_ratio", Number),
    field("num_gpu_blocks_override", Integer),
    field("max_num_seqs", Integer),
    field("max_num_batched_tokens", Integer),
    field("block_size", Integer).nullable(),
    field("data_parallel_size", Integer),
    field("num_workers", Integer),
    field("startup_time", Number).nullable(),
    field("kv_transfer_bandwidth", Number).nullable(),
    field("kv_cache_dtype", Text).nullable(),
    field("enable_prefix_caching", Boolean),
    field("enable_chunked_prefill", Boolean),
    field("preemption_mode", Text).nullable(),
    field("prefill_environment", TextMap),
    field("decode_environment", TextMap),
    field("aggregated_environment", TextMap),
    field("mocker_config", Block(&BACKEND_SGLANG_SGLANG_CONFIG)).nullable(),
]);
