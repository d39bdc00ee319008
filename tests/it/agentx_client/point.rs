//! One point: its command, its files, its exit code.

use std::process::Command;

use super::server::Server;
use super::support::Client;

#[test]
fn one_point_is_fetched_replayed_aggregated_and_gated() {
    let Some(client) = Client::new() else { return };
    let output = client.run();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    assert_eq!(
        client.events(),
        [
            "hf download --repo-type dataset semianalysisai/cc-traces-weka-062126-256k",
            "aiperf 4",
            "aggregate row from @/logs/agentic at 4",
            "gate @/logs/agentic/aiperf_artifacts --failed-request-threshold 0.10",
        ]
    );
    assert_eq!(client.read("logs/row.json"), "{\"conc\": 4}\n");
    assert!(output.stdout.contains("replaying at 4"), "the job log has the output: {}", output.stdout);
    assert_eq!(client.read("logs/agentic/benchmark.log"), "replaying at 4\n");
}

#[test]
fn the_command_is_the_scenarios_and_is_saved() {
    let Some(client) = Client::new() else { return };
    assert_eq!(client.run().exit, 0);
    let expected = format!(
        "profile --scenario inferencex-agentx-mvp --url http://localhost:8000 --endpoint /v1/chat/completions \
         --endpoint-type chat --streaming --model org/model --tokenizer org/model --concurrency 4 \
         --benchmark-duration 3600 --stats-interval 30 --random-seed 42 --failed-request-threshold 0.10 \
         --trajectory-start-min-ratio 0.25 --trajectory-start-max-ratio 0.75 --warmup-requests-per-lane 10 \
         --trace-idle-gap-cap-seconds 300 --warmup-grace-period 1800 --use-server-token-count --no-gpu-telemetry \
         --tokenizer-trust-remote-code --num-dataset-entries 393 --slice-duration 1.0 \
         --output-artifact-dir {}/aiperf_artifacts --public-dataset semianalysis_cc_traces_weka_062126_256k",
        client.path("logs/agentic")
    );
    assert_eq!(client.arguments(4).join(" "), expected);
    assert_eq!(client.read("logs/agentic/benchmark_command.txt"), format!("aiperf {expected} \n"));
    assert_eq!(client.replay_variable("AIPERF_DATASET_WEKA_LIVE_ASSISTANT_RESPONSES").unwrap(), "0");
    assert_eq!(client.replay_variable("AIPERF_DATASET_CONFIGURATION_TIMEOUT").unwrap(), "1800");
    assert_eq!(client.replay_variable("AIPERF_SERVICE_PROFILE_CONFIGURE_TIMEOUT").unwrap(), "1800");
    assert_eq!(client.replay_variable("AIPERF_UI_REALTIME_METRICS_ENABLED").unwrap(), "true");
    assert_eq!(client.replay_variable("LC_ALL"), None, "the caller had none");
}

#[test]
fn a_failing_replay_keeps_its_exit_code_and_its_results() {
    let Some(client) = Client::new() else { return };
    let client = client.set("STAND_IN_EXIT", "7").set("STAND_IN_GATE", "1");
    let output = client.run();
    assert_eq!(output.exit, 7, "{}", output.stderr);
    assert!(output.stderr.contains("the replay at concurrency 4 ended with exit code 7"), "{}", output.stderr);
    assert!(client.has("logs/row.json"), "results that exist are written");
}

#[test]
fn a_replay_that_exports_nothing_fails_whatever_its_exit_code() {
    let Some(client) = Client::new() else { return };
    let output = client.set("STAND_IN_EXPORTS", "0").run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("left no profile_export_aiperf.json to judge"), "{}", output.stderr);
}

#[test]
fn the_gate_refuses_what_the_replay_calls_a_success() {
    let Some(client) = Client::new() else { return };
    let client = client.set("STAND_IN_GATE", "1").set("AIPERF_FAILED_REQUEST_THRESHOLD", "0.02");
    let output = client.run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("the gate refused the results of concurrency 4 (exit code 1)"), "{}", output.stderr);
    assert!(client.events().last().unwrap().ends_with("--failed-request-threshold 0.02"));
    assert_eq!(client.flag("--failed-request-threshold").unwrap(), ["0.10"], "that of the run is another variable");
    assert!(client.has("logs/row.json"));
}

#[test]
fn a_failed_aggregation_fails_the_point() {
    let Some(client) = Client::new() else { return };
    let output = client.set("STAND_IN_AGGREGATE", "3").run();
    assert_eq!(output.exit, 3, "{}", output.stderr);
}

#[test]
fn without_srtx_nothing_starts_unless_that_is_allowed() {
    let Some(client) = Client::new() else { return };
    let client = client.without("srtx-gh");
    let output = client.run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("could neither be aggregated nor gated"), "{}", output.stderr);
    assert_eq!(client.events(), [""; 0]);

    let client = client.set("AGENTX_WITHOUT_SRTX", "allow");
    let output = client.run();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    assert!(output.stderr.contains("row.json was not written"), "{}", output.stderr);
    assert!(output.stderr.contains("concurrency 4 was not gated"), "{}", output.stderr);
}

