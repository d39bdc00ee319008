//! `srtx-gh recipe`, word for word.
//!
//! Each folder of `tests/golden/recipe` is a case: `args` is the command line, `exit` the exit code (default 0), every
//! `.yaml` an input, `stdout.txt` and `stderr.txt` what is printed, and `after-NAME` a file as it is afterwards.
//! `SRTX_BLESS=1 cargo test recipe` writes them anew: read them before you commit them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Output, command, finish, folder_with, repository, run};

struct Case {
    folder: PathBuf,
    args: Vec<String>,
    exit: i32,
}

fn cases() -> Vec<Case> {
    let root = repository().join("tests/golden/recipe");
    let mut folders: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let read = |folder: PathBuf| Case {
        args: fs::read_to_string(folder.join("args")).unwrap().split_whitespace().map(str::to_owned).collect(),
        exit: fs::read_to_string(folder.join("exit")).map_or(0, |text| text.trim().parse().unwrap()),
        folder,
    };
    folders.into_iter().map(read).collect()
}

fn names_in(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

impl Case {
    fn stage(&self) -> tempfile::TempDir {
        let staged = tempfile::tempdir().unwrap();
        for name in names_in(&self.folder).iter().filter(|name| is_input(name)) {
            fs::copy(self.folder.join(name), staged.path().join(name)).unwrap();
        }
        staged
    }

    fn run(&self, staged: &Path, before: &[&str]) -> Output {
        finish(command(staged).args(before).args(&self.args))
    }
}

fn is_input(name: &str) -> bool {
    name.ends_with(".yaml") && !name.starts_with("after-")
}

#[test]
fn recipe_commands_print_as_recorded() {
    let bless = std::env::var_os("SRTX_BLESS").is_some_and(|value| value == "1");
    let mut wrong = Vec::new();
    for case in cases() {
        let name = case.folder.file_name().unwrap().to_str().unwrap().to_owned();
        let staged = case.stage();
        let output = case.run(staged.path(), &[]);
        if output.exit != case.exit {
            wrong.push(format!("{name}: exit {}, expected {}\n{}", output.exit, case.exit, output.stderr));
        }
        let mut actual = vec![("stdout.txt".to_owned(), output.stdout), ("stderr.txt".to_owned(), output.stderr)];
        for file in names_in(staged.path()) {
            let after = fs::read_to_string(staged.path().join(&file)).unwrap();
            if fs::read_to_string(case.folder.join(&file)).ok().as_ref() != Some(&after) {
                actual.push((format!("after-{file}"), after));
            }
        }
        for (file, text) in &actual {
            let recorded = fs::read_to_string(case.folder.join(file)).unwrap_or_default();
            if bless && recorded != *text {
                fs::write(case.folder.join(file), text).unwrap();
            } else if recorded != *text {
                wrong.push(format!("{name}: {file} differs\n--- recorded\n{recorded}--- now\n{text}"));
            }
        }
        for file in names_in(&case.folder) {
            let is_known = matches!(file.as_str(), "args" | "exit") || is_input(&file);
            if !is_known && !actual.iter().any(|(written, _)| *written == file) && !bless {
                wrong.push(format!("{name}: {file} is recorded and was not written"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn recipe_diagnostics_are_complete_for_programs() {
    let mut seen = BTreeSet::new();
    for case in cases() {
        let staged = case.stage();
        let output = case.run(staged.path(), &["--diagnostics", "json"]);
        let found = output.diagnostics();
        let errors = found.iter().filter(|one| one["severity"] == "error").count();
        assert_eq!(errors > 0, case.exit != 0, "{:?}: {found:?}", case.args);
        for one in &found {
            seen.insert(one["code"].as_str().unwrap().to_owned());
            let is_text = |name: &str| one[name].as_str().is_some_and(|text| !text.is_empty() && !text.ends_with('.'));
            assert!(is_text("message") && is_text("help"), "{:?}: {one}", case.args);
            let is_note = one["severity"] == "note";
            let has_path =
                one["path"].is_string() || is_note || matches!(one["code"].as_str(), Some("SRTX0104" | "SRTX0209"));
            assert!(has_path, "{:?}: {one}", case.args);
        }
    }
    let list = run(&repository(), "explain --list").stdout;
    let codes = list.lines().filter_map(|line| line.split_once("  ")).map(|(code, _)| code);
    let ours: Vec<&str> = codes.filter(|code| ("SRTX0901".."SRTX0950").contains(code)).collect();
    // A recipe that is too large when expanded is too large for a folder of cases: it is made below.
    let unseen: Vec<&&str> = ours.iter().filter(|code| !seen.contains(**code) && **code != "SRTX0904").collect();
    assert!(ours.len() > 20 && unseen.is_empty(), "no golden case shows {unseen:?}");
}

#[test]
fn what_grows_without_bounds_is_refused_quickly() {
    let keys: String = (0..200).map(|i| format!("  k{i}: 1\n")).collect();
    let group = format!("base: {{}}\nzip_override_z:\n{keys}  list: [{}]\n", "1, ".repeat(9_000));
    let mut aliases = String::from("base:\n  a0: &a0 {k: 1}\n");
    for level in 1..30 {
        aliases.push_str(&format!("  a{level}: &a{level} {{x: *a{}, y: *a{}}}\n", level - 1, level - 1));
    }
    let sections: String = (0..2_000).map(|i| format!("override_{i}: {{name: x}}\n")).collect();
    let wide: String = (0..6_000).map(|i| format!("  key_{i}: value_{i}\n")).collect();
    let folder = folder_with(&[
        ("group.yaml", &group),
        ("aliases.yaml", &aliases),
        ("wide.yaml", &format!("base:\n{wide}{sections}")),
        ("deep.yaml", &format!("a: {}", "[".repeat(100_000))),
    ]);
    let cases = [
        ("recipe list group.yaml", "SRTX0904"),
        ("recipe resolve aliases.yaml", "SRTX0105"),
        ("recipe resolve wide.yaml", "SRTX0904"),
        ("recipe list deep.yaml", "SRTX0105"),
    ];
    for (line, code) in cases {
        let start = std::time::Instant::now();
        let output = run(folder.path(), &format!("--diagnostics json {line}"));
        assert!(start.elapsed().as_secs() < 20, "{line} took {:?}", start.elapsed());
        assert_eq!((output.exit, output.stdout.as_str()), (1, ""), "{line}");
        assert!(output.stderr.contains(code), "{line}: {}", output.stderr);
    }
}

#[test]
fn nothing_is_written_when_the_input_is_wrong() {
    let folder = folder_with(&[("a.yaml", "name: a\n"), ("b.yaml", "base: {}\n")]);
    fs::write(folder.path().join("latin.yaml"), b"name: caf\xe9\n").unwrap();
    for line in [
        "recipe consolidate a.yaml b.yaml --out out.yaml --write-map map.json",
        "recipe consolidate a.yaml latin.yaml --out out.yaml",
        "recipe consolidate a.yaml missing.yaml --out out.yaml",
        "recipe resolve latin.yaml",
        "recipe validate missing.yaml",
    ] {
        let output = run(folder.path(), &format!("--diagnostics json {line}"));
        assert_eq!(output.exit, 1, "{line}");
        assert!(output.diagnostics().iter().any(|one| one["severity"] == "error" && one["file"].is_string()), "{line}");
        assert!(!folder.path().join("out.yaml").exists() && !folder.path().join("map.json").exists(), "{line}");
    }
    let usage = run(folder.path(), "recipe override a.yaml:base");
    assert_eq!((usage.exit, usage.stdout.as_str()), (2, ""));
}

#[test]
fn bundles_by_config_are_one_file_each() {
    let configs = "one:\n  runs: [CONFIG_FILE=recipes/x/a.yaml, CONFIG_FILE=recipes/x/b.yaml]\n\
                   two:\n  runs: [{srt-recipe: recipes/x/c.yaml}]\n";
    let flat = |name: &str| format!("name: {name}\nmodel: {{path: p}}\n");
    let folder = folder_with(&[
        ("master.yaml", configs),
        ("recipes/x/a.yaml", &flat("a")),
        ("recipes/x/b.yaml", &flat("b")),
        ("recipes/x/c.yaml", &flat("c")),
        ("recipes/x/d.yaml", &flat("d")),
    ]);
    let files = "recipes/x/a.yaml recipes/x/b.yaml recipes/x/c.yaml recipes/x/d.yaml";
    let line = format!(
        "--diagnostics json recipe consolidate {files} --by-config master.yaml --out-dir recipes --write-map map.json"
    );
    let output = run(folder.path(), &line);
    assert_eq!(output.exit, 0, "{}", output.stderr);
    let reports = output.json();
    assert_eq!(reports[0]["file"], "recipes/one.yaml");
    assert_eq!(reports[1]["selectors"]["recipes/x/c.yaml"], "override_c");
    assert!(output.stderr.contains("no config references recipes/x/d.yaml"), "{}", output.stderr);
    let verify = "recipe verify recipes/one.yaml --against recipes/x/a.yaml recipes/x/b.yaml --map @map.json --rewrite-configs master.yaml";
    let output = run(folder.path(), verify);
    assert_eq!((output.exit, output.json()["verified"].as_i64()), (0, Some(2)), "{}", output.stderr);
    let rewritten = fs::read_to_string(folder.path().join("master.yaml")).unwrap();
    let expected = configs
        .replace("recipes/x/a.yaml", "recipes/one.yaml:override_a")
        .replace("recipes/x/b.yaml", "recipes/one.yaml:override_b");
    assert_eq!(rewritten, expected);
}
