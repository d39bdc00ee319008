//! The client in a container of sorts: only a few programs are on its path, and its environment is what the test says.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Output, repository};

/// What the client and the stand-ins may use, besides bash and python3.
const TOOLS: [&str; 13] =
    ["cat", "dirname", "env", "grep", "head", "mkdir", "mkfifo", "readlink", "sleep", "tail", "tee", "touch", "tr"];
const STAND_INS: [&str; 4] = ["aiperf", "hf", "srtx-gh", "evaluate"];

/// Reads the environment of each case as the client does, and prints the command it would run or what is wrong.
const PLAN: &str = r#"
plan() {
    local code=0 index=$1
    (
        set -e
        "case_$index"
        read_environment
        end_on_problems
        build_command "${CONCURRENCIES[0]}" "$RESULT_DIR"
        printf '%s\n' "${COMMAND[@]}"
        printf 'data set: %s\n' "$(data_set_of "$WEKA_LOADER_OVERRIDE")"
    ) >"plan-$index.out" 2>"plan-$index.err"
    echo $?
}
set +e
"#;

/// Names and values.
pub(crate) type Variables<'a> = &'a [(&'a str, &'a str)];

/// What the client would do in one case.
pub(crate) struct Plan {
    /// 0, or the client's exit code.
    pub(crate) exit: i32,
    /// The arguments of the replay, and the data set after them.
    pub(crate) arguments: Vec<String>,
    /// What is wrong.
    pub(crate) stderr: String,
}

impl Plan {
    /// The values of a flag, up to the next flag; `None` when it was not given.
    pub(crate) fn flag(&self, name: &str) -> Option<Vec<&str>> {
        let mut rest = self.arguments.iter().map(String::as_str).skip_while(|argument| *argument != name);
        rest.next()?;
        Some(rest.take_while(|argument| !argument.starts_with("--") && !argument.starts_with("data set: ")).collect())
    }
}

/// One run of the client.
pub(crate) struct Client {
    folder: tempfile::TempDir,
    environment: BTreeMap<String, String>,
}

impl Client {
    /// A single-node point at concurrency 4 that lacks nothing. `None` where bash or python3 are missing, except in CI:
    /// there that is a failure.
    pub(crate) fn new() -> Option<Self> {
        let (Some(bash), Some(python)) = (program("bash"), python()) else {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "bash or python3 is missing");
            eprintln!("skipped: bash or python3 is missing");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("bin");
        fs::create_dir_all(folder.path().join("records")).unwrap();
        fs::create_dir_all(&bin).unwrap();
        link(&bash, &bin.join("bash"));
        link(&python, &bin.join("python3"));
        for tool in TOOLS {
            link(&program(tool).unwrap_or_else(|| panic!("{tool} is missing")), &bin.join(tool));
        }
        for stand_in in STAND_INS {
            let script = repository().join(format!("tests/it/agentx_client/stand_in/{stand_in}.sh"));
            link(&script, &bin.join(stand_in));
        }
        let client = Self { folder, environment: BTreeMap::new() };
        let (path, logs, records) = (client.path("bin"), client.path("logs/agentic"), client.path("records"));
        Some(
            client
                .set("PATH", &path)
                .set("HOME", "/nowhere")
                .set("STAND_IN_RECORDS", &records)
                .set("MODEL", "org/model")
                .set("MODEL_PREFIX", "qwen3.5")
                .set("FRAMEWORK", "vllm")
                .set("PRECISION", "fp8")
                .set("CONC", "4")
                .set("RESULT_FILENAME", "row")
                .set("DURATION", "3600")
                .set("RESULT_DIR", &logs)
                .set("EVAL_ONLY", "false")
                .set("AIPERF_DRAIN_POLL_SECONDS", "0")
                .set("AGENTX_CHAT_ROUTE_POLL_SECONDS", "0"),
        )
    }

    /// A multi-node batch of these concurrencies, in front of this server.
    pub(crate) fn batch(concurrencies: &str, url: &str) -> Option<Self> {
        let client = Self::new()?.set("CONC_LIST", concurrencies).set("IS_MULTINODE", "true");
        Some(client.set("AIPERF_SERVER_URL", url))
    }

    /// Sets a variable.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Takes a variable away.
    pub(crate) fn unset(mut self, name: &str) -> Self {
        self.environment.remove(name);
        self
    }

