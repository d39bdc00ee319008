//! The keys of schema 2 recipes, level by level, as data.

use super::shape::Shape::*;
use super::shape::{Alternatives, Fields, field};
use super::v1;

/// The roles of a job.
pub(super) const ROLES: [&str; 3] = ["prefill", "decode", "agg"];

/// What `engine` may be, by its `type`.
pub(super) static ENGINES: Alternatives = Alternatives {
    default: "sglang",
    of: &[
        ("sglang", &ENGINE_SGLANG),
        ("trtllm", &ENGINE_TRTLLM),
        ("vllm", &ENGINE_VLLM),
        ("atom", &ENGINE_ATOM),
        ("tilert", &ENGINE_TILERT),
        ("mocker", &ENGINE_MOCKER),
    ],
};

/// Benchmark keys that every type reads.
pub(super) const BENCHMARK_SHARED: &[&str] = &[
    "type",
    "stream_output",
    "placement",
    "colocate_with_frontend",
    "sweep",
    "aiperf_package",
    "aiperf_args",
    "concurrencies",
];

/// The types of benchmark, and the keys that each reads besides the shared ones.
pub(super) const BENCHMARK_TYPES: &[(&str, &[&str])] = &[
    ("manual", &[]),
    ("lm-eval", &[]),
    ("custom", &["command", "container_image", "env"]),
    (
        "sa-bench",
        &[
            "isl",
            "osl",
            "req_rate",
            "random_range_ratio",
            "num_prompts_mult",
            "num_warmup_mult",
            "dataset_name",
            "dataset_path",
            "custom_tokenizer",
            "use_chat_template",
            "reuse_http_connections",
            "slow_down_sleep_time",
            "slow_down_wait_time",
        ],
    ),
    ("sglang-bench", &["isl", "osl", "req_rate"]),
    ("gsm8k", &["num_examples", "max_tokens", "repeat", "num_threads", "num_shots", "temperature", "top_p", "top_k"]),
    ("mmlu", &["num_examples", "max_tokens", "repeat", "num_threads"]),
    ("gpqa", &["num_examples", "max_tokens", "repeat", "num_threads"]),
    ("longbenchv2", &["num_examples", "max_tokens", "num_threads", "max_context_length", "categories"]),
    ("router", &["isl", "osl", "num_requests", "concurrency", "prefix_ratios"]),
    ("mooncake-router", &["mooncake_workload", "ttft_threshold_ms", "itl_threshold_ms"]),
    ("trace-replay", &["ttft_threshold_ms", "itl_threshold_ms", "trace_file"]),
    ("agentperf", &["isl", "concurrency", "agentperf_client_dir", "agentperf_config", "container_image", "env"]),
];

/// The options of each type of service.
pub(super) const SERVICE_OPTIONS: &[(&str, &[&str])] = &[
    ("generic", &[]),
    ("etcd", &[]),
    ("nats", &["max_payload_mb"]),
    ("mooncake-master", &["store_config", "device_names_by_gpu"]),
    ("mooncake-store", &[]),
    ("mooncake-donor", &["size", "protocol"]),
    ("lmcache-server", &[]),
    ("dcgm-exporter", &["port", "collect_interval_ms"]),
    ("node-exporter", &["port"]),
    ("process-exporter", &["port", "binary"]),
    ("ray", &["port", "dashboard_port", "num_gpus"]),
    ("gms", &[]),
];

/// Keys of an engine that belong to the roles.
pub(super) const ENGINE_REFUSED: &[&str] = &[
    "prefill_environment",
    "prefill_extra_args",
    "decode_environment",
    "decode_extra_args",
    "aggregated_environment",
    "aggregated_extra_args",
    "atom_config",
    "sglang_config",
    "tilert_config",
    "tokenspeed_config",
    "vllm_config",
    "trtllm_config",
    "mocker_config",
    "kv_events_config",
    "roles",
];

