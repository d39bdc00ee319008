//! Each rule of the schemas: what breaks it, at which path, and what does not.

use super::*;
use crate::core::diag::{Code, Diagnostics, Severity, Source};
use crate::core::recipe::{Overrides, RecipeFile};
use crate::core::yaml::{Schema, parse};

const ONE: &str = "
name: t
model: {path: m, container: c, precision: fp8}
resources: {gpu_type: h200, gpus_per_node: 8, prefill_nodes: 1, decode_nodes: 1, prefill_workers: 1, decode_workers: 1}
backend: {type: sglang, sglang_config: {prefill: {tensor-parallel-size: 8}, decode: {}}}
frontend: {type: dynamo}
benchmark: {type: sa-bench, isl: 8192, osl: 1024, concurrencies: [4, 8], req_rate: inf}
telemetry: {dcgm_exporter: {container_image: d, port: 9401}}
";

const TWO: &str = "
schema: 2
name: t
model: {path: m, container: c, precision: fp8}
resources: {gpus_per_node: 8}
engine: sglang
roles: {prefill: {nodes: 1, workers: 1, gpus: 8, args: {}}, decode: {nodes: 1, workers: 1, gpus: 8, args: {}}}
frontend: {type: dynamo}
benchmark: {type: sa-bench, isl: 8192, osl: 1024, concurrencies: [4, 8]}
telemetry: {dcgm_exporter: {container_image: d, port: 9401}}
";

/// The findings of a recipe after changes, one by one: what `--set` takes, or with `-` in front what `--unset` takes.
fn found(yaml: &str, schema: SchemaChoice, changes: &[&str]) -> Vec<(Code, Severity, String)> {
    let document = parse(&Source::new("r.yaml", yaml), Schema::V11, &mut Diagnostics::new()).unwrap();
    let mut file = RecipeFile::read(&document, &mut Diagnostics::new()).unwrap();
    for change in changes {
        let (set, unset) = match change.strip_prefix('-') {
            Some(unset) => (None, Some(unset)),
            None => (Some(*change), None),
        };
        let overrides = Overrides::parse(set, unset).map_err(|found| format!("{found:?}")).unwrap();
        file = file.overridden(&overrides).unwrap();
    }
    let findings = check_recipe(file.root(), schema, true);
    findings.into_iter().map(|finding| (finding.code, finding.severity, finding.path)).collect()
}

fn paths(yaml: &str, schema: SchemaChoice, changes: &[&str]) -> Vec<String> {
    let errors = found(yaml, schema, changes).into_iter().filter(|(_, severity, _)| *severity == Severity::Error);
    errors.map(|(.., path)| path).collect()
}

fn assert_all(yaml: &str, schema: SchemaChoice, cases: &[(&[&str], &[&str])]) {
    for (changes, expected) in cases {
        assert_eq!(paths(yaml, schema, changes), *expected, "{changes:?}");
    }
}

const AGGREGATED: [&str; 6] = [
    "-resources.prefill_nodes",
    "-resources.decode_nodes",
    "-resources.prefill_workers",
    "-resources.decode_workers",
    "resources.agg_nodes=1",
    "resources.agg_workers=1",
];

fn aggregated<'c>(changes: &[&'c str]) -> Vec<&'c str> {
    AGGREGATED.iter().chain(changes).copied().collect()
}

