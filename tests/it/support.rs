//! Runs the real binary, in an environment that the machine at hand cannot influence.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value as Json;

/// Variables that change what the program does or how it prints; a CI job sets several of them.
const SCRUBBED: [&str; 8] =
    ["CI", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "TERM", "COLORTERM", "COLUMNS"];
const SCRUBBED_PREFIXES: [&str; 5] = ["GITHUB_", "RUNNER_", "ACTIONS_", "SRTX_", "INPUT_"];

/// How a run ended.
pub(crate) struct Output {
    /// The exit code; -1 when a signal ended it.
    pub(crate) exit: i32,
    /// Data.
    pub(crate) stdout: String,
    /// Everything else.
    pub(crate) stderr: String,
}

impl Output {
    /// The diagnostics of a run with `--diagnostics json`.
    pub(crate) fn diagnostics(&self) -> Vec<Json> {
        serde_json::from_str(&self.stderr)
            .unwrap_or_else(|error| panic!("stderr is no JSON array ({error}): {}", self.stderr))
    }

    /// The JSON on stdout.
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is no JSON ({error}): {}\n{}", self.stdout, self.stderr))
    }
}

/// The binary in a working directory, without the variables that it or its libraries look at.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_srtx-gh"));
    command.current_dir(folder).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let scrub = name
            .to_str()
            .is_some_and(|name| SCRUBBED.contains(&name) || SCRUBBED_PREFIXES.iter().any(|p| name.starts_with(p)));
        if scrub {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a command line, given as words separated by blanks.
pub(crate) fn run(folder: &Path, line: &str) -> Output {
    finish(command(folder).args(line.split_whitespace()))
}

/// Runs a prepared command.
pub(crate) fn finish(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    Output {
        exit: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A working directory with these files.
pub(crate) fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}