pub(super) static TOP: Fields = Fields(&[
    field("schema", SchemaTwo).required(),
    field("name", Text).required(),
    field("model", Block(&v1::MODEL)).required(),
    field("resources", Block(&RESOURCES)).required(),
    field("slurm", Block(&v1::SLURM)),
    field("engine", Engine(&ENGINES)).nullable(),
    field("roles", BlockMap(&ROLES, &ROLE)),
    field("frontend", Block(&FRONTEND)),
    field("dynamo", Block(&DYNAMO)),
    field("benchmark", Block(&BENCHMARK)),
    field("profiling", Block(&PROFILING)),
    field("output", Block(&OUTPUT)),
    field("health_check", Block(&HEALTH_CHECK)),
    field("observability", Block(&OBSERVABILITY)),
    field("telemetry", Block(&TELEMETRY)),
    field("environment", TextMap),
    field("container_mounts", TextMap),
    field("extra_mount", List(&Text)).nullable(),
    field("srun_options", TextMap),
    field("sbatch_directives", TextMap),
    field("enable_config_dump", Boolean),
    field("setup_script", Text).nullable(),
    field("host_setup", Block(&HOST_SETUP)),
    field("services", List(&Block(&SERVICES_ITEM))),
    field("post_eval", Block(&POST_EVAL)),
    field("identity", Block(&IDENTITY)),
    field("reporting", Block(&REPORTING)).nullable(),
    field("job_scoped_ports", Boolean),
]);

pub(super) static RESOURCES: Fields = Fields(&[
    field("gpu_type", Text).nullable(),
    field("gpus_per_node", Integer),
    field("spread_workers", Boolean),
    field("het_jobs", Boolean).nullable(),
]);

pub(super) static ROLE: Fields = Fields(&[
    field("nodes", RoleNodes).nullable(),
    field("workers", Integer).nullable(),
    field("gpus", Integer).nullable(),
    field("env", TextMap),
    field("args", FreeMap),
    field("extra_args", List(&Text)),
    field("engine", Engine(&ENGINES)).nullable(),
    field("kv_events", Either(&[Boolean, FreeMap])).nullable(),
    field("sidecar", StrictBoolean).nullable(),
    field("critical", StrictBoolean),
    field("container", Text).nullable().later(),
    field("srun_options", TextMap).later(),
    field("restart", FreeMap).nullable().later(),
]);

pub(super) static ENGINE_SGLANG: Fields = Fields(&[
    field("type", Word(&["sglang"])),
    field("gpu_type", Text).nullable(),
    field("mooncake_kv_store", Block(&ENGINE_SGLANG_MOONCAKE_KV_STORE)).nullable(),
]);

pub(super) static ENGINE_SGLANG_MOONCAKE_KV_STORE: Fields =
    Fields(&[field("container", Text).nullable(), field("env", TextMap), field("master_extra_args", List(&Text))]);

pub(super) static ENGINE_TRTLLM: Fields = Fields(&[
    field("type", Word(&["trtllm"])),
    field("served_model_name", Text).nullable(),
    field("publish_metrics", Boolean),
    field("publish_events_and_metrics", Boolean).nullable(),
    field("sequential_node_start", Integer),
    field("numa_memory_bind", Either(&[Boolean, Word(&["local"])])).nullable(),
    field("numa_cpu_bind", Boolean),
    field("mooncake_kv_store", Block(&ENGINE_TRTLLM_MOONCAKE_KV_STORE)).nullable(),
]);

pub(super) static ENGINE_TRTLLM_MOONCAKE_KV_STORE: Fields = Fields(&[
    field("container", Text).nullable(),
    field("env", TextMap),
    field("master_extra_args", List(&Text)),
    field("eviction_ratio", Number),
    field("master_timeout_s", Integer),
    field("store_role", Word(&["both", "producer", "consumer"])),
]);