    /// Takes a program from the path.
    pub(crate) fn without(self, program: &str) -> Self {
        fs::remove_file(self.folder.path().join("bin").join(program)).unwrap();
        self
    }

    /// A path below the run's own folder.
    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Runs the client to its end.
    pub(crate) fn run(&self) -> Output {
        let output = self.command(&repository().join("benchmarks/srt_agentic.sh")).output().unwrap();
        Output {
            exit: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// What the client would do with these variables set, case by case. One bash tells it of all cases: whole runs cost
    /// time.
    pub(crate) fn plans(&self, cases: &[Variables<'_>]) -> Vec<Plan> {
        let client = repository().join("benchmarks/srt_agentic.sh");
        let mut script = format!(". '{}'\n{PLAN}", client.display());
        for (index, variables) in cases.iter().enumerate() {
            writeln!(script, "case_{index}() {{").unwrap();
            for (name, value) in *variables {
                writeln!(script, "export {name}='{}'", value.replace('\'', r"'\''")).unwrap();
            }
            writeln!(script, ":; }}\nplan {index}").unwrap();
        }
        fs::write(self.path("plan.sh"), script).unwrap();
        let output = self.command(self.path("plan.sh").as_ref()).output().unwrap();
        let codes = String::from_utf8(output.stdout).unwrap();
        assert_eq!(codes.lines().count(), cases.len(), "{}", String::from_utf8_lossy(&output.stderr));
        let plan = |(index, code): (usize, &str)| Plan {
            exit: code.parse().unwrap(),
            arguments: self.read(&format!("plan-{index}.out")).lines().map(ToOwned::to_owned).collect(),
            stderr: self.read(&format!("plan-{index}.err")),
        };
        codes.lines().enumerate().map(plan).collect()
    }

    /// Starts the client and waits until its replay runs.
    pub(crate) fn start(&self) -> Child {
        self.start_until(|| self.has("records/waiting"))
    }

    /// Starts the client and waits until something has happened.
    pub(crate) fn start_until(&self, happened: impl Fn() -> bool) -> Child {
        let mut command = self.command(&repository().join("benchmarks/srt_agentic.sh"));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let started = Instant::now();
        while !happened() {
            assert!(started.elapsed() < Duration::from_secs(60), "it did not happen");
            std::thread::sleep(Duration::from_millis(5));
        }
        child
    }

    /// A bash script in the client's environment.
    pub(crate) fn command(&self, script: &Path) -> Command {
        let mut command = Command::new(self.folder.path().join("bin/bash"));
        command.arg(script).env_clear().envs(&self.environment).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// The text of a file below the run's folder.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Whether there is such a file below the run's folder.
    pub(crate) fn has(&self, name: &str) -> bool {
        Path::new(&self.path(name)).exists()
    }

    /// What the stand-ins did, in order, with the run's folder as `@`.
    pub(crate) fn events(&self) -> Vec<String> {
        if !self.has("records/events") {
            return Vec::new();
        }
        self.read("records/events").replace(&self.path(""), "@/").lines().map(ToOwned::to_owned).collect()
    }

    /// The command line of the replay at a concurrency.
    pub(crate) fn arguments(&self, concurrency: u32) -> Vec<String> {
        self.read(&format!("records/aiperf-{concurrency}.argv")).lines().map(ToOwned::to_owned).collect()
    }

    /// The values of a flag of the one replay, up to the next flag; `None` when it was not given.
    pub(crate) fn flag(&self, name: &str) -> Option<Vec<String>> {
        let mut rest = self.arguments(4).into_iter().skip_while(|argument| argument != name);
        rest.next()?;
        Some(rest.take_while(|argument| !argument.starts_with("--")).collect())
    }

    /// What the replay saw of the environment.
    pub(crate) fn replay_variable(&self, name: &str) -> Option<String> {
        let prefix = format!("{name}=");
        self.read("records/aiperf-4.env").lines().find_map(|line| line.strip_prefix(&prefix).map(ToOwned::to_owned))
    }
}

#[cfg(unix)]
fn link(target: &Path, link: &Path) {
    std::os::unix::fs::symlink(target, link).unwrap();
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The interpreter itself: what is on the path may be a wrapper that needs more of the machine.
fn python() -> Option<PathBuf> {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    output.status.success().then(|| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}
