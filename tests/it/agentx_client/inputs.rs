//! The environment: what must be there, what it may hold, and what it changes in the command.

use std::fs;

use super::support::{Client, Variables};
use crate::support::repository;

#[test]
fn missing_variables_are_named_all_at_once() {
    let Some(mut client) = Client::new() else { return };
    let names = [
        "MODEL",
        "MODEL_PREFIX",
        "FRAMEWORK",
        "PRECISION",
        "CONC",
        "RESULT_FILENAME",
        "DURATION",
        "RESULT_DIR",
        "EVAL_ONLY",
    ];
    for (index, name) in names.into_iter().enumerate() {
        // Empty is as good as missing.
        client = if index % 2 == 0 { client.unset(name) } else { client.set(name, "") };
    }
    let output = client.set("AIPERF_DRAIN_POLL_SECONDS", "soon").run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains(&format!("are not set: {}\n", names.join(" "))), "{}", output.stderr);
    assert!(
        output.stderr.contains("AIPERF_DRAIN_POLL_SECONDS is 'soon'"),
        "with what else is wrong: {}",
        output.stderr
    );
    assert!(output.stderr.ends_with("agentx: nothing was started\n"), "{}", output.stderr);
}

#[test]
fn a_bad_list_stops_the_client_before_anything_starts() {
    let bug = "a list was put into a text on its way here";
    let table = [
        ("Array", "'Array'", true),
        ("Object", "'Object'", true),
        ("[16, 24]", "'[16,' '24]'", true),
        ("16,24", "'16,24'", true),
        ("4 [8]", "'[8]'", true),
        ("{8}", "'{8}'", true),
        ("0", "'0'", false),
        ("-1", "'-1'", false),
        ("1.5", "'1.5'", false),
        ("4 08", "'08'", false),
        ("4 +8", "'+8'", false),
        ("4 8x", "'8x'", false),
        ("4 *", "'*'", false),
        ("4 \u{664}", "'??'", false),
    ];
    let Some(client) = Client::new() else { return };
    let cases = table.map(|(list, _, _)| [("CONC_LIST", list)]);
    for ((list, named, explained), plan) in table.iter().zip(client.plans(&cases.each_ref().map(|case| &case[..]))) {
        assert_eq!(plan.exit, 1, "{list}: {}", plan.stderr);
        assert!(plan.stderr.contains(&format!("{named} is no concurrency")), "{list}: {}", plan.stderr);
        assert_eq!(plan.stderr.contains(bug), *explained, "{list}: {}", plan.stderr);
    }
    let others = client.plans(&[&[("CONC_LIST", "")], &[("CONC_LIST", "  ")], &[("CONC_LIST", "4 8 4")]]);
    let said = ["CONC_LIST is '', expected", "CONC_LIST is '  ', expected", "CONC_LIST is '4 8 4' and names '4' twice"];
    for (said, plan) in said.iter().zip(others) {
        assert_eq!(plan.exit, 1, "{}", plan.stderr);
        assert!(plan.stderr.contains(said), "{}", plan.stderr);
    }

    let client = client.set("CONC", "[[16]]");
    let output = client.run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("CONC is '[[16]]'") && output.stderr.contains(bug), "{}", output.stderr);
    assert_eq!(client.events(), [""; 0]);
}

#[test]
fn a_value_cannot_forge_a_line_of_the_log() {
    let Some(client) = Client::new() else { return };
    let output = client.set("CONC", "4\n::error::forged").run();
    assert_eq!(output.exit, 1);
    assert!(output.stderr.contains("'4?::error::forged'"), "{}", output.stderr);
}

