//! The command line as its users see it: exit codes, streams, options and formats.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use indoc::{formatdoc, indoc};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::{Output, command, finish, folder_with, repository, run};

const RUNNERS_2026_08: &str = indoc! {"
    labels:
      h200: [h200-dgxc_00, h200-dgxc_01]
      cluster:h200-dgxc: [h200-dgxc_00, h200-dgxc_01]
    hardware:
      cluster:h200-dgxc: { available-cpu-dram-mib: 1471356, gpus-per-node: 8 }
"};
const RUNNERS_2026_09: &str = indoc! {"
    labels:
      h200: [h200-dgxc_00, h200-dgxc_01]
      cluster:h200-dgxc: [h200-dgxc_00, h200-dgxc_01]
    clusters:
      h200-dgxc: { available-cpu-dram-mib: 1471356, gpus-per-node: 8 }
"};

fn config(key: &str, precision: &str, entries: &str) -> String {
    formatdoc! {"
        {key}:
          image: lmsysorg/sglang:v0.5.9
          model: deepseek-ai/DeepSeek-R1-0528
          model-prefix: dsr1
          precision: {precision}
          framework: sglang
          runner: h200
          multinode: false
          scenarios:
            fixed-seq-len:
            - isl: 1024
              osl: 1024
              search-space: {entries}
    "}
}

/// Two configs of one model, where the defaults look for them.
fn masters() -> String {
    let fp8 = config("dsr1-fp8", "fp8", "[{ tp: 8, conc-list: [4, 8, 16] }]");
    fp8 + &config("dsr1-fp4", "fp4", "[{ tp: 4, conc-list: [4, 8] }]")
}

fn checkout_of(masters: &str) -> TempDir {
    folder_with(&[("configs/nvidia-master.yaml", masters), ("configs/runners.yaml", RUNNERS_2026_08)])
}

fn checkout() -> TempDir {
    checkout_of(&masters())
}

fn newer_checkout() -> TempDir {
    folder_with(&[("configs/nvidia-master.yaml", &masters()), ("configs/runners.yaml", RUNNERS_2026_09)])
}

/// What `matrix full-sweep` makes of these options, which it must accept.
fn sweep(checkout: &TempDir, options: &str) -> Json {
    let output = run(checkout.path(), &format!("matrix full-sweep {options}"));
    assert_eq!(output.exit, 0, "{options}: {}", output.stderr);
    output.json()
}

fn concurrencies(rows: &Json) -> Vec<&Json> {
    rows.as_array().unwrap().iter().map(|row| &row["conc"]).collect()
}

// ---------------------------------------------------------------------------------------------------------------------
// Usage errors

/// Every line is wrong in a way that no file can make right.
const WRONG_LINES: &[&str] = &[
    "",
    "nope",
    "matrix",
    "matrix nope",
    "matrix --max-conc 4 full-sweep",
    "matrix full-sweep extra",
    "matrix full-sweep --nope",
    "matrix full-sweep --max 8",
    "matrix full-sweep --m 8",
    "matrix full-sweep --max-conc",
    "matrix full-sweep --max-conc x",
    "matrix full-sweep --max-conc 1.5",
    "matrix full-sweep --max-conc 1__0",
    "matrix full-sweep --max-conc=",
    "matrix full-sweep --step-size 1",
    "matrix full-sweep --step-size 0",
    "matrix full-sweep --step-size -2",
    "matrix full-sweep --min-conc 8 --max-conc 4",
    "matrix full-sweep --no-evals --evals-only",
    "matrix full-sweep --no-evals --all-evals",
    "matrix full-sweep --seq-lens 2k2k",
    "matrix full-sweep --scenario-type chat",
    "matrix full-sweep --precision",
    "matrix full-sweep --config-keys x",
    "matrix full-sweep --conc 4",
    "matrix full-sweep --rules 2025-01",
    "matrix full-sweep --rules 2026-08 --smoke",
    "matrix full-sweep --rules 2026-08 --trim-conc",
    "matrix full-sweep --rules 2026-09 --smoke --trim-conc",
    "matrix full-sweep --rules 2026-09 --smoke --all-evals",
    "matrix full-sweep --rules 2026-09 --smoke --no-evals",
    "matrix full-sweep --format yaml",
    "matrix full-sweep --shard x",
    "matrix full-sweep --smoke",
    "matrix test-config",
    "matrix test-config --config-keys",
    "matrix test-config --conf x",
    "matrix test-config --config-keys x --max-conc 4",
    "matrix test-config --config-keys x --single-node",
    "matrix test-config --config-keys x --exp-names y --rules 2026-08",
    "point",
    "explain",
    "explain SRTX9999",
    "explain SRTX0203 SRTX0204",
    "explain --list SRTX0203",
    "docs extra",
    "action",
    "action nope",
];

#[test]
fn a_wrong_command_line_exits_2_and_writes_no_data() {
    let checkout = checkout();
    for line in WRONG_LINES {
        let output = run(checkout.path(), line);
        assert_eq!(output.exit, 2, "{line}: {}", output.stderr);
        assert_eq!(output.stdout, "", "{line}");
        assert!(output.stderr.contains("--help") || output.stderr.contains("Usage:"), "{line}: {}", output.stderr);
    }
}

#[test]
fn usage_errors_are_diagnostics_wherever_the_option_stands() {
    let checkout = checkout();
    for line in WRONG_LINES {
        for line in [format!("--diagnostics json {line}"), format!("{line} --diagnostics=json")] {
            let output = run(checkout.path(), &line);
            assert_eq!(output.exit, 2, "{line}: {}", output.stderr);
            assert_eq!(output.stdout, "", "{line}");
            let found = output.diagnostics();
            assert_eq!(found.len(), 1, "{line}: {found:?}");
            assert_eq!((&found[0]["code"], &found[0]["severity"]), (&json!("SRTX0001"), &json!("error")), "{line}");
            assert!(!found[0]["message"].as_str().unwrap().contains('\n'), "{line}: {}", found[0]["message"]);
            assert!(found[0]["help"].as_str().is_some_and(|help| help.contains("--help")), "{line}");
        }
    }
}

#[test]
fn usage_is_checked_before_any_file_is_read() {
    let nothing = folder_with(&[]);
    let usage = run(nothing.path(), "matrix full-sweep --min-conc 8 --max-conc 4");
    assert_eq!(usage.exit, 2, "{}", usage.stderr);
    assert_eq!(run(nothing.path(), "matrix full-sweep --min-conc 4 --max-conc 8").exit, 1);
}

#[test]
fn a_misspelled_option_is_named_with_the_right_one() {
    let output = run(checkout().path(), "--diagnostics json matrix full-sweep --presicion fp8");
    let help = output.diagnostics()[0]["help"].as_str().unwrap().to_owned();
    assert!(help.starts_with("a similar argument exists: '--precision'"), "{help}");
}

#[test]
fn names_that_fit_no_row_are_usage_errors() {
    let checkout = newer_checkout();
    for (names, part) in [("nope", "no row"), ("dsr1_1k1k", "ambiguous"), ("nope nope", "no row")] {
        let line = format!("--diagnostics json matrix test-config --config-keys dsr1-fp8 --exp-names {names}");
        let output = run(checkout.path(), &line);
        assert_eq!((output.exit, &*output.stdout), (2, ""), "{names}: {}", output.stderr);
        assert!(output.diagnostics()[0]["message"].as_str().unwrap().contains(part), "{}", output.stderr);
    }
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8_do_no_harm() {
    use std::os::unix::ffi::OsStrExt as _;
    let word = std::ffi::OsStr::from_bytes(b"\xff.yaml");
    let checkout = checkout();
    let files = finish(command(checkout.path()).args(["matrix", "full-sweep", "--config-files"]).arg(word));
    assert_eq!((files.exit, &*files.stdout), (1, ""), "{}", files.stderr);
    let text = finish(command(checkout.path()).args(["matrix", "full-sweep", "--precision"]).arg(word));
    assert_eq!((text.exit, &*text.stdout), (2, ""), "{}", text.stderr);
}

// ---------------------------------------------------------------------------------------------------------------------
// Help

#[test]
fn help_of_every_command_goes_to_stdout() {
    let nothing = folder_with(&[]);
    for command in ["", "matrix", "matrix full-sweep", "matrix test-config", "point", "explain", "docs", "action"] {
        for flag in ["--help", "-h"] {
            let output = run(nothing.path(), &format!("{command} {flag}"));
            assert_eq!((output.exit, &*output.stderr), (0, ""), "{command} {flag}");
            assert!(output.stdout.contains("Usage: srtx-gh"), "{command} {flag}");
            let wide = output.stdout.lines().find(|line| line.chars().count() > 100);
            assert_eq!(wide, None, "{command} {flag}");
        }
    }
    let version = run(nothing.path(), "--version");
    assert_eq!(version.stdout, format!("srtx-gh {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn every_code_is_explained() {
    let nothing = folder_with(&[]);
    let list = run(nothing.path(), "explain --list").stdout;
    assert!(list.lines().count() > 50);
    for line in list.lines() {
        let (code, title) = line.split_once("  ").unwrap();
        let output = run(nothing.path(), &format!("explain {code}"));
        assert_eq!(output.exit, 0, "{code}");
        assert!(output.stdout.starts_with(&format!("{code}: {title}\n\n")), "{}", output.stdout);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The incumbent's ways with options

#[test]
fn options_may_be_written_in_many_ways() {
    let checkout = checkout();
    for (one, other) in [
        ("--max-c 4", "--max-conc 4"),
        ("--max-conc=4", "--max-conc 4"),
        ("--max-c=4", "--max-conc 4"),
        ("--max-conc +0_4", "--max-conc 4"),
        ("--prec fp8", "--precision fp8"),
        ("--no --prec fp8", "--no-evals --precision fp8"),
        ("--conf configs/nvidia-master.yaml --runner-c configs/runners.yaml", ""),
        // A repeated option replaces the earlier one, a repeated flag says the same again.
        ("--max-conc 16 --max-conc 4", "--max-conc 4"),
        ("--precision fp8 --precision fp4", "--precision fp4"),
        ("--precision fp8 nope --precision fp4", "--precision fp4"),
        ("--no-evals --no-evals --single-node --single-node", "--no-evals --single-node"),
        ("--rules 2026-09 --rules 2026-08", "--rules 2026-08"),
        ("--format table --format json", "--format json"),
        // One-or-more options take all words up to the next option.
        ("--precision fp4 fp8 --max-conc 4", "--max-conc 4"),
        ("--model-prefix dsr1-fp8 dsr1-fp4", ""),
        ("--single-node --multi-node", ""),
    ] {
        assert_eq!(sweep(&checkout, one), sweep(&checkout, other), "{one}");
    }
    assert_ne!(sweep(&checkout, "--precision fp4"), sweep(&checkout, ""));
}

#[test]
fn a_number_may_have_blanks_around_it() {
    let checkout = checkout();
    let output = finish(command(checkout.path()).args(["matrix", "full-sweep", "--max-conc", " 4 "]));
    assert_eq!(output.json(), sweep(&checkout, "--max-conc 4"));
}

#[test]
fn a_negative_number_is_a_value() {
    let checkout = checkout();
    for option in ["--min-conc -1", "--min-conc=-1", "--max-conc -1", "--max-tp -1", "--max-ep -1"] {
        assert_eq!(sweep(&checkout, option), json!([]), "{option}");
    }
}

#[test]
fn own_options_have_no_prefixes() {
    let checkout = checkout();
    for option in ["--rule 2026-08", "--forma json", "--point", "--prov", "--shar 1", "--diag json"] {
        let output = run(checkout.path(), &format!("matrix full-sweep {option}"));
        assert_eq!(output.exit, 2, "{option}: {}", output.stderr);
    }
}

#[test]
fn later_options_have_prefixes_where_the_later_rules_are_asked_for() {
    let checkout = newer_checkout();
    let rules = "--rules 2026-09";
    assert_eq!(sweep(&checkout, &format!("{rules} --sm")), sweep(&checkout, &format!("{rules} --smoke")));
    assert_eq!(run(checkout.path(), "matrix full-sweep --rules 2026-08 --sm").exit, 2);
}

#[test]
fn the_last_word_on_diagnostics_counts() {
    let checkout = checkout();
    let wrong = "matrix full-sweep --config-files nope.yaml";
    for (before, after, is_json) in [
        ("--diagnostics json", "", true),
        ("", "--diagnostics json", true),
        ("--diagnostics json", "--diagnostics human", false),
        ("--diagnostics=human", "--diagnostics=json", true),
        ("", "", false),
    ] {
        let output = run(checkout.path(), &format!("{before} {wrong} {after}"));
        assert_eq!(output.exit, 1, "{before} {after}");
        assert_eq!(output.stderr.starts_with('['), is_json, "{before} {after}: {}", output.stderr);
    }
}

#[test]
fn json_diagnostics_are_an_array_also_when_there_is_nothing_to_say() {
    let output = run(checkout().path(), "--diagnostics json matrix full-sweep");
    assert_eq!((output.exit, output.diagnostics()), (0, vec![]));
}

// ---------------------------------------------------------------------------------------------------------------------
// Formats

#[test]
fn an_empty_matrix_is_a_success() {
    let checkout = checkout();
    for (options, text) in [
        ("--precision nope", "[]\n"),
        ("--precision nope --points", "[]\n"),
        ("--precision nope --format pretty", "[]\n"),
        ("--precision nope --format table", "no jobs\n"),
    ] {
        let output = run(checkout.path(), &format!("matrix full-sweep {options}"));
        assert_eq!((output.exit, &*output.stdout, &*output.stderr), (0, text, ""), "{options}");
    }
}

#[test]
fn json_is_one_line_in_the_incumbents_style_and_pretty_is_the_same_data() {
    let checkout = checkout_of(&config("dsr1-été", "'fp8 😀'", "[{ tp: 8.0, conc-list: [18446744073709551617] }]"));
    let json = run(checkout.path(), "matrix full-sweep").stdout;
    assert!(json.ends_with("}]\n") && json.lines().count() == 1 && json.is_ascii(), "{json}");
    for part in ["\"fp8 \\ud83d\\ude00\"", "\"tp\": 8.0, ", "\"conc\": 18446744073709551617, "] {
        assert!(json.contains(part), "{part}: {json}");
    }
    let pretty = run(checkout.path(), "matrix full-sweep --format pretty").stdout;
    for line in ["    \"precision\": \"fp8 😀\",", "    \"tp\": 8.0,", "    \"conc\": 18446744073709551617,"] {
        assert!(pretty.lines().any(|written| written == line), "{line}: {pretty}");
    }
    assert!(pretty.starts_with("[\n  {\n") && pretty.ends_with("\n]\n"));
    let parsed = |text: &str| serde_json::from_str::<Json>(text).unwrap();
    assert_eq!(parsed(&json), parsed(&pretty));
}

#[test]
fn a_table_has_a_line_for_each_entry_and_a_count() {
    let output = run(checkout().path(), "matrix full-sweep --format table");
    let expected = indoc! {"
        CONFIG    LANE         RUNNER  LENGTHS  TOPOLOGY  CONC    SPEC  OFFLOAD  EVALS
        dsr1-fp8  single-node  h200    1k1k     tp8       4,8,16  -     -        -
        dsr1-fp4  single-node  h200    1k1k     tp4       4,8     -     -        -

        5 jobs: 5 single-node
    "};
    assert_eq!(output.stdout, expected);
}

// ---------------------------------------------------------------------------------------------------------------------
// Points

/// By key, the fingerprint of each point.
fn fingerprints(masters: &str) -> BTreeMap<String, String> {
    let points = sweep(&checkout_of(masters), "--points");
    let text = |point: &Json, name: &str| point[name].as_str().unwrap().to_owned();
    let all: BTreeMap<_, _> =
        points.as_array().unwrap().iter().map(|p| (text(p, "key"), text(p, "fingerprint"))).collect();
    assert_eq!(all.len(), points.as_array().unwrap().len(), "keys are unique");
    all
}

fn is_hex(value: &Json, digits: usize) -> bool {
    value.as_str().is_some_and(|text| {
        text.len() == digits && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    })
}

#[test]
fn a_point_is_its_row_and_then_its_identity() {
    let checkout = checkout();
    let rows = sweep(&checkout, "");
    let points = sweep(&checkout, "--points --provenance");
    assert_eq!(rows.as_array().unwrap().len(), points.as_array().unwrap().len());
    for (row, point) in rows.as_array().unwrap().iter().zip(points.as_array().unwrap()) {
        let (row, point) = (row.as_object().unwrap(), point.as_object().unwrap());
        let names: Vec<&str> = point.keys().map(String::as_str).collect();
        let mut expected: Vec<&str> = row.keys().map(String::as_str).collect();
        expected.extend(["key", "fingerprint", "lane", "runs-on", "source"]);
        assert_eq!(names, expected);
        assert!(row.iter().all(|(name, value)| point[name] == *value));
        assert!(is_hex(&point["key"], 16), "{}", point["key"]);
        assert!(is_hex(&point["fingerprint"], 64), "{}", point["fingerprint"]);
        assert_eq!(point["lane"], "single-node");
        assert_eq!(point["runs-on"], json!(["h200"]));
        assert_eq!(point["source"]["file"], "configs/nvidia-master.yaml");
        let names: Vec<&String> = point["source"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["file", "line"]);
    }
    // The entries of the first and of the second config.
    assert_eq!(points[0]["source"]["line"], 13);
    assert_eq!(points[3]["source"]["line"], 26);
    assert!(sweep(&checkout, "--points")[0].get("source").is_none());
}

#[test]
fn keys_and_fingerprints_survive_what_does_not_matter() {
    let before = fingerprints(&masters());
    let fp8 = config("dsr1-fp8", "fp8", "[{ conc-list: [16, 8, 4], tp: 8 }]");
    let reordered = config("dsr1-fp4", "fp4", "[{ tp: 4, conc-list: [8] }, { tp: 4, conc-list: [4] }]") + &fp8;
    assert_eq!(fingerprints(&reordered), before);
    let commented = format!("# moved\n\n{}", masters().replace("tp: 8", "tp: 0x8"));
    assert_eq!(fingerprints(&commented), before);
}

#[test]
fn a_change_of_content_changes_fingerprints_only() {
    let before = fingerprints(&masters());
    for (old, new) in [
        ("sglang:v0.5.9", "sglang:v0.6.0"),
        ("DeepSeek-R1-0528", "DeepSeek-R1"),
        ("tp: 8,", "tp: 8, router: { name: sglang-router, version: 0.3.1 },"),
    ] {
        let after = fingerprints(&masters().replace(old, new));
        assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>(), "{new}");
        let changed = before.iter().filter(|(key, fingerprint)| after[*key] != **fingerprint).count();
        assert_eq!(changed, if old == "tp: 8," { 3 } else { 5 }, "{new}");
    }
}

#[test]
fn a_change_of_identity_changes_the_key() {
    let before = fingerprints(&masters());
    for (old, new) in [
        ("conc-list: [4, 8, 16]", "conc-list: [32, 64, 128]"),
        ("tp: 8", "tp: 16"),
        ("tp: 8", "tp: 8, ep: 8"),
        ("tp: 8", "tp: 8, dp-attn: true"),
        ("tp: 8", "tp: 8, spec-decoding: mtp"),
        ("dsr1-fp8:", "dsr1-fp8-again:"),
    ] {
        let after = fingerprints(&masters().replace(old, new));
        let kept = before.keys().filter(|key| after.contains_key(*key)).count();
        assert_eq!(kept, 2, "{new}: only the points of the other config keep their keys");
    }
}

#[test]
fn shards_make_up_the_plan() {
    let checkout = checkout();
    assert_eq!(sweep(&checkout, "--points --shard 1"), sweep(&checkout, "--points"));
    let output = run(checkout.path(), "matrix full-sweep --points --shard 2");
    assert_eq!((output.exit, &*output.stdout), (1, ""), "{}", output.stderr);
}

// ---------------------------------------------------------------------------------------------------------------------
// Files

#[test]
fn a_file_that_is_too_large_is_refused_at_once() {
    let checkout = checkout();
    let file = std::fs::File::create(checkout.path().join("huge.yaml")).unwrap();
    // A terabyte of nothing: whoever reads it all never comes back.
    if file.set_len(1 << 40).is_err() {
        file.set_len(80 << 20).unwrap();
    }
    let start = Instant::now();
    let output = run(checkout.path(), "--diagnostics json matrix full-sweep --config-files huge.yaml");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!((output.exit, &*output.stdout), (1, ""));
    assert_eq!(output.diagnostics()[0]["code"], "SRTX0103");
}

fn default_files_error(folder: &TempDir) -> String {
    let output = run(folder.path(), "--diagnostics json matrix full-sweep");
    assert_eq!((output.exit, &*output.stdout), (1, ""), "{}", output.stderr);
    let found = output.diagnostics();
    assert_eq!((&found[0]["code"], &found[0]["file"]), (&json!("SRTX0101"), &json!("configs")));
    assert!(found[0]["help"].as_str().unwrap().contains("--config-files"));
    found[0]["message"].as_str().unwrap().to_owned()
}

#[test]
fn without_configs_the_message_says_what_is_missing() {
    assert_eq!(default_files_error(&folder_with(&[])), "the folder configs does not exist");
    assert_eq!(
        default_files_error(&folder_with(&[("configs", "")])),
        "the folder configs is a file, expected a folder"
    );
    let empty = folder_with(&[("configs/runners.yaml", RUNNERS_2026_08)]);
    assert_eq!(default_files_error(&empty), "no file in configs is named *master*.yaml");
}

#[test]
fn default_masters_are_read_in_byte_order() {
    // Jobs that are the same would be kept once, so the precisions differ.
    let one = |key: &str| config(key, key, "[{ tp: 8, conc-list: [4] }]");
    let files = [
        ("configs/b-master.yaml", one("b")),
        ("configs/Z-master.yaml", one("z")),
        ("configs/a-master-2.yaml", one("a")),
        ("configs/a-master.yaml.orig", "- no".to_owned()),
        ("configs/other.yaml", "- no".to_owned()),
        ("configs/runners.yaml", RUNNERS_2026_08.to_owned()),
    ];
    let folder = folder_with(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    let points = sweep(&folder, "--points --provenance");
    let sources: Vec<&Json> = points.as_array().unwrap().iter().map(|point| &point["source"]["file"]).collect();
    assert_eq!(sources, ["configs/Z-master.yaml", "configs/a-master-2.yaml", "configs/b-master.yaml"]);
}

#[test]
fn the_same_job_of_two_configs_is_one_point_with_a_warning() {
    let same =
        config("first", "fp8", "[{ tp: 8, conc-list: [4] }]") + &config("second", "fp8", "[{ tp: 8, conc-list: [4] }]");
    let output = run(checkout_of(&same).path(), "--diagnostics json matrix full-sweep --points");
    assert_eq!((output.exit, output.json().as_array().unwrap().len()), (0, 1), "{}", output.stderr);
    let found = output.diagnostics();
    assert_eq!((found.len(), &found[0]["code"]), (1, &json!("SRTX0310")));
    assert_eq!(found[0]["path"], "second.scenarios.fixed-seq-len[0].search-space[0]");
}

#[test]
fn the_configs_that_are_shipped_make_a_matrix() {
    let output = run(&repository(), "--diagnostics json matrix full-sweep --points");
    assert_eq!(output.exit, 0, "{}", output.stderr);
    assert!(!output.json().as_array().unwrap().is_empty());
    for found in output.diagnostics() {
        let about_b300 = found["message"].as_str().is_some_and(|message| message.contains("`cluster:b300-nv`"));
        assert!(found["code"] == "SRTX0237" && found["severity"] == "warning" && about_b300, "{found}");
    }
}

#[test]
fn generated_files_are_up_to_date() {
    let output = run(&repository(), "docs --check");
    assert_eq!((output.exit, &*output.stdout), (0, ""), "run `srtx-gh docs`: {}", output.stderr);
}

#[test]
fn the_schemas_are_written_where_they_are_missing() {
    let folder = folder_with(&[]);
    let check = run(folder.path(), "docs --check");
    assert_eq!(check.exit, 3, "{}", check.stderr);
    assert!(check.stdout.contains("configs/schema/master.schema.json: out of date\n"), "{}", check.stdout);
    assert!(!folder.path().join("configs").exists(), "a check writes nothing");
}

// ---------------------------------------------------------------------------------------------------------------------
// Environment and streams

fn with_rules(checkout: &TempDir, rules: &str, options: &str) -> Output {
    let line = format!("--diagnostics json matrix full-sweep {options}");
    finish(command(checkout.path()).args(line.split_whitespace()).env("SRTX_RULES", rules))
}

#[test]
fn the_rule_set_comes_from_the_option_the_variable_or_the_runner_file() {
    let (older, newer) = (checkout(), newer_checkout());
    // Only the later rules know --smoke.
    assert_eq!(run(newer.path(), "matrix full-sweep --smoke").exit, 0);
    assert_eq!(run(older.path(), "matrix full-sweep --smoke").exit, 2);
    assert_eq!(with_rules(&newer, "2026-09", "").exit, 0);
    let refused = with_rules(&older, "2026-09", "");
    assert_eq!((refused.exit, &refused.diagnostics()[0]["path"]), (1, &json!("hardware")), "{}", refused.stderr);
    assert_eq!(with_rules(&older, "2026-09", "--rules 2026-08").exit, 0);
    // An action passes every input that was not given as an empty text.
    assert_eq!(with_rules(&older, "", "").exit, 0);
    let nonsense = with_rules(&older, "2027-01", "");
    assert_eq!((nonsense.exit, &*nonsense.stdout), (2, ""));
    assert!(nonsense.diagnostics()[0]["message"].as_str().unwrap().contains("SRTX_RULES"));
}

#[test]
fn on_github_findings_are_annotations_too() {
    let folder = folder_with(&[("configs/a-master.yaml", "a%b: 1\n"), ("configs/runners.yaml", RUNNERS_2026_08)]);
    let output = finish(command(folder.path()).args(["matrix", "full-sweep"]).env("GITHUB_ACTIONS", "true"));
    assert_eq!((output.exit, &*output.stdout), (1, ""));
    let commands: Vec<&str> = output.stderr.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!(commands.len(), 1, "{}", output.stderr);
    let start = "::error file=configs/a-master.yaml,line=1,col=6,endLine=1,endColumn=7,title=SRTX0203 wrong type::";
    assert!(commands[0].starts_with(start) && commands[0].contains("(at a%25b)"), "{}", commands[0]);
}

#[test]
fn colour_is_for_terminals() {
    let output = run(checkout().path(), "matrix full-sweep --config-files nope.yaml");
    assert!(!output.stderr.contains('\u{1b}'), "{:?}", output.stderr);
}

/// Far more than a pipe holds.
fn large_checkout() -> TempDir {
    let list: Vec<String> = (1..=2000).map(|n| n.to_string()).collect();
    checkout_of(&config("large", "fp8", &format!("[{{ tp: 8, conc-list: [{}] }}]", list.join(", "))))
}

fn spawned(folder: &Path, line: &str) -> Command {
    let mut command = command(folder);
    command.args(line.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let checkout = large_checkout();
    for line in [
        "matrix full-sweep",
        "matrix full-sweep --format pretty",
        "matrix full-sweep --points",
        "explain --list",
        "--help",
    ] {
        let mut child = spawned(checkout.path(), line).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        if line.starts_with("matrix") {
            stdout.read_exact(&mut [0; 1]).unwrap();
        }
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let checkout = large_checkout();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let line = "--diagnostics json matrix full-sweep";
    let output = spawned(checkout.path(), line).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let found: Json = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(found[0]["code"], "SRTX0002", "{found}");
}

#[test]
fn warnings_go_to_stderr_and_leave_the_data_alone() {
    let quoted = checkout_of(&masters().replace("tp: 8", "tp: \"8\""));
    let output = run(quoted.path(), "--diagnostics json matrix full-sweep");
    assert_eq!(output.exit, 0);
    assert_eq!(output.json()[0]["tp"], "8", "validation never changes the data");
    let found = output.diagnostics();
    assert_eq!((found.len(), &found[0]["code"]), (1, &json!("SRTX0208")));
}

#[test]
fn ladders_and_limits_work_together() {
    let checkout = checkout_of(&config("ladder", "fp8", "[{ tp: 8, conc-start: 4, conc-end: 100 }]"));
    for (options, expected) in [
        ("", "[4,8,16,32,64,100]"),
        ("--step-size 3", "[4,12,36,100]"),
        ("--min-conc 6", "[6,12,24,48,96,100]"),
        ("--max-conc 20", "[4,8,16,20]"),
        ("--max-conc 2", "[2]"),
        ("--min-conc 101", "[]"),
    ] {
        let rows = sweep(&checkout, options);
        assert_eq!(json!(concurrencies(&rows)).to_string(), expected, "{options}");
    }
}
