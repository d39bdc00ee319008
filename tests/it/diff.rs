//! `diff` on repositories that are made here: what it prints, and what it says about bad input.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use super::support::{self, Output, finish, folder_with, repository};

/// Git without the settings of whoever runs the tests, at a time that does not change.
fn git(folder: &Path, words: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"]).args(words);
    sealed(&mut command, folder);
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Test").env(format!("GIT_{role}_EMAIL"), "test@example.org");
        command.env(format!("GIT_{role}_DATE"), "2026-11-30T12:00:00Z");
    }
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn sealed<'c>(command: &'c mut Command, folder: &Path) -> &'c mut Command {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
    command.env("GIT_CONFIG_GLOBAL", nothing).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_DEFAULT_HASH", "sha1");
    command.env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap())
}

fn commit(folder: &Path, message: &str) -> String {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--allow-empty", "-m", message]);
    git(folder, &["rev-parse", "HEAD"])
}

fn run(folder: &Path, words: &[&str]) -> Output {
    finish(sealed(&mut support::command(folder), folder).arg("diff").args(words))
}

/// The same, with diagnostics for programs.
fn told(folder: &Path, words: &[&str]) -> Output {
    finish(sealed(&mut support::command(folder), folder).args(["--diagnostics", "json", "diff"]).args(words))
}