#[test]
fn keys_and_types_of_schema_1() {
    assert_all(
        ONE,
        SchemaChoice::One,
        &[
            (&[], &[]),
            (&["bogus=1", "model.bogus=1", "backend.sglang_config.prefill.anything=1"], &["model.bogus", "bogus"]),
            (&["-name", "-model.precision", "-resources.gpu_type"], &["model.precision", "resources.gpu_type", "name"]),
            (&["-model"], &["model"]),
            (&["model=x", "slurm=[1]"], &["model", "slurm"]),
            (&["slurm.time_limit=4:00:00", "slurm.account=''"], &["slurm.time_limit"]),
            (&["slurm.time_limit=null", "name=null"], &["name"]),
            (
                &["resources.prefill_nodes=\"1\"", "resources.gpus_per_node=8.9", "resources.agg_nodes=true"],
                &["resources.agg_nodes"],
            ),
            (&["environment.A=1", "environment.B=x"], &["environment.A"]),
            (&["extra_mount=[a, 1]"], &["extra_mount[1]"]),
            (&["benchmark.concurrencies=16"], &["benchmark.concurrencies"]),
            (&["benchmark.concurrencies=[8, \"16\", 8.7]", "benchmark.prefix_ratios=[0.5]"], &[]),
            (&["benchmark.concurrencies=[8, x]"], &["benchmark.concurrencies[1]"]),
            (&["benchmark.req_rate=5.5"], &[]),
            (&["benchmark.req_rate=true"], &["benchmark.req_rate"]),
            (&["frontend.enable_multiple_frontends=oFF"], &["frontend.enable_multiple_frontends"]),
            (&["backend.type=zzz"], &["backend.type"]),
            (&["backend.vllm_config.prefill.a=1"], &["backend.vllm_config"]),
            (&["backend.kv_events_config=yes"], &[]),
            (&["backend.kv_events_config=[]"], &["backend.kv_events_config"]),
            (&["benchmark.sweep.mode=1", "benchmark.sweep.a=[1]"], &[]),
            (&["benchmark.sweep.a=1"], &["benchmark.sweep"]),
            (&["benchmark.sweep.parameters.a=[1]", "benchmark.sweep.b=1"], &[]),
            (&["dynamo.request_plane=udp", "dynamo.event_plane=null"], &["dynamo.request_plane"]),
            (&["schema=1"], &["schema"]),
            (&["lock.a=1"], &[]),
            (
                &["telemetry.provider=x", "telemetry.collect_interval_ms=1000"],
                &["telemetry.provider", "telemetry.collect_interval_ms"],
            ),
        ],
    );
}

#[test]
fn words_without_meaning_are_warnings() {
    let found = found(ONE, SchemaChoice::One, &["frontend.type=dinamo"]);
    assert_eq!(found, [(Code::RecipeValue, Severity::Warning, "frontend.type".to_owned())]);
}