pub(super) static ENGINE_VLLM: Fields = Fields(&[
    field("type", Word(&["vllm"])),
    field("connector", Text).nullable(),
    field("set_visible_devices", Boolean),
    field("failover", Block(&ENGINE_VLLM_FAILOVER)).nullable(),
    field("mooncake_kv_store", Block(&ENGINE_VLLM_MOONCAKE_KV_STORE)).nullable(),
    field("allow_prefill_decode_colocation", Boolean),
    field("allow_prefill_decode_colocation_across_nodes", Boolean),
    field("dp_launch_mode", Word(&["per_gpu", "per_node"])),
    field("vllm_serve_binary", Text),
]);

pub(super) static ENGINE_VLLM_FAILOVER: Fields = Fields(&[field("shadow_engines", Integer), field("shared_dir", Text)]);

pub(super) static ENGINE_VLLM_MOONCAKE_KV_STORE: Fields = Fields(&[
    field("container", Text).nullable(),
    field("env", TextMap),
    field("master_extra_args", List(&Text)),
    field("store_config", FreeMap).nullable(),
    field("device_names_by_gpu", List(&Text)),
]);

pub(super) static ENGINE_ATOM: Fields = Fields(&[
    field("type", Word(&["atom"])),
    field("connector", Word(&["mooncake"])),
    field("mooncake_protocol", Word(&["rdma", "tcp"])).nullable(),
]);

pub(super) static ENGINE_TILERT: Fields =
    Fields(&[field("type", Word(&["tilert"])), field("served_model_name", Text).nullable()]);

pub(super) static ENGINE_MOCKER: Fields = Fields(&[
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
]);

pub(super) static FRONTEND: Fields = Fields(&[
    field(
        "type",
        Word(&[
            "dynamo",
            "sglang",
            "sglang-router",
            "vllm",
            "vllm-router",
            "trtllm_serve",
            "atomesh",
            "atom",
            "tilert-router",
            "none",
        ]),
    ),
    field("enable_multiple_frontends", Boolean),
    field("num_additional_frontends", Integer),
    field("nginx_container", Text),
    field("nginx_raise_ulimit", Boolean),
    field("nginx_session_affinity", Boolean),
    field("nginx_session_affinity_header", Text),
    field("nginx_keepalive_timeout", Text),
    field("worker_selection", FreeMap).nullable(),
    field("args", FreeMap).nullable(),
    field("env", TextMap).nullable(),
    field("container_image", Text).nullable(),
    field("numa_bind", Boolean),
    field("ctx_router", FreeMap).nullable(),
    field("gen_router", FreeMap).nullable(),
    field("server_config_extra", FreeMap).nullable(),
    field("placement", Block(&FRONTEND_PLACEMENT)),
]);

pub(super) static FRONTEND_PLACEMENT: Fields = Fields(&[field("node", Known(&["head", "first_decode", "dedicated"]))]);

pub(super) static DYNAMO: Fields = Fields(&[
    field("install", Boolean),
    field("top_of_tree", Boolean),
    field("source", Block(&DYNAMO_SOURCE)).nullable(),
    field("request_plane", Word(&["nats", "tcp", "http"])),
    field("event_plane", Word(&["nats", "zmq"])).nullable(),
    field("sidecar", Boolean),
    field("sidecar_port", Integer),
    field("sidecar_binary", Text).nullable(),
    field("sidecar_startup_timeout", Integer),
    field("sidecar_context_length", Integer).nullable(),
    field("sidecar_args", List(&Text)),
]);

pub(super) static DYNAMO_SOURCE: Fields = Fields(&[
    field("git", Text).nullable(),
    field("rev", Text).nullable(),
    field("sha", Text).nullable(),
    field("patches", List(&Text)).nullable(),
    field("pypi", Text).nullable(),
    field("wheel", Text).nullable(),
]);

