//! Golden diagnostics: what a person reads when something is wrong, word for word.
//!
//! Each folder of `tests/golden/diagnostics` is a case. Its YAML files are copied into an empty working directory, on top
//! of those of `_common`, and the binary runs there. `args` is the command line (default [`DEFAULT_ARGS`]), `exit` the
//! exit code (default 1), `sparse` a list of `NAME BYTES`, files of zeros that are too large to keep. `stderr.txt` is the
//! whole text on stderr. `SRTX_BLESS=1 cargo test golden` writes the texts anew: read them before you commit them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::support::{self, Output};

const DEFAULT_ARGS: &str = "matrix full-sweep --config-files config.yaml --runner-config runners.yaml";
const COMMON: &str = "_common";
/// The working directory stands in some help lines, and is another one on every run.
const CWD_MARK: &str = "[CWD]";

/// Codes below [`LAST_OF_MATRIX`] that no command line of `matrix` can reach, each with the reason.
const UNREACHABLE: &[(&str, &str)] = &[];
const FIRST_OF_MATRIX: &str = "SRTX0101";
const LAST_OF_MATRIX: &str = "SRTX0313";

/// Findings about a file or the command line as a whole: there is no value, so there is no path.
const WITHOUT_PATH: [&str; 9] =
    ["SRTX0001", "SRTX0101", "SRTX0102", "SRTX0103", "SRTX0104", "SRTX0105", "SRTX0209", "SRTX0301", "SRTX0302"];
/// Findings without a line: a file that cannot be read has none, neither has the command line.
const WITHOUT_LINE: [&str; 7] = ["SRTX0001", "SRTX0101", "SRTX0103", "SRTX0301", "SRTX0302", "SRTX0312", "SRTX0313"];

struct Case {
    name: String,
    folder: PathBuf,
    args: String,
    exit: i32,
}

impl Case {
    fn read(folder: PathBuf) -> Self {
        let text = |name: &str| fs::read_to_string(folder.join(name)).ok().map(|text| text.trim().to_owned());
        Self {
            name: folder.file_name().unwrap().to_str().unwrap().to_owned(),
            args: text("args").unwrap_or_else(|| DEFAULT_ARGS.to_owned()),
            exit: text("exit").map_or(1, |text| text.parse().unwrap()),
            folder,
        }
    }

    /// A working directory that holds the inputs.
    fn staged(&self) -> tempfile::TempDir {
        let staged = tempfile::tempdir().unwrap();
        for folder in [self.folder.with_file_name(COMMON), self.folder.clone()] {
            for file in files_of(&folder).into_iter().filter(|name| name.ends_with(".yaml")) {
                fs::copy(folder.join(&file), staged.path().join(&file)).unwrap();
            }
        }
        for line in fs::read_to_string(self.folder.join("sparse")).unwrap_or_default().lines() {
            let (name, bytes) = line.split_once(' ').unwrap();
            fs::File::create(staged.path().join(name)).unwrap().set_len(bytes.trim().parse().unwrap()).unwrap();
        }
        staged
    }

    fn run(&self, before: &str) -> Output {
        let staged = self.staged();
        let mut output = support::run(staged.path(), &format!("{before} {}", self.args));
        let here = staged.path().canonicalize().unwrap();
        output.stderr = output.stderr.replace(here.to_str().unwrap(), CWD_MARK);
        output
    }

    /// Whether a file of the folder means something to the case.
    fn knows(&self, file: &str) -> bool {
        let is_input = file.ends_with(".yaml") && self.args.split([' ', '=']).any(|word| word == file);
        is_input || matches!(file, "args" | "exit" | "sparse" | "stderr.txt")
    }
}