/// A concurrency is a number in the one spelling that all of its consumers share.
#[test]
fn exactly_the_whole_numbers_from_one_on_are_concurrencies() {
    let Some(client) = Client::new() else { return };
    let parts =
        ["", "0", "1", "9", "16", "128", "-", "+", ".", ",", "e3", "x", "[", "]", "Array", "\u{665}", " ", "\n", "\t"];
    let mut words = Vec::new();
    for first in parts {
        for second in parts {
            for third in ["", "7"] {
                words.push(format!("{first}{second}{third}"));
            }
        }
    }
    let folder = repository().join("benchmarks/agentx");
    let script = format!(
        "set -euo pipefail\nLC_ALL=C\n. '{0}/report.sh'\n. '{0}/inputs.sh'\n\
         while IFS= read -r -d '' CONC; do PROBLEMS=(); check_concurrencies CONC \"$CONC\"; echo \"${{#PROBLEMS[@]}}\"; done <words\n",
        folder.display()
    );
    fs::write(client.path("check.sh"), script).unwrap();
    fs::write(client.path("words"), words.iter().map(|word| format!("{word}\0")).collect::<String>()).unwrap();
    let output = client.command(client.path("check.sh").as_ref()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let verdicts = String::from_utf8(output.stdout).unwrap();
    assert_eq!(verdicts.lines().count(), words.len());
    for (word, verdict) in words.iter().zip(verdicts.lines()) {
        let allowed = !word.is_empty() && !word.starts_with('0') && word.bytes().all(|byte| byte.is_ascii_digit());
        assert_eq!(verdict == "0", allowed, "{word:?}");
    }
}

#[test]
fn options_become_flags() {
    let table: [(Variables<'_>, &str, Option<&[&str]>); 28] = [
        (&[], "--max-context-length", None),
        (&[("MAX_MODEL_LEN", "8192")], "--max-context-length", None),
        (
            &[("MAX_MODEL_LEN", "8192"), ("AIPERF_MAX_CONTEXT_LENGTH", "262144")],
            "--max-context-length",
            Some(&["262144"]),
        ),
        (&[("AIPERF_EXPERIMENTAL_FAST", "1")], "--benchmark-duration", Some(&["1200"])),
        (&[("AIPERF_EXPERIMENTAL_FAST", "1")], "--warmup-requests-per-lane", Some(&["1"])),
        (&[("AIPERF_EXPERIMENTAL_FAST", "1"), ("DURATION", "60")], "--unsafe-override", None),
        (&[("AIPERF_EXPERIMENTAL_FAST", "0")], "--benchmark-duration", Some(&["3600"])),
        (&[], "--apply-chat-template", None),
        (&[("AIPERF_APPLY_CHAT_TEMPLATE", "false")], "--apply-chat-template", None),
        (&[("AIPERF_APPLY_CHAT_TEMPLATE", "true")], "--apply-chat-template", Some(&[])),
        (&[], "--benchmark-grace-period", None),
        (&[("AIPERF_BENCHMARK_GRACE_PERIOD", "30")], "--benchmark-grace-period", Some(&["30"])),
        (&[("AGENTIC_WARMUP_GRACE_PERIOD", "3600")], "--warmup-grace-period", Some(&["3600"])),
        (&[("AIPERF_TRACE_IDLE_GAP_CAP_SECONDS", "7.5")], "--trace-idle-gap-cap-seconds", Some(&["7.5"])),
        (&[("AIPERF_LIVE_FAILED_REQUEST_THRESHOLD", "0.5")], "--failed-request-threshold", Some(&["0.5"])),
        (&[], "--extra-inputs", None),
        (&[("AIPERF_EXTRA_INPUTS", "{\"a\": \"$(b) *\"}")], "--extra-inputs", Some(&["{\"a\": \"$(b) *\"}"])),
        (&[("DURATION", "900")], "--unsafe-override", None),
        (&[("DURATION", "899")], "--unsafe-override", Some(&[])),
        (&[("AIPERF_UNSAFE_OVERRIDE", "true")], "--unsafe-override", Some(&[])),
        (&[("SERVED_MODEL_NAME", "wire")], "--model", Some(&["wire"])),
        (&[("SERVED_MODEL_NAME", "wire")], "--tokenizer", Some(&["org/model"])),
        (&[("FRAMEWORK", "dynamo-vllm")], "--use-dynamo-conv-aware-routing", Some(&[])),
        (&[("FRAMEWORK", "dynamo-vllm")], "--dynamo-session-timeout-seconds", Some(&["3600"])),
        (
            &[("FRAMEWORK", "dynamo-trt"), ("AIPERF_DYNAMO_SESSION_TIMEOUT_SECONDS", "14400")],
            "--dynamo-session-timeout-seconds",
            Some(&["14400"]),
        ),
        (&[("FRAMEWORK", "vllm")], "--use-dynamo-conv-aware-routing", None),
        (
            &[("FRAMEWORK", "dynamo-vllm"), ("AIPERF_USE_DYNAMO_CONV_AWARE_ROUTING", "0")],
            "--use-dynamo-conv-aware-routing",
            None,
        ),
        (
            &[("FRAMEWORK", "dynamo-vllm"), ("AIPERF_HTTP_X_DYNAMO_SESSION_ID_FROM_CORRELATION_ID", "true")],
            "--dynamo-session-timeout-seconds",
            None,
        ),
    ];
    let Some(client) = Client::new() else { return };
    for ((variables, flag, expected), plan) in table.iter().zip(client.plans(&table.map(|(variables, ..)| variables))) {
        assert_eq!(plan.exit, 0, "{variables:?}: {}", plan.stderr);
        assert_eq!(plan.flag(flag).as_deref(), *expected, "{flag} with {variables:?}");
    }
}

#[test]
fn the_trace_set_follows_the_model_family_or_the_override() {
    let set = "semianalysis_cc_traces_weka";
    let hub = "semianalysisai/cc-traces-weka";
    let table = [
        ("dsv4", "", "062126", "062126"),
        ("glm5.2", "", "062126", "062126"),
        ("minimaxm3", "", "062126", "062126"),
        ("kimik3", "", "062126", "062126"),
        ("glm5.1", "", "062126_256k", "062126-256k"),
        ("kimik2.5", "", "062126_256k", "062126-256k"),
        ("dsv4", "062126_256k", "062126_256k", "062126-256k"),
        ("qwen3.5", "061326", "061326", "061326"),
        ("qwen3.5", "061526_256k", "061526_256k", "061526-256k"),
        ("qwen3.5", "060826", "060826", "with-subagents-060826"),
        ("qwen3.5", "with_subagents_060526_256k", "with_subagents_060526_256k", "with-subagents-060526-256k"),
        ("qwen3.5", "with_subagents_060226", "with_subagents_060226", "with-subagents-060226"),
        ("qwen3.5", "with_subagents", "with_subagents", "061526"),
        ("qwen3.5", "with_subagents_256k", "with_subagents_256k", "061526-256k"),
    ];
    let Some(client) = Client::new() else { return };
    let named = |chosen: &str| if chosen.is_empty() { String::new() } else { format!("{set}_{chosen}") };
    let overrides = table.map(|(_, chosen, ..)| named(chosen));
    let cases: Vec<[(&str, &str); 2]> = std::iter::zip(&table, &overrides)
        .map(|((prefix, ..), chosen)| [("MODEL_PREFIX", *prefix), ("WEKA_LOADER_OVERRIDE", chosen.as_str())])
        .collect();
    let cases: Vec<Variables<'_>> = cases.iter().map(|case| &case[..]).collect();
    for ((prefix, chosen, loader, data_set), plan) in table.iter().zip(client.plans(&cases)) {
        assert_eq!(plan.flag("--public-dataset").unwrap(), [format!("{set}_{loader}")], "{prefix} {chosen}");
        assert_eq!(plan.arguments.last().unwrap(), &format!("data set: {hub}-{data_set}"));
    }
}

#[test]
fn an_unknown_trace_set_lists_the_known_ones() {
    for name in
        ["semianalysis_cc_traces_weka_010101", "semianalysis_cc_traces_weka_062126 semianalysis_cc_traces_weka_061326"]
    {
        let Some(client) = Client::new() else { return };
        let output = client.set("WEKA_LOADER_OVERRIDE", name).run();
        assert_eq!(output.exit, 1);
        assert!(
            output.stderr.contains(&format!("WEKA_LOADER_OVERRIDE is '{name}', which is no trace set")),
            "{}",
            output.stderr
        );
        for known in ["semianalysis_cc_traces_weka_062126_256k", "semianalysis_cc_traces_weka_with_subagents_060226"] {
            assert!(output.stderr.contains(known), "{}", output.stderr);
        }
    }
}

#[test]
fn values_that_mean_nothing_are_named() {
    let table = [
        ("AIPERF_MAX_CONTEXT_LENGTH", "0"),
        ("AIPERF_MAX_CONTEXT_LENGTH", "1e6"),
        ("DURATION", "1h"),
        ("DURATION", "0900"),
        ("AIPERF_FAILED_REQUEST_THRESHOLD", "10"),
        ("AIPERF_LIVE_FAILED_REQUEST_THRESHOLD", "-0.1"),
        ("AIPERF_EXPERIMENTAL_FAST", "yes please"),
        ("AIPERF_APPLY_CHAT_TEMPLATE", "2"),
        ("EVAL_ONLY", "maybe"),
        ("IS_MULTINODE", "maybe"),
        ("AIPERF_BENCHMARK_GRACE_PERIOD", "-1"),
        ("AIPERF_DRAIN_TIMEOUT_SECONDS", "inf"),
        ("AGENTX_WITHOUT_SRTX", "yes"),
        ("RESULT_FILENAME", "../row"),
        ("AIPERF_SERVICE_PROFILE_CONFIGURE_TIMEOUT", "60"),
    ];
    let Some(client) = Client::new() else { return };
    let cases = table.map(|case| [case]);
    for ((name, value), plan) in table.iter().zip(client.plans(&cases.each_ref().map(|case| &case[..]))) {
        assert_eq!(plan.exit, 1, "{name}={value}: {}", plan.stderr);
        assert!(plan.stderr.contains(&format!("error: {name} is ")), "{name}={value}: {}", plan.stderr);
        assert!(plan.stderr.contains(value), "{name}={value}: {}", plan.stderr);
    }
}

#[test]
fn the_hub_token_is_passed_on_and_never_shown() {
    let Some(client) = Client::new() else { return };
    let client = client.set("HF_TOKEN", "hf_hidden");
    let output = client.run();
    assert_eq!(output.exit, 0);
    assert!(!format!("{}{}", output.stdout, output.stderr).contains("hf_hidden"));
    assert_eq!(client.replay_variable("HF_TOKEN").unwrap(), "hf_hidden");
    for file in ["benchmark.log", "benchmark_command.txt"] {
        assert!(!client.read(&format!("logs/agentic/{file}")).contains("hf_hidden"), "{file}");
    }
}

#[test]
fn the_readme_names_every_variable() {
    let folder = repository().join("benchmarks");
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let mut files = vec![folder.join("srt_agentic.sh")];
    files.extend(fs::read_dir(folder.join("agentx")).unwrap().map(|entry| entry.unwrap().path()));
    let mut named = 0;
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "sh")) {
        let text = fs::read_to_string(file).unwrap();
        for word in text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_') {
            let ours = ["AIPERF_", "AGENTX_", "AGENTIC_", "SRT_", "SRTX_", "SRTCTL_"]
                .iter()
                .any(|start| word.starts_with(start));
            if ours {
                named += 1;
                assert!(readme.contains(&format!("`{word}`")), "{word} of {}", file.display());
            }
        }
    }
    assert!(named > 50, "{named}");
}
