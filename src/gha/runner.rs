//! What the runner tells a step. In: the environment. Out: a snapshot of it, so that nothing else reads the environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::core::diag::{Code, Diagnostic};

/// A file through which a step talks to the runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunnerFile {
    /// `GITHUB_OUTPUT`: outputs of the step.
    Output,
    /// `GITHUB_ENV`: variables of later steps.
    Env,
    /// `GITHUB_STATE`: what the post step of the same action gets.
    State,
    /// `GITHUB_STEP_SUMMARY`: Markdown that is shown on the page of the run.
    Summary,
}

impl RunnerFile {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Output, Self::Env, Self::State, Self::Summary];

    /// The variable that holds the path of the file.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Output => "GITHUB_OUTPUT",
            Self::Env => "GITHUB_ENV",
            Self::State => "GITHUB_STATE",
            Self::Summary => "GITHUB_STEP_SUMMARY",
        }
    }

    /// What one record of the file is called in messages and paths.
    pub(super) fn record_kind(self) -> &'static str {
        match self {
            Self::Output => "output",
            Self::Env => "env",
            Self::State => "state",
            Self::Summary => "summary",
        }
    }
}

/// A snapshot of the runner's variables. A blank variable, or one that is not UTF-8 where text is meant, counts as absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runner {
    /// Whether this is a GitHub runner (or a tool that plays one): `GITHUB_ACTIONS` is exactly `true`.
    pub actions: bool,
    /// Whether someone re-ran the job with debug logging: `RUNNER_DEBUG` is `1`.
    pub debug: bool,
    /// `GITHUB_OUTPUT`.
    pub output: Option<PathBuf>,
    /// `GITHUB_ENV`.
    pub env: Option<PathBuf>,
    /// `GITHUB_STATE`.
    pub state: Option<PathBuf>,
    /// `GITHUB_STEP_SUMMARY`.
    pub summary: Option<PathBuf>,
    /// `RUNNER_TEMP`: a folder that is emptied before and after each job.
    pub temp: Option<PathBuf>,
    /// `GITHUB_EVENT_NAME`; in a called workflow that of the caller.
    pub event_name: Option<String>,
    /// `GITHUB_EVENT_PATH`: a file that holds the event as JSON.
    pub event_path: Option<PathBuf>,
    /// `GITHUB_REPOSITORY`: `owner/name`.
    pub repository: Option<String>,
    /// `GITHUB_RUN_ID`. A text of digits, because a number of that size is not safe in every JSON reader.
    pub run_id: Option<String>,
    /// `GITHUB_RUN_ATTEMPT`, from 1.
    pub run_attempt: Option<u32>,
    /// `GITHUB_REF`: the full name, such as `refs/heads/main`.
    pub git_ref: Option<String>,
    /// `GITHUB_SHA`.
    pub sha: Option<String>,
    /// `GITHUB_API_URL`, which is another on GitHub Enterprise.
    pub api_url: Option<String>,
}