#[test]
fn a_binary_without_the_results_commands_is_as_none() {
    let Some(client) = Client::new() else { return };
    let output = client.set("STAND_IN_VERBS", "0").run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("has no results aggregate and results gate"), "{}", output.stderr);

    let Some(client) = Client::new() else { return };
    let output = client.set("SRTX_GH", "/nowhere/srtx-gh").run();
    assert!(output.stderr.contains("SRTX_GH is '/nowhere/srtx-gh', which is no program"), "{}", output.stderr);
}

#[test]
fn an_engines_own_metrics_can_be_required() {
    let Some(client) = Client::new() else { return };
    assert_eq!(client.set("AIPERF_REQUIRED_SERVER_METRIC_PREFIX", "vllm:").run().exit, 0);
    let Some(client) = Client::new() else { return };
    let output = client.set("AIPERF_REQUIRED_SERVER_METRIC_PREFIX", "sglang:").run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("starts with 'sglang:'"), "{}", output.stderr);
}

#[test]
fn the_power_window_is_read_last_and_must_be_when_required() {
    let Some(client) = Client::new() else { return };
    let client = client.set("AGENTX_POWER_COMMAND", "evaluate power").set("STAND_IN_EVALUATION", "9");
    assert_eq!(client.run().exit, 9);
    assert_eq!(client.events().last().unwrap(), "evaluate power of org/model at http://localhost:8000");

    let Some(client) = Client::new() else { return };
    let output = client.set("REQUIRE_POWER", "1").run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("AGENTX_POWER_COMMAND is not set"), "{}", output.stderr);
}

#[test]
fn a_flag_that_the_installed_client_lacks_is_named_before_the_run() {
    let Some(client) = Client::new() else { return };
    let missing = "--warmup-requests-per-lane --use-dynamo-conv-aware-routing --dynamo-session-timeout-seconds";
    let client = client.set("FRAMEWORK", "dynamo-vllm").set("STAND_IN_UNKNOWN", missing);
    let output = client.run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains(&format!("aiperf 0.13.0 does not know: {missing}")), "{}", output.stderr);
    assert!(output.stderr.contains("AIPERF_USE_DYNAMO_CONV_AWARE_ROUTING=0"), "{}", output.stderr);
    assert_eq!(client.events(), [""; 0], "not even the traces were fetched");

    // A flag that only the start of another is known for is unknown as well.
    let Some(client) = Client::new() else { return };
    let output = client.set("STAND_IN_UNKNOWN", "--endpoint").run();
    assert!(output.stderr.contains("does not know: --endpoint\n"), "{}", output.stderr);

    let Some(client) = Client::new() else { return };
    let output = client.set("AIPERF_PINNED_VERSION", "0.12.0").run();
    assert!(output.stderr.contains("'0.13.0', AIPERF_PINNED_VERSION asks for '0.12.0'"), "{}", output.stderr);
}

#[test]
fn traces_that_cannot_be_fetched_end_the_run() {
    let Some(client) = Client::new() else { return };
    let client = client.set("STAND_IN_HUB_EXIT", "5");
    let output = client.run();
    assert_eq!(output.exit, 5);
    assert!(output.stderr.contains("could not be fetched"), "{}", output.stderr);
    assert_eq!(client.events().len(), 1);
}

#[test]
fn missing_programs_are_named_together() {
    let Some(client) = Client::new() else { return };
    let output = client.without("aiperf").without("python3").without("srtx-gh").run();
    assert_eq!(output.exit, 1);
    for program in ["aiperf is not on the path", "python3 is not on the path", "srtx-gh is not on the path"] {
        assert!(output.stderr.contains(program), "{program}: {}", output.stderr);
    }
}

#[test]
fn results_of_an_earlier_run_are_not_taken_for_this_ones() {
    let Some(client) = Client::new() else { return };
    assert_eq!(client.run().exit, 0);
    let output = client.run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("aiperf_artifacts is there already"), "{}", output.stderr);
    assert!(output.stderr.contains("row.json is there already"), "{}", output.stderr);
}

#[test]
fn a_signal_reaches_the_replay_and_is_the_reason_of_the_end() {
    for (signal, code) in [("TERM", 143), ("INT", 130)] {
        let Some(client) = Client::new() else { return };
        let client = client.set("STAND_IN_WAIT", "1");
        let child = client.start();
        kill(signal, &child.id().to_string());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{signal}: {stderr}");
        assert!(stderr.contains(&format!("stopped by SIG{signal}")), "{stderr}");
        assert_eq!(
            client.events().last().unwrap(),
            &format!("aiperf got {signal}"),
            "neither a row nor a gate after it"
        );
        assert!(client.has("logs/agentic/aiperf_artifacts/profile_export.jsonl"), "what exists is kept");
        assert!(client.read("logs/agentic/benchmark.log").contains("replaying at 4"));
        assert!(!alive(client.read("records/child").trim()), "what the replay started has ended too");
    }
}