pub(super) static BENCHMARK: Fields = Fields(&[
    field("type", Text),
    field("stream_output", Boolean),
    field("placement", Block(&BENCHMARK_PLACEMENT)),
    field("colocate_with_frontend", Boolean),
    field("sweep", Sweep).nullable(),
    field("isl", Integer).nullable(),
    field("osl", Integer).nullable(),
    field("concurrencies", Either(&[List(&Integer), Text])).nullable(),
    field("concurrency", Integer).nullable(),
    field("req_rate", Either(&[Text, Integer])).nullable(),
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
    field("prefix_ratios", Either(&[List(&Number), Text])).nullable(),
    field("mooncake_workload", Known(&["mooncake", "conversation", "synthetic", "toolagent"])).nullable(),
    field("ttft_threshold_ms", Integer).nullable(),
    field("itl_threshold_ms", Integer).nullable(),
    field("random_range_ratio", Number).nullable(),
    field("num_prompts_mult", Integer).nullable(),
    field("num_warmup_mult", Integer).nullable(),
    field("dataset_name", Known(&["random", "custom"])).nullable(),
    field("dataset_path", Text).nullable(),
    field("agentperf_client_dir", Text).nullable(),
    field("agentperf_config", Text).nullable(),
    field("trace_file", Text).nullable(),
    field("custom_tokenizer", Text).nullable(),
    field("use_chat_template", Boolean),
    field("reuse_http_connections", Boolean),
    field("command", Text).nullable(),
    field("container_image", Text).nullable(),
    field("env", TextMap),
    field("aiperf_package", Text).nullable(),
    field("aiperf_args", FreeMap),
    field("slow_down_sleep_time", Number).nullable(),
    field("slow_down_wait_time", Number).nullable(),
    field("tokenizer_mode", Text).nullable().later(),
    field("aiperf_server_metrics", Boolean).nullable().later(),
]);

pub(super) static BENCHMARK_PLACEMENT: Fields = Fields(&[field("node", Known(&["head", "last_decode", "dedicated"]))]);

pub(super) static PROFILING: Fields = Fields(&[
    field("type", Known(&["none", "nsys", "nsys-time", "torch"])),
    field("extra_nsys_args", List(&Text)).nullable(),
    field("nsys_trace", Text),
    field("trace_fork_before_exec", Boolean).nullable(),
    field("capture_range_end", Text),
    field("nsys_library_paths", List(&Text)).nullable(),
    field("prefill", Block(&PROFILING_PREFILL)).nullable(),
    field("decode", Block(&PROFILING_PREFILL)).nullable(),
    field("aggregated", Block(&PROFILING_PREFILL)).nullable(),
    field("delay_secs", Integer).nullable(),
    field("duration_secs", Integer).nullable(),
    field("benchmark_duration_secs", Integer),
]);

pub(super) static PROFILING_PREFILL: Fields = Fields(&[
    field("start_step", Integer).nullable(),
    field("stop_step", Integer).nullable(),
    field("capture_scope", Word(&["selected", "all"])),
    field("worker_index", Integer),
    field("worker_rank", Integer),
]);

pub(super) static OUTPUT: Fields = Fields(&[field("log_dir", Text), field("record_launch_plan", Boolean).later()]);

pub(super) static HEALTH_CHECK: Fields = Fields(&[
    field("max_attempts", Integer),
    field("interval_seconds", Integer),
    field("fatal_log_markers", Boolean),
    field("extra_fatal_log_patterns", List(&Text)),
]);

pub(super) static OBSERVABILITY: Fields = Fields(&[
    field("enabled", Boolean),
    field("enable_otel", Boolean),
    field("otel_endpoint", Text).nullable(),
    field("tachometer", Block(&OBSERVABILITY_TACHOMETER)),
    field("nsys", Block(&OBSERVABILITY_NSYS)),
]);