/// The one diagnostic of a run that ends so.
fn only(folder: &Path, words: &[&str], exit: i32) -> Json {
    let output = told(folder, words);
    assert_eq!(output.exit, exit, "{words:?}: {}", output.stderr);
    let found = output.diagnostics();
    assert_eq!(found.len(), 1, "{words:?}: {}", output.stderr);
    found[0].clone()
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        if from.is_dir() {
            fs::create_dir_all(&to).unwrap();
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

/// Two commits: `before` and `after` of the golden folder.
fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let golden = repository().join("tests/golden/diff");
    git(folder.path(), &["init", "--quiet"]);
    copy(&golden.join("before"), folder.path());
    commit(folder.path(), "before");
    git(folder.path(), &["rm", "-r", "--quiet", "."]);
    copy(&golden.join("after"), folder.path());
    commit(folder.path(), "after");
    folder
}

#[test]
fn golden_diff_of_two_commits_reads_as_recorded() {
    let folder = prepared();
    let expected = repository().join("tests/golden/diff/expected");
    let mut wrong = Vec::new();
    for (format, name) in [("markdown", "diff.md"), ("pretty", "diff.json"), ("table", "diff.txt")] {
        let output = run(folder.path(), &["HEAD~1..HEAD", "--format", format]);
        assert_eq!((output.exit, &*output.stderr), (0, ""), "{format}");
        let path = expected.join(name);
        if std::env::var_os("SRTX_BLESS").is_some() {
            fs::write(&path, &output.stdout).unwrap();
        } else if fs::read_to_string(&path).unwrap_or_default() != output.stdout {
            wrong.push(format!("{}:\n{}", path.display(), output.stdout));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_side_may_be_a_revision_or_the_work_tree() {
    let folder = prepared();
    let json = |words: &[&str]| {
        let output = run(folder.path(), words);
        assert_eq!(output.exit, 0, "{words:?}: {}", output.stderr);
        output.json()
    };
    let whole = json(&["HEAD~1..HEAD"]);
    let head = git(folder.path(), &["rev-parse", "HEAD"]);
    assert_eq!(whole["head"], Json::from(head.clone()));
    // The work tree is that of the last commit.
    let mut of_work_tree = json(&["HEAD~1"]);
    assert_eq!(of_work_tree["head"], Json::Null);
    of_work_tree["head"] = Json::from(head);
    assert_eq!(of_work_tree, whole);
    // A branch that left main before the last commit, and main as the default branch.
    git(folder.path(), &["checkout", "--quiet", "-b", "topic", "HEAD~1"]);
    let nothing = json(&[]);
    assert!(["added", "removed", "changed"].iter().all(|kind| nothing[kind] == Json::Array(vec![])), "{nothing}");
    assert_eq!((&nothing["gpu_hours"], &nothing["gpus"]["added"]), (&Json::from(0), &Json::from(0)));
    assert_eq!(json(&["topic..main"])["added"], whole["added"]);
    assert_eq!(json(&["main...topic"])["changed"], Json::Array(vec![]));
    // The other way round, what was added is removed.
    let reversed = json(&["main..topic"]);
    let keys = |json: &Json, kind: &str| {
        json[kind].as_array().unwrap().iter().map(|point| point["key"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&reversed, "removed"), keys(&whole, "added"));
    assert_eq!(keys(&reversed, "added"), keys(&whole, "removed"));
    // A file that is not committed yet, and a folder below the top.
    let runner = fs::read_to_string(folder.path().join("configs/second-master.yaml")).unwrap();
    fs::write(folder.path().join("configs/second-master.yaml"), runner.replace("three:3.0", "three:3.1")).unwrap();
    let uncommitted = json(&["HEAD"]);
    assert_eq!(uncommitted["changed"][0]["fields"], Json::from(vec!["image"]));
    let below = finish(sealed(&mut support::command(&folder.path().join("recipes")), folder.path()).args([
        "diff",
        "HEAD",
        "--config-files",
        "../configs/first-master.yaml",
        "../configs/second-master.yaml",
        "--runner-config",
        "../configs/runners.yaml",
    ]));
    assert_eq!((below.exit, below.json()["changed"].as_array().unwrap().len()), (0, 5), "{}", below.stderr);
}

#[test]
fn points_of_json_arrive_whole_and_name_their_source() {
    let folder = prepared();
    let json = run(folder.path(), &["HEAD~1..HEAD"]).json();
    let changed = json["changed"].as_array().unwrap().iter().flat_map(|change| [&change["before"], &change["after"]]);
    let points: Vec<&Json> =
        json["added"].as_array().unwrap().iter().chain(json["removed"].as_array().unwrap()).chain(changed).collect();
    assert_eq!(points.len(), 18);
    for point in points {
        let source = &point["source"];
        assert!(source["file"].as_str().unwrap().starts_with("configs/") && source["line"].as_u64().unwrap() > 1);
        let mut command = support::command(folder.path());
        let output = finish(command.args(["point", "--point", &point.to_string()]));
        assert_eq!(output.exit, 0, "{}", output.stderr);
    }
}

#[test]
fn filters_narrow_both_sides_and_a_label_of_one_side_is_known() {
    let folder = prepared();
    let json =
        run(folder.path(), &["HEAD~1..HEAD", "--model-prefix", "five", "--scenario-type", "agentic-coding"]).json();
    assert_eq!((json["added"].as_array().unwrap().len(), json["removed"].as_array().unwrap().len()), (3, 0));
    let path = folder.path().join("configs/runners.yaml");
    let runners = fs::read_to_string(&path).unwrap();
    fs::write(&path, runners.replace("  h200: ", "  h300: [h300_00]\n  h200: ")).unwrap();
    let output = run(folder.path(), &["HEAD", "--runner-type", "h300"]);
    assert_eq!((output.exit, &output.json()["added"]), (0, &Json::Array(vec![])), "{}", output.stderr);
    let output = told(folder.path(), &["HEAD", "--runner-type", "h400"]);
    let unknown = output.diagnostics().iter().map(|one| one["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!((output.exit, unknown), (1, vec!["SRTX0301".to_owned(); 2]));
}

#[test]
fn fail_on_refuses_with_the_place_and_still_prints() {
    let folder = prepared();
    let output = told(folder.path(), &["HEAD~1..HEAD", "--fail-on", "added,removed", "--fail-on", "changed"]);
    assert_eq!(output.exit, 1);
    assert_eq!(output.json()["removed"].as_array().unwrap().len(), 2);
    let found = output.diagnostics();
    assert_eq!(found.iter().map(|one| one["code"].as_str().unwrap()).collect::<Vec<_>>(), ["SRTX0806"; 3]);
    assert_eq!(found[1]["file"], "HEAD~1:configs/second-master.yaml");
    assert!(found[1]["line"].as_u64().unwrap() > 1 && found[1]["path"].as_str().unwrap().contains("search-space[0]"));
    assert_eq!(run(folder.path(), &["HEAD..HEAD", "--fail-on", "added,removed,changed"]).exit, 0);
    assert_eq!(run(folder.path(), &["HEAD", "--fail-on", "renamed"]).exit, 2);
}

#[test]
fn a_renamed_file_that_is_named_is_found_on_the_other_side() {
    let folder = prepared();
    let words = ["HEAD~1..HEAD", "--config-files"];
    for name in ["configs/one-master.yaml", "configs/first-master.yaml"] {
        let output = told(folder.path(), &[&words[..], &[name]].concat());
        let found = output.diagnostics();
        assert_eq!((output.exit, found.len(), &found[0]["code"]), (0, 1, &Json::from("SRTX0807")), "{}", output.stderr);
        assert_eq!(found[0]["severity"], "note");
        let json = output.json();
        assert_eq!((json["added"].as_array().unwrap().len(), json["changed"].as_array().unwrap().len()), (0, 3));
    }
    // A new file and no rename.
    fs::write(folder.path().join("configs/new.yaml"), config("six")).unwrap();
    let output = told(folder.path(), &["HEAD", "--config-files", "configs/new.yaml"]);
    assert_eq!((output.exit, &output.diagnostics()[0]["severity"]), (0, &Json::from("warning")), "{}", output.stderr);
    assert_eq!(output.json()["added"].as_array().unwrap().len(), 1);
    // On neither side.
    let output = told(folder.path(), &["HEAD~1..HEAD", "--config-files", "configs/none.yaml"]);
    let found = output.diagnostics();
    assert_eq!((output.exit, found.len()), (1, 2), "{}", output.stderr);
    assert_eq!(
        (&found[0]["code"], &found[0]["file"]),
        (&Json::from("SRTX0101"), &Json::from("HEAD~1:configs/none.yaml"))
    );
}

fn config(name: &str) -> String {
    format!(
        "{name}:\n  image: i\n  model: m\n  model-prefix: {name}\n  runner: h200\n  precision: fp8\n  framework: sglang\n  \
         multinode: false\n  scenarios:\n    fixed-seq-len:\n    - {{isl: 1024, osl: 1024, search-space: [{{tp: 8, conc-list: [4]}}]}}\n"
    )
}

const RUNNERS: &str = "labels: {h200: [h200_00]}\nhardware: {}\n";

/// A repository with one commit, which holds these files.
fn repository_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = folder_with(files);
    git(folder.path(), &["init", "--quiet"]);
    commit(folder.path(), "first");
    folder
}

#[test]
fn revisions_that_are_none_are_named_with_the_nearest() {
    let folder = repository_with(&[("configs/master.yaml", &config("one")), ("configs/runners.yaml", RUNNERS)]);
    for (words, near) in [(&["mian"][..], "`main`"), (&["HEAD..mian~1"], "`main~1`"), (&["mian...HEAD"], "`main`")] {
        let found = only(folder.path(), words, 1);
        assert_eq!(found["code"], "SRTX0802", "{words:?}");
        assert!(found["help"].to_string().contains(near), "{words:?}: {found}");
    }
    // Git never takes a revision for an option.
    let hostile = folder.path().join("hostile");
    for words in [
        ["--", &format!("--output={}", hostile.display())],
        ["--", "-x..HEAD"],
        ["--", "--upload-pack=touch hostile"],
        ["HEAD..--all", "--format=json"],
        ["HEAD\nHEAD:configs", "--format=json"],
        ["0123456789abcdef0123456789abcdef01234567", "--format=json"],
        ["HEAD:configs/master.yaml", "--format=json"],
        ["HEAD~7", "--format=json"],
    ] {
        assert_eq!(only(folder.path(), &words, 1)["code"], "SRTX0802", "{words:?}");
    }
    assert!(!hostile.exists());
}

#[test]
fn a_shallow_clone_says_what_to_fetch() {
    let origin = prepared();
    let folder = tempfile::tempdir().unwrap();
    let url = format!("file://{}", origin.path().display());
    git(folder.path(), &["clone", "--quiet", "--depth=1", &url, "clone"]);
    let clone = folder.path().join("clone");
    let found = only(&clone, &["HEAD~1"], 1);
    assert_eq!(found["code"], "SRTX0803");
    assert!(found["help"].to_string().contains("`git fetch --deepen=1 origin`"), "{found}");
    let before = git(origin.path(), &["rev-parse", "HEAD~1"]);
    assert!(only(&clone, &[&before], 1)["help"].to_string().contains(&format!("git fetch --depth=1 origin {before}")));
    // What the help says makes it work.
    git(&clone, &["fetch", "--quiet", "--deepen=1", "origin"]);
    assert_eq!(run(&clone, &["HEAD~1"]).exit, 0);
    // Two branches without their common commit.
    git(origin.path(), &["checkout", "--quiet", "-b", "topic", "HEAD~1"]);
    commit(origin.path(), "topic");
    let other = folder.path().join("other");
    git(folder.path(), &["clone", "--quiet", "--depth=1", "--no-single-branch", "--branch=topic", &url, "other"]);
    assert_eq!(only(&other, &["origin/main...HEAD"], 1)["code"], "SRTX0803");
    // As actions/checkout leaves a pull request: no branch at all.
    let detached = folder.path().join("detached");
    git(folder.path(), &["clone", "--quiet", "--depth=1", &url, "detached"]);
    git(&detached, &["checkout", "--quiet", "--detach"]);
    for name in ["refs/heads/topic", "refs/remotes/origin/HEAD", "refs/remotes/origin/topic"] {
        git(&detached, &["update-ref", "--no-deref", "-d", name]);
    }
    let found = only(&detached, &[], 1);
    assert_eq!(found["code"], "SRTX0803");
    assert!(found["help"].to_string().contains("fetch-depth: 0"), "{found}");
}

#[test]
fn without_a_repository_or_git_it_says_so() {
    let folder = folder_with(&[("configs/master.yaml", &config("one")), ("configs/runners.yaml", RUNNERS)]);
    assert_eq!(only(folder.path(), &[], 1)["code"], "SRTX0801");
    let mut command = support::command(folder.path());
    let output = finish(command.args(["diff", "--diagnostics", "json"]).env("PATH", folder.path()));
    assert_eq!((output.exit, &output.diagnostics()[0]["code"]), (4, &Json::from("SRTX0805")), "{}", output.stderr);
    // A repository without any commit, and one without a usual branch.
    git(folder.path(), &["init", "--quiet"]);
    assert_eq!(only(folder.path(), &[], 1)["code"], "SRTX0804");
    assert_eq!(only(folder.path(), &["HEAD"], 1)["code"], "SRTX0802");
    git(folder.path(), &["checkout", "--quiet", "-b", "odd"]);
    commit(folder.path(), "first");
    assert_eq!(only(folder.path(), &[], 1)["code"], "SRTX0804");
    // Two histories with nothing in common.
    git(folder.path(), &["checkout", "--quiet", "--orphan", "main"]);
    commit(folder.path(), "another");
    assert_eq!(only(folder.path(), &["odd...main"], 1)["code"], "SRTX0804");
}

#[test]
fn what_is_wrong_with_a_side_is_named_with_its_revision() {
    let folder = repository_with(&[("configs/master.yaml", "one: {tp: [}\n"), ("configs/runners.yaml", RUNNERS)]);
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("configs/master.yaml", config("one").as_bytes());
    let found = only(folder.path(), &["main"], 1);
    assert_eq!((&found["code"], &found["file"]), (&Json::from("SRTX0104"), &Json::from("main:configs/master.yaml")));
    assert_eq!(found["line"], 1);
    let good = commit(folder.path(), "good");
    assert_eq!(run(folder.path(), &["HEAD"]).exit, 0);
    // Binary, a link that leads out, one that leads in, a folder, no runner file.
    write("configs/master.yaml", b"\x00\xff\xfebinary");
    commit(folder.path(), "binary");
    let found = only(folder.path(), &["HEAD~1..HEAD"], 1);
    assert_eq!((&found["code"], &found["file"]), (&Json::from("SRTX0102"), &Json::from("HEAD:configs/master.yaml")));
    fs::remove_file(folder.path().join("configs/master.yaml")).unwrap();
    fs::create_dir(folder.path().join("configs/master.yaml")).unwrap();
    write("configs/master.yaml/x", b"");
    commit(folder.path(), "folder");
    assert_eq!(only(folder.path(), &["HEAD~2..HEAD"], 1)["code"], "SRTX0101");
    fs::remove_dir_all(folder.path().join("configs/master.yaml")).unwrap();
    #[cfg(unix)]
    for (target, code) in
        [("/etc/hostname", Some("SRTX0101")), ("master.yaml", Some("SRTX0101")), ("../real.yaml", None)]
    {
        write("real.yaml", config("one").as_bytes());
        let link = folder.path().join("configs/master.yaml");
        std::os::unix::fs::symlink(target, &link).unwrap();
        commit(folder.path(), "link");
        match code {
            Some(code) => assert_eq!(only(folder.path(), &[&format!("{good}..HEAD")], 1)["code"], code, "{target}"),
            None => assert_eq!(run(folder.path(), &["HEAD"]).exit, 0),
        }
        fs::remove_file(link).unwrap();
    }
    write("configs/master.yaml", config("one").as_bytes());
    git(folder.path(), &["rm", "--quiet", "--cached", "configs/runners.yaml"]);
    fs::rename(folder.path().join("configs/runners.yaml"), folder.path().join("kept")).unwrap();
    commit(folder.path(), "no runner file");
    fs::rename(folder.path().join("kept"), folder.path().join("configs/runners.yaml")).unwrap();
    let found = only(folder.path(), &["HEAD"], 1);
    assert_eq!((&found["code"], &found["file"]), (&Json::from("SRTX0101"), &Json::from("HEAD:configs/runners.yaml")));
}

#[test]
fn a_side_without_configs_has_no_points() {
    let folder = repository_with(&[("README", "")]);
    fs::create_dir(folder.path().join("configs")).unwrap();
    fs::write(folder.path().join("configs/master.yaml"), config("one")).unwrap();
    fs::write(folder.path().join("configs/runners.yaml"), RUNNERS).unwrap();
    let output = told(folder.path(), &["HEAD"]);
    let found = output.diagnostics();
    assert_eq!((output.exit, found.len(), &found[0]["code"]), (0, 1, &Json::from("SRTX0807")), "{}", output.stderr);
    assert_eq!(output.json()["added"].as_array().unwrap().len(), 1);
    commit(folder.path(), "configs");
    let removed = run(folder.path(), &["HEAD..HEAD~1"]).json();
    assert_eq!((removed["removed"].as_array().unwrap().len(), &removed["gpu_hours"]), (1, &Json::Null));
    // On neither side: as `matrix` says it.
    assert_eq!(only(folder.path(), &["HEAD~1..HEAD~1"], 1)["code"], "SRTX0101");
}

#[test]
fn a_comment_stays_within_what_github_takes() {
    let folder = repository_with(&[("configs/master.yaml", ""), ("configs/runners.yaml", RUNNERS)]);
    let configs: String = (0..900).map(|number| config(&format!("config-of-some-length-{number:04}"))).collect();
    fs::write(folder.path().join("configs/master.yaml"), "{}\n").unwrap();
    commit(folder.path(), "empty");
    fs::write(folder.path().join("configs/master.yaml"), configs).unwrap();
    let output = run(folder.path(), &["HEAD", "--format", "markdown"]);
    assert_eq!(output.exit, 0, "{}", output.stderr);
    assert!(output.stdout.starts_with("<!-- srtx-gh diff -->\n\n### 900 points added\n"), "{}", &output.stdout[..200]);
    assert!((60_000..=65_000).contains(&output.stdout.len()), "{}", output.stdout.len());
    assert!(output.stdout.trim_end().ends_with("A comment may have 65,536 characters."));
}

#[test]
fn the_action_leaves_outputs_a_summary_and_a_comment() {
    let folder = prepared();
    let runner = folder_with(&[("output", ""), ("summary", "")]);
    let emit = |fail_on: &str| {
        let mut command = support::command(folder.path());
        sealed(&mut command, folder.path()).args(["action", "diff"]).env("SRTX_RANGE", "HEAD~1..HEAD");
        command.env("SRTX_FAIL_ON", fail_on).env("RUNNER_TEMP", runner.path()).env("GITHUB_ACTIONS", "true");
        command.env("GITHUB_OUTPUT", runner.path().join("output"));
        finish(command.env("GITHUB_STEP_SUMMARY", runner.path().join("summary")))
    };
    assert_eq!(emit("").exit, 0);
    let outputs = fs::read_to_string(runner.path().join("output")).unwrap();
    let comment = fs::read_to_string(runner.path().join("srtx-gh-diff.md")).unwrap();
    let summary = fs::read_to_string(runner.path().join("summary")).unwrap();
    for name in ["added", "removed", "changed", "gpu-hours", "markdown"] {
        assert!(outputs.contains(&format!("{name}<<")), "{outputs}");
    }
    assert_eq!(comment.strip_prefix("<!-- srtx-gh diff -->\n\n"), Some(&*summary));
    // Refused, and reported all the same.
    fs::write(runner.path().join("output"), "").unwrap();
    assert_eq!(emit("removed").exit, 1);
    assert!(fs::read_to_string(runner.path().join("output")).unwrap().contains("removed<<"));
}