#[test]
fn a_signal_while_the_servers_drain_ends_the_batch() {
    let server = Server::new(&[(200, "vllm:num_requests_running 1\n")]);
    let Some(client) = Client::batch("4 8", &server.url()) else { return };
    let client = client.set("AIPERF_DRAIN_POLL_SECONDS", "600");
    let child = client.start_until(|| !server.requests().is_empty());
    kill("TERM", &child.id().to_string());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(143), "{stderr}");
    assert!(stderr.contains("stopped by SIGTERM: while the servers were draining"), "{stderr}");
    assert!(client.has("logs/row_conc4.json") && !client.has("logs/agentic/conc_8"));
}

fn kill(signal: &str, process: &str) -> bool {
    Command::new("kill").args(["-s", signal, process]).output().unwrap().status.success()
}

fn alive(process: &str) -> bool {
    // A process that has ended may wait for its parent; it does nothing any more.
    std::fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|state| !state.contains(") Z"))
}

#[test]
fn an_eval_only_job_waits_for_the_chat_route_and_evaluates() {
    let server = Server::new(&[(404, "no route"), (503, "loading"), (200, "{}")]);
    let Some(client) = Client::new() else { return };
    let client = client
        .set("EVAL_ONLY", "true")
        .set("SERVED_MODEL_NAME", "wire")
        .set("AIPERF_SERVER_URL", &server.url())
        .set("AGENTX_EVAL_COMMAND", "evaluate --suite $(touch owned) *")
        .without("aiperf");
    let output = client.run();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    let request = "POST /v1/chat/completions {\"model\": \"wire\", \
                   \"messages\": [{\"role\": \"user\", \"content\": \"hi\"}], \"max_tokens\": 1}";
    assert_eq!(server.requests(), [request; 3]);
    let expected = format!("evaluate --suite $(touch owned) * of org/model at {}", server.url());
    assert_eq!(client.events(), [expected], "the command is words, and there is no replay");
    assert_eq!(client.read("logs/infx-eval-exit-code"), "0\n");
}

#[test]
fn an_evaluation_hands_on_its_exit_code() {
    let server = Server::new(&[(200, "{}")]);
    let Some(client) = Client::new() else { return };
    let client = client.set("EVAL_ONLY", "true").set("AIPERF_SERVER_URL", &server.url());
    let output = client.run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("AGENTX_EVAL_COMMAND is not set"), "{}", output.stderr);

    let client = client.set("AGENTX_EVAL_COMMAND", "evaluate").set("STAND_IN_EVALUATION", "6");
    assert_eq!(client.run().exit, 6);
    assert_eq!(client.read("logs/infx-eval-exit-code"), "6\n");
}

#[test]
fn a_chat_route_that_never_comes_fails_the_evaluation() {
    let server = Server::new(&[(503, "loading")]);
    let Some(client) = Client::new() else { return };
    let client = client
        .set("EVAL_ONLY", "true")
        .set("AIPERF_SERVER_URL", &server.url())
        .set("AGENTX_CHAT_ROUTE_TIMEOUT_SECONDS", "0.1")
        .set("AGENTX_EVAL_COMMAND", "evaluate");
    let output = client.run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("did not answer within 0.1 s; at last: HTTP 503: 'loading'"), "{}", output.stderr);
    assert_eq!(client.events(), [""; 0]);
}

#[test]
fn the_workspace_defaults_to_where_the_client_is() {
    let server = Server::new(&[(200, "{}")]);
    for workspace in ["", "/nowhere"] {
        let Some(client) = Client::new() else { return };
        let client = client
            .set("EVAL_ONLY", "true")
            .set("AIPERF_SERVER_URL", &server.url())
            .set("INFMAX_CONTAINER_WORKSPACE", workspace)
            .set("AGENTX_EVAL_COMMAND", "tests/it/agentx_client/stand_in/evaluate.sh");
        let output = client.run();
        assert_eq!(output.exit, 0, "{}", output.stderr);
    }
}

#[test]
fn a_workspace_that_holds_the_client_is_kept() {
    let server = Server::new(&[(200, "{}")]);
    let Some(client) = Client::new() else { return };
    let workspace = client.path("workspace");
    std::fs::create_dir_all(format!("{workspace}/benchmarks")).unwrap();
    std::fs::write(format!("{workspace}/benchmarks/srt_agentic.sh"), "").unwrap();
    let client = client
        .set("EVAL_ONLY", "true")
        .set("AIPERF_SERVER_URL", &server.url())
        .set("INFMAX_CONTAINER_WORKSPACE", &workspace)
        .set("AGENTX_EVAL_COMMAND", "./eval");
    let output = client.run();
    assert!(output.stderr.contains(&format!("'{workspace}/./eval', which is no program")), "{}", output.stderr);
}