pub(super) static OBSERVABILITY_NSYS: Fields = Fields(&[
    field("enabled", Boolean),
    field("capture_window", Word(&["measured_workload", "including_startup"])),
    field("report_timeout_secs", Integer),
    field("nvtx_injection_path", Text).nullable(),
    field("cpu_sampling", Word(&["system-wide", "process-tree", "none"])),
]);

pub(super) static OBSERVABILITY_TACHOMETER: Fields = Fields(&[
    field("enabled", Boolean).nullable(),
    field("binary_path", Text),
    field("collect_interval_ms", Integer),
    field("sync_interval_secs", Integer),
    field("shutdown_grace_secs", Number),
    field("compaction_threads", Integer),
    field("storage_subdir", Text),
    field("extra_metadata", TextMap),
    field("default_exporters", Boolean),
    field("default_gpu_exporter", Block(&TELEMETRY_DCGM_EXPORTER)).nullable(),
    field("dcgm_exporter", Block(&TELEMETRY_DCGM_EXPORTER)).nullable(),
    field("node_exporter", Block(&TELEMETRY_DCGM_EXPORTER)).nullable(),
    field("process_exporter", Block(&TELEMETRY_DCGM_EXPORTER)).nullable(),
]);

pub(super) static TELEMETRY: Fields = Fields(&[
    field("enabled", Boolean),
    field("dcgm_exporter", Block(&TELEMETRY_DCGM_EXPORTER)).nullable(),
    field("collect_interval_ms", Integer),
    field("storage_subdir", Text),
    field("required", Boolean),
    field("startup_timeout_seconds", Number),
    field("request_timeout_seconds", Number),
    field("collector_join_timeout_seconds", Number).nullable(),
    field("cpu_power_exporter", Block(&TELEMETRY_CPU_POWER_EXPORTER)).nullable(),
    field("cpu_power", Block(&TELEMETRY_CPU_POWER)),
    field("clock_sync_check", Boolean).later(),
]);

pub(super) static TELEMETRY_DCGM_EXPORTER: Fields = Fields(&[
    field("container_image", Text).required(),
    field("port", Integer).required(),
    field("command", Text).nullable(),
    field("binary", Text).nullable(),
]);

pub(super) static TELEMETRY_CPU_POWER_EXPORTER: Fields =
    Fields(&[field("port", Integer), field("source", Known(&["auto", "acpi", "dcgm"]))]);

pub(super) static TELEMETRY_CPU_POWER: Fields = Fields(&[
    field("enabled", Boolean),
    field("source", Word(&["auto", "acpi", "dcgm"])),
    field("sample_interval_seconds", Number),
    field("startup_timeout_seconds", Number),
    field("required", Boolean),
    field("storage_subdir", Text),
]);

pub(super) static HOST_SETUP: Fields = Fields(&[
    field("commands", List(&Text)),
    field("teardown", List(&Text)),
    field("nodes", Word(&["all", "workers"])),
    field("ignore_failure", Boolean),
    field("timeout_seconds", Integer),
]);

pub(super) static POST_EVAL: Fields =
    Fields(&[field("passthrough_env", List(&Text)), field("command", List(&Text)).nullable()]);

pub(super) static IDENTITY: Fields = Fields(&[
    field("model", Block(&v1::IDENTITY_MODEL)),
    field("container", Block(&v1::IDENTITY_CONTAINER)),
    field("frameworks", TextMap),
]);

pub(super) static REPORTING: Fields = Fields(&[
    field("status", Block(&REPORTING_STATUS)).nullable(),
    field("ai_analysis", Block(&v1::REPORTING_AI_ANALYSIS)).nullable(),
    field("s3", Block(&REPORTING_S3)).nullable(),
]);

pub(super) static REPORTING_STATUS: Fields = Fields(&[
    field("endpoint", Text).nullable(),
    field("endpoints", List(&Text)).nullable(),
    field("token_env", Text).nullable(),
    field("logging-stream-interval", Number).nullable(),
]);

