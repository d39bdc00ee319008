//! Where requests go, and where metrics come from.

use super::support::{Client, Variables};

#[test]
fn metrics_come_from_each_worker_behind_a_router_and_from_a_dynamo_frontend() {
    let router = ("SRTCTL_FRONTEND_TYPE", "sglang");
    let dynamo = ("SRTCTL_FRONTEND_TYPE", "dynamo");
    let agg = ("SRT_AGG_ENDPOINTS", "node1:30000,node2:30001");
    let preset = ("AIPERF_SERVER_METRICS_URLS", "http://x:1/metrics,https://y/m");
    let table: [(Variables<'_>, Option<&[&str]>); 8] = [
        (&[], None),
        (&[router, agg], Some(&["http://node1:30000/metrics", "http://node2:30001/metrics"])),
        (
            &[router, agg, ("SRT_DECODE_ENDPOINTS", "ignored:1")],
            Some(&["http://node1:30000/metrics", "http://node2:30001/metrics"]),
        ),
        // Each once, in any spelling of a host.
        (
            &[
                ("SRTCTL_FRONTEND_TYPE", "vllm"),
                ("SRT_PREFILL_ENDPOINTS", "10.0.0.1:1,10.0.0.1:1"),
                ("SRT_DECODE_ENDPOINTS", "[fe80::1]:2,d-2.x:3"),
            ],
            Some(&["http://10.0.0.1:1/metrics", "http://[fe80::1]:2/metrics", "http://d-2.x:3/metrics"]),
        ),
        // Only Dynamo is known to show its workers' metrics.
        (&[agg], Some(&["http://node1:30000/metrics", "http://node2:30001/metrics"])),
        (&[dynamo, agg], None),
        // What is set wins.
        (&[dynamo, preset], Some(&["http://x:1/metrics", "https://y/m"])),
        (&[router, agg, preset], Some(&["http://x:1/metrics", "https://y/m"])),
    ];
    let Some(client) = Client::new() else { return };
    for ((variables, expected), plan) in table.iter().zip(client.plans(&table.map(|(variables, _)| variables))) {
        assert_eq!(plan.exit, 0, "{variables:?}: {}", plan.stderr);
        assert_eq!(plan.flag("--server-metrics").as_deref(), *expected, "{variables:?}");
    }
}

#[test]
fn half_of_a_disaggregated_job_is_no_silent_matter() {
    let Some(client) = Client::new() else { return };
    let plans = client.plans(&[&[("SRT_PREFILL_ENDPOINTS", "a:1")]]);
    assert!(plans[0].stderr.contains("warning: SRT_DECODE_ENDPOINTS is not set"), "{}", plans[0].stderr);
}

#[test]
fn the_workers_urls_reach_the_replay() {
    let Some(client) = Client::new() else { return };
    let client = client.set("SRT_AGG_ENDPOINTS", "a:1,b:2").set("SRTCTL_FRONTEND_TYPE", "sglang");
    let output = client.run();
    assert_eq!(output.exit, 0, "{}", output.stderr);
    assert_eq!(client.flag("--server-metrics").unwrap(), ["http://a:1/metrics", "http://b:2/metrics"]);
    let exported = client.replay_variable("AIPERF_SERVER_METRICS_URLS");
    assert_eq!(exported.unwrap(), "http://a:1/metrics,http://b:2/metrics");
}

#[test]
fn wrong_endpoints_and_urls_are_named() {
    let table = [
        ("AIPERF_SERVER_METRICS_URLS", "http://a:1/metrics,,http://b", "holds an empty URL"),
        ("AIPERF_SERVER_METRICS_URLS", "http://a:1/metrics,", "holds an empty URL"),
        ("AIPERF_SERVER_METRICS_URLS", "http://a:1/metrics, http://b", "the URL ' http://b'"),
        ("AIPERF_SERVER_METRICS_URLS", " ", "the URL ' '"),
        ("AIPERF_SERVER_METRICS_URLS", "a:1", "the URL 'a:1'"),
        ("SRT_AGG_ENDPOINTS", "a:1,,b:2", "'' is no endpoint"),
        ("SRT_AGG_ENDPOINTS", "a:1, b:2", "' b:2' is no endpoint"),
        ("SRT_PREFILL_ENDPOINTS", "a", "'a' is no endpoint"),
        ("SRT_DECODE_ENDPOINTS", "http://a:1", "'http://a:1' is no endpoint"),
        ("AIPERF_SERVER_URL", "localhost:8000", "the URL 'localhost:8000'"),
        ("SRT_FRONTEND_HOST", "head", "SRT_FRONTEND_PORT is not set"),
        ("PORT", "80000", "PORT is '80000'"),
        ("PORT", "x", "PORT is 'x'"),
    ];
    let Some(client) = Client::new() else { return };
    let cases = table.map(|(name, value, _)| [(name, value)]);
    for ((name, value, said), plan) in table.iter().zip(client.plans(&cases.each_ref().map(|case| &case[..]))) {
        assert_eq!(plan.exit, 1, "{name}={value}: {}", plan.stderr);
        assert!(plan.stderr.contains(name) && plan.stderr.contains(said), "{name}={value}: {}", plan.stderr);
    }
}

#[test]
fn a_password_in_a_url_is_refused_and_not_repeated() {
    let Some(client) = Client::new() else { return };
    let output = client.set("AIPERF_SERVER_URL", "http://user:hidden@host:1").set("HF_TOKEN", "hf_hidden").run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("AIPERF_SERVER_URL gives a URL with a user or a password"), "{}", output.stderr);
    assert!(!output.stderr.contains("hidden"), "{}", output.stderr);
}

#[test]
fn the_server_is_the_announced_frontend_or_this_host() {
    let table: [(Variables<'_>, &str); 6] = [
        (&[], "http://localhost:8000"),
        (&[("PORT", "9000")], "http://localhost:9000"),
        (&[("SRT_FRONTEND_HOST", "head"), ("SRT_FRONTEND_PORT", "8001")], "http://head:8001"),
        (&[("SRT_FRONTEND_HOST", "fe80::1"), ("SRT_FRONTEND_PORT", "8001")], "http://[fe80::1]:8001"),
        (&[("SRT_FRONTEND_PORT", "8001"), ("PORT", "9000")], "http://localhost:8001"),
        (&[("AIPERF_SERVER_URL", "https://x/"), ("SRT_FRONTEND_HOST", "head")], "https://x"),
    ];
    let Some(client) = Client::new() else { return };
    for ((variables, expected), plan) in table.iter().zip(client.plans(&table.map(|(variables, _)| variables))) {
        assert_eq!(plan.exit, 0, "{variables:?}: {}", plan.stderr);
        assert_eq!(plan.flag("--url").unwrap(), [*expected], "{variables:?}");
    }
}