fn files_of(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

fn cases() -> Vec<Case> {
    let root = support::repository().join("tests/golden/diagnostics");
    let names = files_of(&root).into_iter().filter(|name| !name.starts_with('.') && name != COMMON);
    names.map(|name| Case::read(root.join(name))).collect()
}

fn blessing() -> bool {
    std::env::var_os("SRTX_BLESS").is_some_and(|value| value == "1")
}

#[test]
fn golden_diagnostics_read_as_recorded() {
    let mut wrong = Vec::new();
    for case in cases() {
        let output = case.run("");
        let mut complain = |what: String| wrong.push(format!("{}: {what}", case.name));
        if output.exit != case.exit {
            complain(format!("exit {}, expected {}\n{}", output.exit, case.exit, output.stderr));
        }
        if output.exit != 0 && !output.stdout.is_empty() {
            complain(format!("a failing command wrote to stdout: {}", output.stdout));
        }
        let recorded = case.folder.join("stderr.txt");
        let expected = fs::read_to_string(&recorded).unwrap_or_default();
        if expected != output.stderr {
            if blessing() {
                fs::write(&recorded, &output.stderr).unwrap();
            } else {
                complain(format!("stderr differs\n{}", difference(&expected, &output.stderr)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn golden_folders_hold_a_text_and_nothing_unknown() {
    let mut wrong = Vec::new();
    for case in cases() {
        let files = files_of(&case.folder);
        // While texts are written anew, another test may be about to write this one.
        if !blessing() && !files.iter().any(|name| name == "stderr.txt") {
            wrong.push(format!("{} has no stderr.txt", case.name));
        }
        wrong.extend(files.iter().filter(|name| !case.knows(name)).map(|name| format!("{}/{name}", case.name)));
    }
    assert!(wrong.is_empty(), "missing or unknown files:\n{}", wrong.join("\n"));
}

#[test]
fn golden_diagnostics_are_complete_for_programs() {
    let mut wrong = Vec::new();
    for case in cases() {
        let output = case.run("--diagnostics json");
        let found = output.diagnostics();
        if found.is_empty() {
            wrong.push(format!("{}: nothing was found", case.name));
        }
        for diagnostic in &found {
            wrong.extend(missing_parts(diagnostic).map(|what| format!("{}: {what}: {diagnostic}", case.name)));
        }
        let errors = found.iter().any(|one| one["severity"] == "error");
        if errors != (case.exit != 0) {
            wrong.push(format!("{}: exit {} does not fit the severities", case.name, case.exit));
        }
        // Both renderings say the same things in the same order.
        let human = case.run("").stderr;
        let in_human: Vec<&str> = human.lines().filter_map(code_of_title).collect();
        let in_json: Vec<&str> = found.iter().filter_map(|one| one["code"].as_str()).collect();
        if in_human != in_json {
            wrong.push(format!("{}: {in_human:?} for people, {in_json:?} for programs", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a program needs of every diagnostic, and this one does not have.
fn missing_parts(diagnostic: &Json) -> impl Iterator<Item = String> {
    let text = |name: &str| diagnostic[name].as_str().is_some_and(|text| !text.trim().is_empty());
    let code = diagnostic["code"].as_str().unwrap_or_default();
    let mut missing: Vec<String> = Vec::new();
    missing.extend(["code", "severity", "message", "help"].into_iter().filter(|name| !text(name)).map(str::to_owned));
    if !text("path") && !WITHOUT_PATH.contains(&code) {
        missing.push("path".to_owned());
    }
    if !WITHOUT_LINE.contains(&code) {
        missing.extend(["line", "column"].into_iter().filter(|name| !diagnostic[*name].is_u64()).map(str::to_owned));
        if !text("file") {
            missing.push("file".to_owned());
        }
    }
    if diagnostic["message"].as_str().is_some_and(|message| message.trim_end().ends_with('.')) {
        missing.push("a message without a full stop".to_owned());
    }
    missing.into_iter()
}

/// `SRTX0203` of `error[SRTX0203]: ...`
fn code_of_title(line: &str) -> Option<&str> {
    let rest = ["error[", "warning[", "note["].iter().find_map(|start| line.strip_prefix(start))?;
    rest.split_once("]: ").map(|(code, _)| code)
}

#[test]
fn golden_diagnostics_cover_every_code_of_the_matrix() {
    let list = support::run(&support::repository(), "explain --list").stdout;
    let codes: BTreeMap<&str, &str> = list.lines().filter_map(|line| line.split_once("  ")).collect();
    let of_matrix = codes.keys().copied().filter(|code| (FIRST_OF_MATRIX..=LAST_OF_MATRIX).contains(code));
    let texts: String =
        cases().iter().map(|case| fs::read_to_string(case.folder.join("stderr.txt")).unwrap_or_default()).collect();
    let seen: BTreeSet<&str> = texts.lines().filter_map(code_of_title).collect();
    let excused: BTreeSet<&str> = UNREACHABLE.iter().map(|(code, _)| *code).collect();
    let uncovered: Vec<&str> = of_matrix.filter(|code| !seen.contains(code) && !excused.contains(code)).collect();
    assert!(uncovered.is_empty(), "no golden case shows {uncovered:?}");
    let unknown: Vec<&&str> = seen.iter().filter(|code| !codes.contains_key(**code)).collect();
    assert!(unknown.is_empty(), "golden cases show codes that explain does not know: {unknown:?}");
    let covered_after_all: Vec<&&str> = excused.iter().filter(|code| seen.contains(**code)).collect();
    assert!(covered_after_all.is_empty(), "covered, so no excuse is needed: {covered_after_all:?}");
}

/// A unified difference of two short texts, whole, with `-` and `+` in front of what differs.
fn difference(expected: &str, actual: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    // The length of the longest common run of lines of both ends.
    let mut common = vec![vec![0_usize; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] = if a[i] == b[j] { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out = String::from("--- stderr.txt\n+++ this run\n");
    while i < a.len() || j < b.len() {
        let (mark, line) = if i < a.len() && j < b.len() && a[i] == b[j] {
            (i, j) = (i + 1, j + 1);
            (' ', a[i - 1])
        } else if j >= b.len() || (i < a.len() && common[i + 1][j] >= common[i][j + 1]) {
            i += 1;
            ('-', a[i - 1])
        } else {
            j += 1;
            ('+', b[j - 1])
        };
        out.push_str(&format!("{mark}{line}\n"));
    }
    if a == b {
        out.push_str("(only the line breaks differ)\n");
    }
    out
}

#[test]
fn differences_name_the_lines() {
    let text = difference("a\nb\nc\n", "a\nx\nc\n");
    assert_eq!(text, "--- stderr.txt\n+++ this run\n a\n-b\n+x\n c\n");
}
