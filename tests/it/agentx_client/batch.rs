//! Batches: one folder and one row each, and servers that are idle in between.

use super::server::Server;
use super::support::Client;

#[test]
fn each_point_of_a_batch_has_its_own_folder_and_name() {
    let server = Server::new(&[(200, "vllm:num_requests_running 0\n")]);
    let Some(client) = Client::batch("4 16", &server.url()) else { return };
    let output = client.run();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    assert_eq!(
        client.events()[1..],
        [
            "aiperf 4",
            "aggregate row_conc4 from @/logs/agentic/conc_4 at 4",
            "gate @/logs/agentic/conc_4/aiperf_artifacts --failed-request-threshold 0.10",
            "aiperf 16",
            "aggregate row_conc16 from @/logs/agentic/conc_16 at 16",
            "gate @/logs/agentic/conc_16/aiperf_artifacts --failed-request-threshold 0.10",
        ]
    );
    assert!(client.has("logs/row_conc4.json") && client.has("logs/row_conc16.json"));
    assert_eq!(server.requests(), ["GET /metrics"; 3], "three idle polls are enough");
}

#[test]
fn a_multi_node_batch_of_one_has_its_concurrency_in_the_name() {
    let Some(client) = Client::batch("4", "http://localhost:1") else { return };
    assert_eq!(client.run().exit, 0);
    assert!(client.has("logs/row_conc4.json") && client.has("logs/agentic/conc_4/benchmark.log"));
}

#[test]
fn a_single_node_job_keeps_its_name_as_long_as_it_has_one_point() {
    let Some(client) = Client::new() else { return };
    let client = client.set("CONC_LIST", "4");
    assert_eq!(client.run().exit, 0);
    assert!(client.has("logs/row.json") && client.has("logs/agentic/benchmark.log"));

    let server = Server::new(&[(200, "sglang:num_running_reqs 0\n")]);
    let Some(client) = Client::batch("4 8", &server.url()) else { return };
    let client = client.set("IS_MULTINODE", "false");
    assert_eq!(client.run().exit, 0);
    assert!(client.has("logs/row_conc4.json") && client.has("logs/row_conc8.json"));
}

#[test]
fn the_drain_waits_for_three_idle_polls_in_a_row() {
    let idle = "# HELP vllm:num_requests_running Running.\n# TYPE vllm:num_requests_running gauge\n\
                vllm:num_requests_running{engine=\"0\"} 0.0\nvllm:num_requests_waiting{engine=\"0\"} 0.0\n";
    let answers = [
        (200, "vllm:num_requests_running{engine=\"0\"} 0\nvllm:num_requests_running{engine=\"1\"} 3e+00 1700000000\n"),
        (200, "vllm:num_requests_running{model=\"a } \\\" b\"} 0\nvllm:num_requests_waiting 1\n"),
        (200, idle),
        (200, idle),
        (503, "busy"),
        (200, idle),
        (200, "vllm:num_requests_running NaN\n"),
        (200, idle),
        (200, "vllm:num_requests_running what\n"),
        (200, idle),
        (200, "vllm:num_requests_running_total 9\nother 1\n"),
        (200, idle),
        (200, idle),
        (200, idle),
    ];
    let server = Server::new(&answers);
    let Some(client) = Client::batch("4 8", &server.url()) else { return };
    let output = client.run();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    assert_eq!(server.requests().len(), answers.len(), "a poll that fails or is active starts the count anew");
    for said in [
        "vllm:num_requests_running 3",
        "vllm:num_requests_waiting 1",
        "HTTP 503",
        "is nan",
        "unreadable line",
        "no gauge",
    ] {
        assert!(output.stderr.contains(said), "{said}: {}", output.stderr);
    }
}

#[test]
fn every_known_gauge_of_the_frontend_and_the_workers_counts() {
    let gauges = [
        "dynamo_frontend_active_requests",
        "vllm:num_requests_running",
        "vllm:num_requests_waiting",
        "trtllm_num_requests_running",
        "trtllm_num_requests_waiting",
        "sglang:num_running_reqs",
        "sglang:num_queue_reqs",
    ];
    let mut pages = gauges.map(|gauge| format!("{gauge}{{a=\"b\",}} 1\n")).to_vec();
    pages.push(gauges.map(|gauge| format!("{gauge} 0\n")).concat());
    let pages: Vec<(u16, &str)> = pages.iter().map(|page| (200, page.as_str())).collect();
    let frontend = Server::new(&[(404, "no such page")]);
    let prefill = Server::new(&[(200, "sglang:num_running_reqs 0\n")]);
    let decode = Server::new(&pages);
    let Some(client) = Client::batch("4 8", &frontend.url()) else { return };
    let client = client
        .set("SRTCTL_FRONTEND_TYPE", "sglang")
        .set("SRT_PREFILL_ENDPOINTS", &prefill.endpoint)
        .set("SRT_DECODE_ENDPOINTS", &decode.endpoint);
    let output = client.run();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    for server in [&frontend, &prefill, &decode] {
        assert_eq!(server.requests(), ["GET /metrics"; 10]);
    }
    for gauge in gauges {
        assert!(output.stderr.contains(&format!("{}/metrics: {gauge} 1\n", decode.url())), "{}", output.stderr);
    }
}

#[test]
fn servers_that_stay_active_are_named() {
    let frontend = Server::new(&[(200, "dynamo_frontend_active_requests{model=\"m\"} 2\n")]);
    let Some(client) = Client::batch("4 8 16", &frontend.url()) else { return };
    let client = client.set("SRTCTL_FRONTEND_TYPE", "dynamo").set("AIPERF_DRAIN_TIMEOUT_SECONDS", "0.1");
    let output = client.run();
    assert_eq!(output.exit, 1);
    let expected = format!(
        "the servers were not idle after 0.1 s: {}/metrics: dynamo_frontend_active_requests 2\n",
        frontend.url()
    );
    assert!(output.stderr.contains(&expected), "{}", output.stderr);
    assert!(output.stderr.contains("not run after that: concurrency 16"), "{}", output.stderr);
    assert!(client.has("logs/row_conc4.json"), "the first point is kept");
    assert!(!client.has("logs/agentic/conc_8"));
}

#[test]
fn servers_that_cannot_be_asked_are_not_idle() {
    // A frontend without metrics may only be silent when workers speak for it.
    let frontend = Server::new(&[(404, "no such page")]);
    let Some(client) = Client::batch("4 8", &frontend.url()) else { return };
    let output = client.set("AIPERF_DRAIN_TIMEOUT_SECONDS", "0.1").run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("/metrics: HTTP 404"), "{}", output.stderr);

    let Some(client) = Client::batch("4 8", &frontend.url()) else { return };
    let client = client.set("SRT_AGG_ENDPOINTS", "127.0.0.1:1").set("AIPERF_DRAIN_TIMEOUT_SECONDS", "0.1");
    let output = client.run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("http://127.0.0.1:1/metrics: "), "{}", output.stderr);
}

#[test]
fn a_point_that_fails_ends_the_batch_with_its_code() {
    let Some(client) = Client::batch("4 8 16", "http://localhost:1") else { return };
    let client = client.set("STAND_IN_EXIT", "7");
    let output = client.run();
    assert_eq!(output.exit, 7);
    assert!(output.stderr.contains("not run after that: concurrency 8 16"), "{}", output.stderr);
    assert!(client.has("logs/row_conc4.json"));
}
