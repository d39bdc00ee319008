//! What the launcher sets at run time, beside what the variant says.

use super::engine::engine_of;
use crate::core::diag::{Code, Diagnostic};
use crate::core::launch::Environment;
use crate::core::num::{Num, python_int};
use crate::core::recipe::Tree;

/// Where the repository stands inside the container.
const WORKSPACE: &str = "/infmax-workspace";
/// What every client needs, in order.
const INPUTS: [&str; 5] = ["RESULT_FILENAME", "GPU_MONITOR_INTERVAL", "RUN_EVAL", "EVAL_ONLY", "FRAMEWORK"];
/// What the AgentX client needs besides.
const AGENTX_INPUTS: [&str; 6] = ["MODEL_PREFIX", "PRECISION", "DURATION", "TP", "PP_SIZE", "PCP_SIZE"];
/// Variables that are `true` or `false`.
const SWITCHES: [&str; 3] = ["RUN_EVAL", "EVAL_ONLY", "DP_ATTENTION"];

/// The `--set` arguments for a bound variant, in the order in which they are given.
///
/// # Errors
///
/// Everything that is missing or wrong in the environment, each with the path `env.NAME`.
pub fn runtime_arguments(recipe: &Tree<'_>, env: &Environment) -> Result<Vec<String>, Vec<Diagnostic>> {
    let mut builder = Builder { env, arguments: Vec::new(), wrong: Vec::new() };
    SWITCHES.iter().for_each(|name| builder.check_switch(name));
    let gpus = builder.input("GPU_COUNT");
    builder.set("srun_options.gpus-per-node", &quoted(&gpus));
    builder.set("srun_options.container-workdir", &quoted(WORKSPACE));
    builder.srun_options();
    if recipe.at(&["benchmark", "env", "CONC"]).is_none() {
        builder.benchmark_input("CONC");
    }
    INPUTS.iter().for_each(|name| builder.benchmark_input(name));
    if env.get("IS_AGENTIC").is_some_and(|value| value == "1") {
        AGENTX_INPUTS.iter().for_each(|name| builder.benchmark_input(name));
        builder.set("benchmark.env.AGENTIC_OUTPUT_DIR", &quoted("/logs"));
        builder.set("benchmark.env.RESULT_DIR", &quoted("/logs/agentic"));
        return builder.finish();
    }
    if env.get("EVAL_ONLY").is_some_and(|value| value == "true") {
        builder.context_length();
    }
    builder.set("benchmark.env.RESULT_DIR", &quoted("/logs"));
    builder.finish()
}

struct Builder<'e> {
    env: &'e Environment,
    arguments: Vec<String>,
    wrong: Vec<Diagnostic>,
}

impl Builder<'_> {
    fn set(&mut self, path: &str, value: &str) {
        self.arguments.push("--set".to_owned());
        self.arguments.push(format!("{path}={value}"));
    }

    fn refuse(&mut self, name: &str, message: String, help: &str) {
        let path = format!("env.{name}");
        if self.wrong.iter().all(|known| known.path.as_deref() != Some(&path)) {
            self.wrong.push(Diagnostic::error(Code::RuntimeInput, message).path(path).help(help));
        }
    }

    /// A variable that must not be empty.
    fn input(&mut self, name: &str) -> String {
        match self.env.get(name).filter(|value| !value.is_empty()) {
            Some(value) => value.clone(),
            None => {
                self.refuse(
                    name,
                    format!("{name} is missing, and the launch needs it"),
                    "set it in the environment of the point",
                );
                String::new()
            }
        }
    }

    fn benchmark_input(&mut self, name: &str) {
        let value = self.input(name);
        self.set(&format!("benchmark.env.{name}"), &quoted(&value));
    }

    fn check_switch(&mut self, name: &str) {
        let value = self.env.get(name).map_or("", String::as_str);
        // One of the inputs that is empty is reported as missing.
        let is_missing = value.is_empty() && INPUTS.contains(&name);
        if !is_missing && !matches!(value, "true" | "false") {
            self.refuse(name, format!("{name} is `{value}`, expected true or false"), "write it in lower case");
        }
    }

    /// Options of `srun` that a cluster asks for, as a JSON object of texts.
    fn srun_options(&mut self) {
        const NAME: &str = "SRT_SRUN_OPTIONS";
        const HELP: &str =
            "give a JSON object such as {\"container-writable\":\"\"}, names in lower case, values as texts";
        let text = self.env.get(NAME).map_or("", |text| text.trim());
        if text.is_empty() {
            return;
        }
        let options = match serde_json::from_str::<serde_json::Value>(text) {
            Ok(serde_json::Value::Object(options)) => options,
            Ok(_) => return self.refuse(NAME, format!("{NAME} is no JSON object"), HELP),
            Err(error) => return self.refuse(NAME, format!("{NAME} is no JSON: {error}"), HELP),
        };
        for (name, value) in options {
            match value {
                serde_json::Value::String(value) if is_option_name(&name) => {
                    self.set(&format!("srun_options.{name}"), &quoted(&value));
                }
                serde_json::Value::String(_) => {
                    self.refuse(NAME, format!("{NAME} has the option `{name}`, which is no name of an option"), HELP);
                }
                other => {
                    self.refuse(NAME, format!("{NAME} gives `{name}` the value {other}, expected a text"), HELP);
                }
            }
        }
    }

    /// An evaluation alone gets the context that the matrix planned for it.
    fn context_length(&mut self) {
        const NAME: &str = "MAX_MODEL_LEN";
        let text = self.env.get(NAME).map_or("", String::as_str);
        let Some(length) = python_int(text).filter(|length| *length > Num::Int(0)) else {
            let message = format!("{NAME} is `{text}`, expected a positive integer: an evaluation needs its context");
            return self.refuse(NAME, message, "give the length that the matrix computed");
        };
        let engine = self.env.get("FRAMEWORK").and_then(|framework| engine_of(framework));
        for argument in engine.map_or(&[][..], |engine| engine.context_arguments()) {
            self.set(&format!("roles.agg.args.{argument}"), &length.to_string());
        }
    }

    fn finish(self) -> Result<Vec<String>, Vec<Diagnostic>> {
        if self.wrong.is_empty() { Ok(self.arguments) } else { Err(self.wrong) }
    }
}

fn is_option_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// A text as JSON, ASCII only.
fn quoted(text: &str) -> String {
    crate::core::matrix::ascii_json_text(text)
}