pub(super) static REPORTING_S3: Fields = Fields(&[
    field("bucket", Text).required(),
    field("prefix", Text).nullable(),
    field("region", Text).nullable(),
    field("endpoint_url", Text).nullable(),
    field("access_key_id", Text).nullable(),
    field("secret_access_key", Text).nullable(),
    field("exclude", List(&Text)).nullable(),
    field("archive", List(&Text)).nullable(),
]);

pub(super) static SERVICES_ITEM: Fields = Fields(&[
    field("name", Text).required(),
    field(
        "type",
        Word(&[
            "generic",
            "etcd",
            "nats",
            "mooncake-master",
            "mooncake-store",
            "mooncake-donor",
            "lmcache-server",
            "dcgm-exporter",
            "node-exporter",
            "process-exporter",
            "ray",
            "gms",
        ]),
    ),
    field("command", List(&Text)).nullable(),
    field("args", List(&Text)),
    field("container", Text).nullable(),
    field("env", TextMap),
    field("source", Block(&SERVICES_ITEM_SOURCE)).nullable(),
    field("build_command", List(&Text)).nullable(),
    field("placement", Block(&SERVICES_ITEM_PLACEMENT)).nullable(),
    field("nodes", Integer).nullable(),
    field("start", Word(&["infra", "before_workers", "with_workers", "after_frontend"])).nullable(),
    field("readiness", Block(&SERVICES_ITEM_READINESS)).nullable(),
    field("inherit_discovery_env", Boolean),
    field("critical", Boolean).nullable(),
    field("terminal", Boolean),
    field("preamble", Text).nullable(),
    field("cpus_per_task", Integer).nullable(),
    field("cpu_bind", Text).nullable(),
    field("srun_options", TextMap),
    field("build_timeout_seconds", Integer),
    field("enabled", Boolean),
    field("external", Text).nullable(),
    field("options", FreeMap),
    field("metrics", Either(&[List(&Block(&SERVICES_ITEM_METRICS_ITEM)), Block(&SERVICES_ITEM_METRICS_ITEM)])),
]);

pub(super) static SERVICES_ITEM_SOURCE: Fields = Fields(&[
    field("git", Text).required(),
    field("rev", Text).required(),
    field("path", Text).nullable(),
    field("sha", Text).nullable(),
]);

pub(super) static SERVICES_ITEM_PLACEMENT: Fields = Fields(&[
    field("node", Word(&["head", "infra", "dedicated", "prefill", "decode", "agg", "workers", "compute", "all"])),
    field("pool", Text).nullable(),
    field("per", Word(&["node", "worker"])),
]);

pub(super) static SERVICES_ITEM_READINESS: Fields = Fields(&[
    field("port", Integer).nullable(),
    field("tcp", Block(&SERVICES_ITEM_READINESS_TCP)).nullable(),
    field("http", Block(&SERVICES_ITEM_READINESS_HTTP)).nullable(),
    field("log", Block(&SERVICES_ITEM_READINESS_LOG)).nullable(),
    field("file", Block(&SERVICES_ITEM_READINESS_FILE)).nullable(),
    field("timeout_seconds", Integer),
    field("interval_seconds", Integer),
]);

pub(super) static SERVICES_ITEM_READINESS_TCP: Fields = Fields(&[field("port", Integer).required()]);

pub(super) static SERVICES_ITEM_READINESS_HTTP: Fields =
    Fields(&[field("port", Integer).required(), field("path", Text), field("status", Integer)]);

pub(super) static SERVICES_ITEM_READINESS_LOG: Fields = Fields(&[field("pattern", Text).required()]);

pub(super) static SERVICES_ITEM_READINESS_FILE: Fields = Fields(&[field("path", Text).required()]);

pub(super) static SERVICES_ITEM_METRICS_ITEM: Fields = Fields(&[
    field("port", Integer).required(),
    field("path", Text),
    field("nodes", Word(&["all", "first"])),
    field("name", Text).nullable(),
]);