impl Runner {
    /// Takes the snapshot from a lookup of variables.
    pub fn from_env(get: impl Fn(&str) -> Option<OsString>) -> Self {
        let given = |name: &str| get(name).filter(|value| !value.to_string_lossy().trim().is_empty());
        let text = |name: &str| given(name).and_then(|value| value.into_string().ok());
        let path = |name: &str| given(name).map(PathBuf::from);
        Self {
            actions: text("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
            debug: text("RUNNER_DEBUG").is_some_and(|value| value == "1"),
            output: path(RunnerFile::Output.variable()),
            env: path(RunnerFile::Env.variable()),
            state: path(RunnerFile::State.variable()),
            summary: path(RunnerFile::Summary.variable()),
            temp: path("RUNNER_TEMP"),
            event_name: text("GITHUB_EVENT_NAME"),
            event_path: path("GITHUB_EVENT_PATH"),
            repository: text("GITHUB_REPOSITORY"),
            run_id: text("GITHUB_RUN_ID").filter(|id| id.bytes().all(|b| b.is_ascii_digit())),
            run_attempt: text("GITHUB_RUN_ATTEMPT").and_then(|attempt| attempt.parse().ok()),
            git_ref: text("GITHUB_REF"),
            sha: text("GITHUB_SHA"),
            api_url: text("GITHUB_API_URL"),
        }
    }

    /// Takes the snapshot of this process.
    pub fn of_process() -> Self {
        Self::from_env(|name| std::env::var_os(name))
    }

    /// The path of a runner file, if there is one.
    pub fn path(&self, file: RunnerFile) -> Option<&Path> {
        match file {
            RunnerFile::Output => self.output.as_deref(),
            RunnerFile::Env => self.env.as_deref(),
            RunnerFile::State => self.state.as_deref(),
            RunnerFile::Summary => self.summary.as_deref(),
        }
    }

    /// The path of a runner file that must be there.
    ///
    /// # Errors
    ///
    /// [`Code::OutputFile`] when its variable is not set.
    pub fn require(&self, file: RunnerFile) -> Result<&Path, Diagnostic> {
        self.path(file).ok_or_else(|| {
            let variable = file.variable();
            Diagnostic::error(Code::OutputFile, format!("{variable} is not set"))
                .path(format!("env.{variable}"))
                .help(format!("a runner sets it for every step; elsewhere set {variable} to the path of a file"))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Runner {
        let env: BTreeMap<&str, &str> = pairs.iter().copied().collect();
        Runner::from_env(|name| env.get(name).map(OsString::from))
    }

    #[test]
    fn the_snapshot_holds_what_the_runner_says() {
        let runner = of(&[
            ("GITHUB_ACTIONS", "true"),
            ("RUNNER_DEBUG", "1"),
            ("GITHUB_OUTPUT", "/f/out"),
            ("GITHUB_ENV", "/f/env"),
            ("GITHUB_STATE", "/f/state"),
            ("GITHUB_STEP_SUMMARY", "/f/summary"),
            ("GITHUB_EVENT_NAME", "push"),
            ("GITHUB_EVENT_PATH", "/f/event.json"),
            ("GITHUB_REPOSITORY", "o/r"),
            ("GITHUB_RUN_ID", "16000000001"),
            ("GITHUB_RUN_ATTEMPT", "2"),
            ("GITHUB_REF", "refs/heads/main"),
            ("GITHUB_SHA", "abc"),
            ("GITHUB_API_URL", "https://ghes.example/api/v3"),
        ]);
        assert!(runner.actions && runner.debug);
        let paths = RunnerFile::ALL.map(|file| runner.require(file).unwrap().to_str().unwrap().to_owned());
        assert_eq!(paths, ["/f/out", "/f/env", "/f/state", "/f/summary"]);
        assert_eq!(runner.event_name.as_deref(), Some("push"));
        assert_eq!(runner.event_path.as_deref(), Some(Path::new("/f/event.json")));
        assert_eq!(runner.repository.as_deref(), Some("o/r"));
        assert_eq!(runner.run_id.as_deref(), Some("16000000001"));
        assert_eq!(runner.run_attempt, Some(2));
        assert_eq!(runner.git_ref.as_deref(), Some("refs/heads/main"));
        assert_eq!(runner.sha.as_deref(), Some("abc"));
        assert_eq!(runner.api_url.as_deref(), Some("https://ghes.example/api/v3"));
    }

    #[test]
    fn nothing_set_and_everything_blank_are_the_same() {
        assert_eq!(of(&[]), Runner::default());
        let blank = Runner::from_env(|_| Some(OsString::from(" ")));
        assert_eq!(blank, Runner::default());
    }

    #[test]
    fn only_the_exact_words_switch_on() {
        for value in ["TRUE", "1", "yes", "false", " true"] {
            assert!(!of(&[("GITHUB_ACTIONS", value)]).actions, "{value}");
        }
        for value in ["true", "0", "11"] {
            assert!(!of(&[("RUNNER_DEBUG", value)]).debug, "{value}");
        }
    }

    #[test]
    fn l06_a_run_id_is_digits() {
        assert_eq!(of(&[("GITHUB_RUN_ID", "12a"), ("GITHUB_RUN_ATTEMPT", "x")]), Runner::default());
        let long = "123456789012345678901234567890";
        assert_eq!(of(&[("GITHUB_RUN_ID", long)]).run_id.as_deref(), Some(long));
    }

    #[test]
    fn a_missing_file_is_named() {
        for file in RunnerFile::ALL {
            let missing = of(&[]).require(file).map(Path::to_owned).unwrap_err();
            assert_eq!(missing.code, Code::OutputFile);
            assert_eq!(missing.path, Some(format!("env.{}", file.variable())));
        }
    }
}
