//! The rules of `lint`: one pair of trees for each, and how findings are taken away and printed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value as Json;
use srtx::core::diag::{Place, Source};
use srtx::core::lint::{RULES, Tree, lint, render_sarif};

use super::support::{command, finish, folder_with, repository, run};

fn golden() -> PathBuf {
    repository().join("tests/golden/lint")
}

/// The findings of a tree, a line each, and what people are told of them.
fn found(tree: &str) -> (Vec<Json>, i32) {
    let output = run(&golden().join(tree), "lint --format json");
    (output.json().as_array().unwrap().clone(), output.exit)
}

fn shown(findings: &[Json]) -> String {
    let mut text = String::new();
    for finding in findings {
        let part = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
        let _ = writeln!(
            text,
            "{}:{}:{} {}[{}] {}",
            part("file"),
            finding["line"],
            finding["column"],
            part("severity"),
            part("code"),
            part("message")
        );
        for help in part("help").lines() {
            let _ = writeln!(text, "  help: {help}");
        }
    }
    text
}

#[test]
fn every_rule_finds_what_is_wrong_and_leaves_what_is_right() {
    let mut problems = Vec::new();
    for rule in RULES {
        let file = golden().join(rule.name).join("expected.txt");
        for side in ["bad", "good"] {
            if !golden().join(rule.name).join(side).join(".github").is_dir() {
                problems.push(format!("{}: there is no tree `{side}` with a folder `.github`", rule.name));
            }
        }
        if !problems.is_empty() {
            continue;
        }
        let (bad, _) = found(&format!("{}/bad", rule.name));
        let (good, exit) = found(&format!("{}/good", rule.name));
        if !good.is_empty() || exit != 0 {
            problems.push(format!("{}: the good tree is found wrong:\n{}", rule.name, shown(&good)));
        }
        if bad.is_empty() || bad.iter().any(|finding| finding["rule"] != rule.name) {
            problems.push(format!("{}: the bad tree gives other findings:\n{}", rule.name, shown(&bad)));
        }
        let text = shown(&bad);
        if std::env::var_os("SRTX_BLESS").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
        if expected != text {
            problems.push(format!("{}: expected\n{expected}found\n{text}", rule.name));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_pair_belongs_to_a_rule() {
    let known: BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
    for entry in std::fs::read_dir(golden()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(known.contains(name.as_str()), "{name}");
    }
}

#[test]
fn our_own_repository_is_clean() {
    let output = run(&repository(), "lint --format json");
    assert_eq!((output.stdout.trim(), output.exit), ("[]", 0), "{}", output.stderr);
}

const BAD: &str = "on: push\njobs:\n  a:\n    if: matrix.x\n    runs-on: ubuntu-latest\n    steps: [{run: ls}]\n";

#[test]
fn a_finding_is_allowed_by_code_comment_or_baseline() {
    let folder = folder_with(&[(".github/workflows/a.yml", BAD)]);
    let output = run(folder.path(), "lint --format json");
    assert_eq!(output.exit, 1);
    let finding = &output.json()[0];
    assert_eq!((&finding["rule"], &finding["code"]), (&"context-unavailable".into(), &"SRTX0726".into()));
    assert_eq!((&finding["file"], &finding["line"]), (&".github/workflows/a.yml".into(), &4.into()));
    assert_eq!(run(folder.path(), "lint --format json --allow SRTX0726").exit, 0);
    assert_eq!(run(folder.path(), "lint --write-baseline known.json").exit, 0);
    assert_eq!(run(folder.path(), "lint --format json --baseline known.json").stdout, "[]\n");
    let commented = BAD.replace("matrix.x\n", "matrix.x # srtx: allow SRTX0726 the file is a fixture\n");
    std::fs::write(folder.path().join(".github/workflows/a.yml"), commented).unwrap();
    assert_eq!(run(folder.path(), "lint --format json").stdout, "[]\n");
}

#[test]
fn every_format_fails_alike() {
    let folder = folder_with(&[(".github/workflows/a.yml", BAD)]);
    for (format, expected) in [
        ("human", "error[SRTX0726]"),
        ("github", "::error file=.github/workflows/a.yml,line=4,col=9"),
        ("json", "\"rule\":\"context-unavailable\""),
        ("sarif", "\"ruleId\":\"SRTX0726\""),
    ] {
        let output = run(folder.path(), &format!("lint --format {format}"));
        assert!(output.stdout.contains(expected), "{format}: {}", output.stdout);
        assert_eq!((output.exit, output.stderr.as_str()), (1, ""), "{format}");
    }
    let output = run(folder.path(), "lint --format sarif --diagnostics json");
    assert_eq!(output.diagnostics().len(), 1);
}

#[test]
fn a_part_of_a_checkout_is_judged_with_the_rest() {
    let folder = folder_with(&[(".github/workflows/a.yml", BAD), (".github/workflows/b.yml", BAD)]);
    let output = run(folder.path(), "lint .github/workflows/b.yml --format json");
    let findings = output.json();
    assert_eq!(findings.as_array().unwrap().len(), 1);
    assert_eq!(findings[0]["file"], ".github/workflows/b.yml");
    assert_eq!(run(folder.path(), "lint .github --format json").json().as_array().unwrap().len(), 2);
}

#[test]
fn what_cannot_be_read_is_noted_and_nothing_panics() {
    let folder = folder_with(&[("runners/launch_a.sh", "\u{0}\u{1}binary"), (".github/workflows/x.yml", "a: [")]);
    std::fs::write(folder.path().join(".github/workflows/y.yml"), [0xff, 0xfe, 0x41]).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", folder.path().join("runners/loop")).unwrap();
    let output = run(folder.path(), "lint --format json");
    let findings = output.json();
    let severities: Vec<(&str, &str)> = findings
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| (finding["file"].as_str().unwrap(), finding["severity"].as_str().unwrap()))
        .collect();
    let expected =
        [(".github/workflows/x.yml", "error"), (".github/workflows/y.yml", "note"), ("runners/launch_a.sh", "note")];
    assert_eq!(severities, expected);
    assert_eq!(output.exit, 1);
    let empty = folder_with(&[("README", "x")]);
    assert_eq!(run(empty.path(), "lint --format json").stdout, "[]\n");
    assert_eq!(run(empty.path(), "lint nowhere").exit, 1);
    assert_eq!(run(empty.path(), "lint --allow SRTX7777").exit, 2);
}

#[test]
fn the_action_annotates_and_takes_codes_with_commas() {
    let folder = folder_with(&[(".github/workflows/a.yml", BAD)]);
    let act = |env: &[(&str, &str)]| {
        let mut command = command(folder.path());
        command.args(["action", "lint"]).env("GITHUB_ACTIONS", "true");
        finish(command.envs(env.iter().copied()))
    };
    let output = act(&[("SRTX_ALLOW", ""), ("SRTX_BASELINE", " ")]);
    let annotations = output.stdout.lines().filter(|line| line.starts_with("::")).count();
    assert_eq!((output.exit, annotations), (1, 1), "{}", output.stdout);
    assert_eq!(act(&[("SRTX_ALLOW", "SRTX0725, SRTX0726")]).exit, 0);
    assert_eq!(act(&[("SRTX_ALLOW", "nothing")]).exit, 2);
}

#[test]
fn folders_that_are_checkouts_of_their_own_are_left_alone() {
    let inner = "vendor/other/.github/workflows/b.yml";
    let action = "vendor/other/action.yml";
    let folder = folder_with(&[(".github/workflows/a.yml", ""), (inner, BAD), (action, "x: [")]);
    std::fs::remove_file(folder.path().join(".github/workflows/a.yml")).unwrap();
    assert_eq!(run(folder.path(), "lint --format json").stdout, "[]\n");
    assert_eq!(run(folder.path(), "lint vendor/other --format json").json().as_array().unwrap().len(), 2);
}

#[test]
fn a_baseline_that_cannot_be_used_is_refused() {
    let folder = folder_with(&[("known.json", "[]"), (".github/workflows/a.yml", BAD)]);
    for (line, exit) in [("lint --baseline known.json", 1), ("lint --baseline missing.json", 1)] {
        let output = run(folder.path(), &format!("{line} --diagnostics json"));
        assert_eq!((output.exit, output.diagnostics().len(), output.stdout.as_str()), (exit, 1, ""), "{line}");
    }
}

/// Every file of every golden tree.
fn golden_files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut waiting = vec![(golden(), String::new())];
    while let Some((folder, name)) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let base = path.file_name().unwrap().to_str().unwrap().to_owned();
            let name = if matches!(base.as_str(), "bad" | "good") { String::new() } else { format!("{name}/{base}") };
            if path.is_dir() {
                waiting.push((path, name));
            } else {
                files.push((name.trim_start_matches('/').to_owned(), std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// A text with something wrong in it: a line gone, twice or cut, or a character of the grammar where none belongs.
fn spoiled(text: &str, seed: usize) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        return String::new();
    }
    let at = seed / 7 % lines.len();
    match seed % 7 {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        2 => lines[at] = lines[at].chars().take(seed % 31).collect(),
        3 => lines[at] = lines[at].replace("${{", "é${{ "),
        4 => lines[at] = lines[at].replacen(": ", ": [", 1),
        5 => lines[at] = lines[at].replace("}}", " || '' }}"),
        _ => lines.swap(at, 0),
    }
    lines.join("\n")
}

#[test]
fn no_tree_makes_it_panic_and_every_place_is_in_its_file() {
    let files = golden_files();
    assert!(files.len() > 50);
    for seed in 0..100 {
        // Files of several trees at once: they call and shadow each other.
        let some = files.iter().enumerate().filter(|(index, _)| (index * 31 + seed) % 5 == 0);
        let mut names = BTreeSet::new();
        let sources = some.filter(|(_, (name, _))| names.insert(name.as_str())).map(|(index, (name, text))| {
            let text = if (index + seed) % 3 == 0 { spoiled(text, seed * 13 + index) } else { text.clone() };
            Source::new(name.as_str(), text)
        });
        let found = lint(&Tree::new(sources.collect()), &[]);
        for finding in &found {
            if let Place::Span(label) = &finding.diagnostic.place {
                assert!(label.source.text().get(label.span.clone()).is_some(), "{seed}: {finding:?}");
            }
        }
        render_sarif(&found, "1");
    }
}

/// What is wrong with the small tree of launchers, a line each: file, line, code.
const SMALL: [&str; 16] = [
    ".github/workflows/bench.yml:31 SRTX0754",
    ".github/workflows/bench.yml:46 SRTX0762",
    ".github/workflows/bench.yml:58 SRTX0763",
    "benchmarks/single_node/fixed_seq_len/kimi_fp4_gamma.sh:4 SRTX0753",
    "runners/launch_alpha.sh:16 SRTX0752",
    "runners/launch_alpha.sh:33 SRTX0760",
    "runners/launch_alpha.sh:39 SRTX0761",
    "runners/launch_beta.sh:5 SRTX0756",
    "runners/launch_beta.sh:8 SRTX0757",
    "runners/launch_beta.sh:11 SRTX0758",
    "runners/launch_delta.sh:4 SRTX0759",
    "runners/launch_epsilon.sh:1 SRTX0764",
    "runners/launch_gamma.sh:3 SRTX0755",
    "runners/launch_gamma.sh:4 SRTX0751",
    "runners/launch_gamma.sh:6 SRTX0758",
    "utils/clean.sh:4 SRTX0750",
];

#[test]
fn the_small_tree_has_each_shell_fault_at_its_line_and_none_when_corrected() {
    let small = repository().join("tests/golden/lint-trees/small");
    let output = run(&small.join("faulty"), "lint --format json");
    let places: Vec<String> = output
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{}:{} {}", one["file"].as_str().unwrap(), one["line"], one["code"].as_str().unwrap()))
        .collect();
    assert_eq!(places, SMALL);
    let output = run(&small.join("corrected"), "lint --format json");
    assert_eq!((output.stdout.as_str(), output.exit), ("[]\n", 0));
}