#[test]
fn rules_of_schema_1() {
    let vllm = ["backend.type=vllm", "-backend.sglang_config"];
    let with = |changes: &[&'static str]| -> Vec<&'static str> { vllm.iter().chain(changes).copied().collect() };
    let cases: Vec<(Vec<&str>, &[&str])> = vec![
        (vec!["frontend.type=trtllm_serve"], &["frontend.type", "frontend.enable_multiple_frontends"]),
        (with(&["frontend.type=vllm", "frontend.enable_multiple_frontends=false"]), &["frontend.type"]),
        (
            aggregated(&[
                "frontend.type=vllm",
                "frontend.enable_multiple_frontends=no",
                "backend.type=vllm",
                "-backend.sglang_config",
                "resources.agg_workers=2",
            ]),
            &["resources.agg_workers"],
        ),
        (vec!["resources.het_jobs=true"], &[]),
        (
            with(&["resources.het_jobs=true", "resources.prefill_nodes=0", "frontend.dedicated_node=true"]),
            &["resources.prefill_nodes", "resources.het_jobs", "frontend.dedicated_node"],
        ),
        (aggregated(&["resources.het_jobs=true"]), &["resources.het_jobs"]),
        (
            vec!["frontend.dedicated_node=true", "frontend.orchestrator_placement=first_decode"],
            &["frontend.dedicated_node"],
        ),
        (
            vec!["benchmark.client_dedicated_node=1", "benchmark.client_placement=last_decode"],
            &["benchmark.client_dedicated_node"],
        ),
        (vec!["dynamo.hash=a", "dynamo.top_of_tree=true"], &["dynamo"]),
        (vec!["dynamo.wheel=a/b.whl"], &["dynamo.wheel"]),
        (vec!["dynamo.cargo_patches=[a]"], &["dynamo.cargo_patches"]),
        (
            with(&["backend.vllm_config.decode.data_parallel_size=8", "backend.vllm_config.decode.headless=false"]),
            &["backend.vllm_config.decode.headless"],
        ),
        (
            with(&["backend.vllm_config.decode.data-parallel-size=null", "backend.vllm_config.decode.headless=false"]),
            &[],
        ),
        (vec!["backend.mooncake_kv_store.container=x"], &["backend.mooncake_kv_store"]),
        (
            vec![
                "backend.mooncake_kv_store.container=x",
                "backend.sglang_config.decode.disaggregation-transfer-backend=mooncake",
            ],
            &[],
        ),
        (
            with(&[
                "backend.mooncake_kv_store.container=x",
                "backend.vllm_config.prefill.kv_transfer_config='{\"a\": \"MooncakeX\"}'",
            ]),
            &[],
        ),
        (vec!["profiling.type=nsys-time"], &["profiling.delay_secs", "profiling.duration_secs"]),
        (vec!["profiling.type=torch"], &["profiling.prefill", "profiling.decode"]),
        (
            aggregated(&[
                "profiling.type=torch",
                "profiling.prefill.start_step=1",
                "profiling.aggregated.start_step=1",
                "resources.agg_workers=0",
            ]),
            &["profiling.prefill", "resources.agg_workers"],
        ),
        (
            with(&[
                "profiling.type=nsys",
                "profiling.prefill.start_step=1",
                "profiling.decode.start_step=1",
                "backend.vllm_config.decode.profiler_config.a=1",
            ]),
            &["backend.vllm_config.decode.profiler_config"],
        ),
        (vec!["observability.tachometer.enabled=true"], &["observability.tachometer"]),
        (
            vec![
                "observability.enabled=true",
                "observability.tachometer.enabled=true",
                "observability.tachometer.storage_subdir=../x",
                "observability.tachometer.default_frequency=0",
                "observability.tachometer.binary_path=''",
                "observability.tachometer.compaction_threads=-1",
                "observability.tachometer.node_exporter.container_image=''",
                "observability.tachometer.node_exporter.port=0",
            ],
            &[
                "observability.tachometer.node_exporter.container_image",
                "observability.tachometer.node_exporter.port",
                "observability.tachometer.binary_path",
                "observability.tachometer.compaction_threads",
                "observability.tachometer.storage_subdir",
                "observability.tachometer.default_frequency",
            ],
        ),
    ];
    for (changes, expected) in cases {
        assert_eq!(paths(ONE, SchemaChoice::One, &changes), expected, "{changes:?}");
    }
}

#[test]
fn telemetry_of_schema_1() {
    let on = |changes: &[&'static str]| -> Vec<&'static str> {
        std::iter::once("telemetry.enabled=true").chain(changes.iter().copied()).collect()
    };
    let cases: Vec<(Vec<&str>, &[&str])> = vec![
        (on(&[]), &[]),
        (vec!["telemetry.default_frequency=30", "telemetry.collector_join_timeout_seconds=1"], &[]),
        (on(&["telemetry.default_frequency=30"]), &["telemetry.default_frequency"]),
        (on(&["telemetry.default_frequency=0"]), &["telemetry.default_frequency"]),
        (on(&["telemetry.collector_join_timeout_seconds=10"]), &["telemetry.collector_join_timeout_seconds"]),
        (on(&["telemetry.collector_join_timeout_seconds=10.5"]), &[]),
        (
            on(&["telemetry.collector_join_timeout_seconds=12", "telemetry.request_timeout_seconds=3"]),
            &["telemetry.collector_join_timeout_seconds"],
        ),
        (
            on(&["telemetry.request_timeout_seconds=x", "telemetry.collector_join_timeout_seconds=1"]),
            &["telemetry.request_timeout_seconds"],
        ),
        (on(&["-telemetry.dcgm_exporter"]), &["telemetry.dcgm_exporter"]),
        (
            on(&["telemetry.dcgm_exporter.port=70000", "telemetry.dcgm_exporter.container_image=''"]),
            &["telemetry.dcgm_exporter.container_image", "telemetry.dcgm_exporter.port"],
        ),
        (on(&["telemetry.storage_subdir=/x"]), &["telemetry.storage_subdir"]),
        (on(&["benchmark.type=custom"]), &["benchmark.type"]),
        (on(&["benchmark.client_placement=last_decode"]), &["benchmark.client_placement"]),
        (on(&["infra.etcd_nats_dedicated_node=true"]), &["infra.etcd_nats_dedicated_node"]),
        (on(&["benchmark.concurrencies=[4, \"4\"]"]), &["benchmark.concurrencies"]),
        (on(&["benchmark.concurrencies=4x8"]), &[]),
        (on(&["benchmark.concurrencies=4-8"]), &["benchmark.concurrencies"]),
        (on(&["benchmark.concurrencies=[0]"]), &["benchmark.concurrencies"]),
        (on(&["-benchmark.concurrencies"]), &["benchmark.concurrencies"]),
        (
            on(&[
                "observability.enabled=true",
                "observability.tachometer.enabled=true",
                "observability.tachometer.storage_subdir=power",
                "observability.tachometer.dcgm_exporter.port=1",
                "observability.tachometer.dcgm_exporter.container_image=x",
            ]),
            &["observability.tachometer.dcgm_exporter", "observability.tachometer.storage_subdir"],
        ),
    ];
    for (changes, expected) in cases {
        assert_eq!(paths(ONE, SchemaChoice::One, &changes), expected, "{changes:?}");
    }
    let blocked = found(ONE, SchemaChoice::One, &on(&["infra.etcd_nats_dedicated_node=true"]));
    assert_eq!(blocked[0].0, Code::RecipePowerBlocked);
}

#[test]
fn keys_and_types_of_schema_2() {
    assert_all(
        TWO,
        SchemaChoice::Two,
        &[
            (&[], &[]),
            (&["-schema"], &["schema"]),
            (&["schema=1"], &["schema"]),
            (&["schema=\"2\""], &["schema"]),
            (&["schema=true"], &["schema"]),
            (
                &["backend.type=sglang", "infra.a=1", "resources.prefill_nodes=1", "dynamo.hash=a"],
                &["resources.prefill_nodes", "backend", "infra", "dynamo.hash"],
            ),
            (&["engine=[a]"], &["engine"]),
            (&["engine=zzz"], &["engine"]),
            (&["engine=null"], &[]),
            (
                &["-engine", "engine.type=trtllm", "engine.prefill_environment.A=b", "engine.bogus=1"],
                &["engine.prefill_environment", "engine.bogus"],
            ),
            (&["-engine", "engine.gpu_type=a"], &[]),
            (&["roles.aggregated.nodes=1"], &["roles.aggregated"]),
            (&["roles.prefill.container=x"], &["roles.prefill.container"]),
            (&["roles.decode=null"], &["roles.decode"]),
            (&["roles.prefill.nodes=true"], &["roles.prefill.nodes"]),
            (&["roles.prefill.nodes=\"2\""], &["roles.prefill.nodes"]),
            (&["roles.prefill.nodes=2.0"], &["roles.prefill.nodes"]),
            (&["roles.decode.nodes=0"], &["roles.decode.nodes"]),
            (&["roles.decode.sidecar=1"], &["roles.decode.sidecar"]),
            (&["benchmark.type=bogus"], &["benchmark.type"]),
            (
                &["benchmark.command=x", "benchmark.use_chat_template=true", "benchmark.num_shots=1"],
                &["benchmark.command", "benchmark.num_shots"],
            ),
            (&["benchmark.tokenizer_mode=x"], &["benchmark.tokenizer_mode"]),
            (
                &["telemetry.default_frequency=1.0", "observability.tachometer.default_frequency=5"],
                &["telemetry.default_frequency", "observability.tachometer.default_frequency"],
            ),
            (&["observability.scrape_metrics=true"], &["observability.scrape_metrics"]),
        ],
    );
}

#[test]
fn rules_of_schema_2() {
    let vllm: &[&str] = &["engine=vllm"];
    let with = |start: &[&'static str], changes: &[&'static str]| -> Vec<&'static str> {
        start.iter().chain(changes).copied().collect()
    };
    let agg: &[&str] =
        &["-roles.prefill", "-roles.decode", "roles.agg.nodes=1", "roles.agg.workers=1", "roles.agg.gpus=8"];
    let cases: Vec<(Vec<&str>, &[&str])> = vec![
        (vec!["roles.prefill.engine=vllm", "roles.decode.engine=sglang"], &["roles"]),
        (vec!["roles.prefill.nodes=Colocate "], &["roles.prefill.nodes"]),
        (vec!["roles.decode.nodes=colocate", "-roles.decode.gpus"], &["roles.decode.gpus"]),
        (vec!["roles.decode.nodes=colocate"], &["roles.decode.nodes"]),
        (vec!["roles.decode.nodes=colocate", "roles.decode.gpus=4", "roles.prefill.gpus=4"], &[]),
        (
            vec![
                "roles.decode.nodes=colocate",
                "roles.prefill.nodes=2",
                "roles.prefill.gpus=5",
                "roles.prefill.workers=2",
                "roles.decode.gpus=6",
            ],
            &["roles.decode.nodes"],
        ),
        (vec!["roles.prefill.sidecar=true", "roles.decode.sidecar=false"], &["roles"]),
        (vec!["roles.decode.sidecar=false", "dynamo.sidecar=true"], &["dynamo.sidecar"]),
        (vec!["roles.decode.extra_args=[a]"], &["roles.decode.extra_args"]),
        (vec!["engine=atom", "roles.decode.kv_events=true"], &["roles.decode.kv_events"]),
        (vec!["frontend.type=vllm-router"], &["frontend.type"]),
        (vec!["frontend.type=sglang"], &["frontend.enable_multiple_frontends", "frontend.type"]),
        (with(agg, &["frontend.type=sglang", "frontend.enable_multiple_frontends=false"]), &[]),
        (
            with(agg, &["frontend.type=sglang", "frontend.enable_multiple_frontends=false", "roles.agg.workers=2"]),
            &["roles.agg.workers"],
        ),
        (
            vec!["frontend.type=none", "frontend.placement.node=dedicated"],
            &["frontend.type", "frontend.placement.node"],
        ),
        (vec!["dynamo.sidecar=true", "frontend.type=sglang-router"], &["frontend.type"]),
        (
            vec!["frontend.worker_selection.a=1", "environment.DYN_ROUTER_POLICY_CONFIG=x"],
            &["frontend.worker_selection"],
        ),
        (
            with(
                vllm,
                &[
                    "resources.het_jobs=true",
                    "roles.decode.nodes=colocate",
                    "roles.prefill.gpus=4",
                    "roles.decode.gpus=4",
                    "benchmark.placement.node=dedicated",
                ],
            ),
            &["roles.decode.nodes", "resources.het_jobs", "benchmark.placement.node"],
        ),
        (
            with(
                vllm,
                &[
                    "frontend.type=vllm-router",
                    "roles.decode.args.data-parallel-size=2",
                    "roles.decode.args.tensor-parallel-size=2",
                ],
            ),
            &["roles.decode.args"],
        ),
        (with(vllm, &["roles.decode.args.data-parallel-size=0"]), &["roles.decode.args.data-parallel-size"]),
        (
            with(vllm, &["roles.decode.args.data-parallel-size=8", "roles.decode.args.headless=true"]),
            &["roles.decode.args.headless"],
        ),
        (vec!["-engine", "engine.type=vllm", "engine.connector=moriio"], &["engine.connector"]),
        (
            vec!["-engine", "engine.type=vllm", "engine.failover.shadow_engines=0", "engine.failover.shared_dir=/"],
            &["engine.failover.shadow_engines", "engine.failover.shared_dir"],
        ),
        (vec!["-engine", "engine.type=trtllm", "engine.numa_memory_bind=local"], &["engine.numa_memory_bind"]),
        (vec!["-engine", "engine.mooncake_kv_store.container=x"], &["roles"]),
        (
            vec![
                "profiling.type=nsys",
                "profiling.prefill.start_step=1",
                "profiling.decode.capture_scope=selected",
                "profiling.decode.worker_index=1",
                "profiling.nsys_trace=' '",
            ],
            &["profiling.nsys_trace", "profiling.decode.worker_index"],
        ),
        (
            vec![
                "observability.enabled=true",
                "observability.nsys.report_timeout_secs=0",
                "observability.nsys.nvtx_injection_path=x",
                "benchmark.type=lm-eval",
                "-benchmark.isl",
                "-benchmark.osl",
            ],
            &[
                "observability.nsys.report_timeout_secs",
                "observability.nsys.nvtx_injection_path",
                "observability.nsys.capture_window",
            ],
        ),
        (
            vec!["dynamo.source.rev=main", "dynamo.source.sha=XYZ", "dynamo.top_of_tree=true"],
            &["dynamo.top_of_tree", "dynamo.source.rev", "dynamo.source.sha"],
        ),
        (
            vec!["dynamo.source.pypi=1.0.0", "dynamo.source.wheel=1.0.0", "dynamo.source.patches=[a]"],
            &["dynamo.source", "dynamo.source.patches"],
        ),
        (vec!["dynamo.sidecar_port=0", "dynamo.sidecar_binary=' '"], &["dynamo.sidecar_port", "dynamo.sidecar_binary"]),
        (
            vec!["host_setup.commands=[a, ' ']", "host_setup.timeout_seconds=0"],
            &["host_setup.commands[1]", "host_setup.timeout_seconds"],
        ),
        (
            vec!["post_eval.passthrough_env=[A_1, 1A]", "post_eval.command=[]"],
            &["post_eval.passthrough_env[1]", "post_eval.command"],
        ),
        (vec!["health_check.extra_fatal_log_patterns=['(']"], &["health_check.extra_fatal_log_patterns[0]"]),
    ];
    for (changes, expected) in cases {
        assert_eq!(paths(TWO, SchemaChoice::Two, &changes), expected, "{changes:?}");
    }
}

#[test]
fn telemetry_of_schema_2() {
    let on = |changes: &[&'static str]| -> Vec<&'static str> {
        std::iter::once("telemetry.enabled=true").chain(changes.iter().copied()).collect()
    };
    let cases: Vec<(Vec<&str>, &[&str])> = vec![
        (on(&[]), &[]),
        (on(&["telemetry.collect_interval_ms=3001"]), &["telemetry.collect_interval_ms"]),
        (on(&["-telemetry.dcgm_exporter"]), &["telemetry.dcgm_exporter"]),
        (
            on(&[
                "-telemetry.dcgm_exporter",
                "telemetry.cpu_power_exporter.port=9405",
                "telemetry.collector_join_timeout_seconds=10",
            ]),
            &["telemetry.collector_join_timeout_seconds"],
        ),
        (
            on(&["telemetry.cpu_power_exporter.port=9401", "telemetry.cpu_power_exporter.source=x"]),
            &["telemetry.cpu_power_exporter.port", "telemetry.cpu_power_exporter.source"],
        ),
        (vec!["telemetry.cpu_power.enabled=true"], &["telemetry.cpu_power.enabled"]),
        (
            vec!["telemetry.cpu_power.required=true", "telemetry.cpu_power.source=acpi"],
            &["telemetry.cpu_power.required", "telemetry.cpu_power.source"],
        ),
        (
            on(&[
                "telemetry.cpu_power.enabled=true",
                "telemetry.cpu_power.storage_subdir=power",
                "telemetry.cpu_power.sample_interval_seconds=4",
            ]),
            &["telemetry.cpu_power.sample_interval_seconds", "telemetry.cpu_power.storage_subdir"],
        ),
        (on(&["benchmark.placement.node=last_decode"]), &["benchmark.placement.node"]),
        (on(&["observability.tachometer.storage_subdir=power"]), &["observability.tachometer.storage_subdir"]),
        (on(&["observability.tachometer.enabled=false", "observability.tachometer.storage_subdir=power"]), &[]),
        (vec!["observability.tachometer.collect_interval_ms=0"], &["observability.tachometer.collect_interval_ms"]),
    ];
    for (changes, expected) in cases {
        assert_eq!(paths(TWO, SchemaChoice::Two, &changes), expected, "{changes:?}");
    }
}

#[test]
fn services_of_schema_2() {
    for (services, expected) in [
        ("[{name: a, command: [x]}]", vec![]),
        ("[{name: a}, {name: a, command: [x]}]", vec!["services[0].command", "services[1].name"]),
        ("[{type: etcd}]", vec!["services[0].name"]),
        (
            "[{name: ' ', type: etcd, placement: {node: prefill}}]",
            vec!["services[0].name", "services[0].placement.node"],
        ),
        (
            "[{name: a, command: [x], external: y, placement: {node: dedicated}}]",
            vec!["services[0].external", "services[0].placement.node"],
        ),
        (
            "[{name: e, type: etcd, placement: {node: dedicated}}, {name: n, type: nats}]",
            vec!["services[1].placement.node"],
        ),
        (
            "[{name: n, type: nats, options: {max_payload_mb: 0, x: 1}}]",
            vec!["services[0].options.x", "services[0].options.max_payload_mb"],
        ),
        (
            "[{name: d, type: mooncake-donor}, {name: s, type: mooncake-store}]",
            vec!["services[0].options.size", "services[1].type"],
        ),
        (
            "[{name: a, command: [], args: [' '], nodes: 0}]",
            vec!["services[0].command", "services[0].args[0]", "services[0].nodes"],
        ),
        (
            "[{name: a, command: [x], source: {git: g, rev: HEAD}, placement: {node: decode}}]",
            vec!["services[0].source.rev", "services[0].source"],
        ),
        (
            "[{name: a, command: [x], placement: {node: head, pool: p}}]",
            vec!["services[0].placement", "services[0].placement.pool"],
        ),
        (
            "[{name: a, command: [x], placement: {per: worker}, readiness: {port: 1}}]",
            vec!["services[0].placement.per", "services[0].placement.per"],
        ),
        (
            "[{name: a, command: [x], readiness: {tcp: {port: 0}, http: {port: 1, path: x, status: 99}}}]",
            vec![
                "services[0].readiness",
                "services[0].readiness.tcp.port",
                "services[0].readiness.http.path",
                "services[0].readiness.http.status",
            ],
        ),
        (
            "[{name: a, command: [x], readiness: {log: {pattern: '('}, timeout_seconds: 0}}]",
            vec!["services[0].readiness.log.pattern", "services[0].readiness.timeout_seconds"],
        ),
        (
            "[{name: a, command: [x], metrics: [{port: 1}, {port: 99999, path: x}]}]",
            vec!["services[0].metrics[1].port", "services[0].metrics[1].path", "services[0].metrics[1]"],
        ),
        ("[{name: a, command: [x], terminal: true}]", vec!["services[0].terminal"]),
        (
            "[{name: m, type: mooncake-master, options: {device_names_by_gpu: [a]}}]",
            vec!["services[0].options.device_names_by_gpu", "services[0]"],
        ),
        ("[{name: a, type: generik, bogus: 1}]", vec!["services[0].type", "services[0].bogus"]),
    ] {
        let yaml = format!("{TWO}services: {services}\n");
        assert_eq!(paths(&yaml, SchemaChoice::Auto, &[]), expected, "{services}");
    }
    let dedicated = format!("{TWO}services: [{{name: e, type: etcd, placement: {{node: dedicated}}}}]\n");
    assert_eq!(paths(&dedicated, SchemaChoice::Auto, &["telemetry.enabled=true"]), ["services[0].placement.node"]);
    assert_eq!(paths(TWO, SchemaChoice::Auto, &["job_scoped_ports=true"]), ["job_scoped_ports"]);
}

#[test]
fn a_key_at_the_wrong_level_is_sent_home() {
    let document =
        parse(&Source::new("r.yaml", format!("{ONE}isl: 1\ntime_limit: x\n")), Schema::V11, &mut Diagnostics::new());
    let document = document.unwrap();
    let file = RecipeFile::read(&document, &mut Diagnostics::new()).unwrap();
    let help: Vec<String> = check_recipe(file.root(), SchemaChoice::One, true).into_iter().map(|f| f.help).collect();
    assert_eq!(help, ["did you mean `benchmark.isl`?", "did you mean `slurm.time_limit`?"]);
}
