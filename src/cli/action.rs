//! `srtx-gh action`: what the composite actions run. Inputs arrive as `SRTX_*` and become a command line.

use std::ffi::OsString;

use clap::Args;

use super::report::Reporter;
use super::{Exit, command};
use crate::core::actions::{ActionSpec, InputKind, inputs_of};
use crate::core::diag::{Code, Diagnostic};
use crate::core::matrix::documented_outputs;
use crate::gha::Inputs;

/// Run a command with its options from the inputs of an action (`SRTX_*` variables).
#[derive(Debug, Args)]
#[command(hide = true)]
pub(super) struct ActionArgs {
    /// The action.
    name: String,
}

/// All actions below `actions`.
pub(crate) fn actions() -> Vec<ActionSpec> {
    let root = command();
    let find = |path: &[&str]| {
        path.iter().try_fold(&root, |command, name| command.find_subcommand(name)).cloned().unwrap_or_default()
    };
    let (full_sweep, test_config) = (find(&["matrix", "full-sweep"]), find(&["matrix", "test-config"]));
    let (point, diff, route) = (find(&["point"]), find(&["diff"]), find(&["route"]));
    vec![
        ActionSpec {
            name: "matrix",
            about: "Generates the job matrix from master configs and runners, cut to the platform's limits.".into(),
            words: vec!["matrix"],
            verbs: vec!["full-sweep".into(), "test-config".into()],
            inputs: inputs_of(&[&full_sweep, &test_config])
                .into_iter()
                .filter(|input| input.name != "points")
                .collect(),
            outputs: documented_outputs(),
            always: vec!["--points", "--emit", "--format=table"],
        },
        ActionSpec {
            name: "point",
            about: "Checks that a point arrived whole, and prints it.".into(),
            words: vec!["point"],
            verbs: vec![],
            inputs: inputs_of(&[&point]),
            outputs: vec![],
            always: vec!["--format=pretty"],
        },
        ActionSpec {
            name: "route",
            about: "Says whether a point runs natively or by a legacy script, and fails when it can do neither.".into(),
            words: vec!["route"],
            verbs: vec![],
            // One point travels through an action; what narrows a matrix means nothing for it.
            inputs: inputs_of(&[&route])
                .into_iter()
                .filter(|input| ["point", "config-files", "runner-config", "rules"].contains(&&*input.name))
                .collect(),
            outputs: super::route::documented_outputs(),
            always: vec!["--explain", "--emit", "--format=table"],
        },
        ActionSpec {
            name: "diff",
            about:
                "Shows which points a change adds, removes and alters, in the step summary and as a file for a comment."
                    .into(),
            words: vec!["diff"],
            verbs: vec![],
            inputs: inputs_of(&[&diff]),
            outputs: super::diff::documented_outputs(),
            always: vec!["--emit", "--format=table"],
        },
    ]
}

/// The command line that an action's inputs stand for.
pub(super) fn command_line(args: &ActionArgs, reporter: &mut Reporter) -> Result<Vec<OsString>, Exit> {
    if args.name == "run" {
        return free_command_line(reporter);
    }
    let Some(action) = actions().into_iter().find(|action| action.name == args.name) else {
        return Err(reporter.usage(&format!("there is no action {}", args.name)));
    };
    let inputs = Inputs::new(|name: &str| std::env::var_os(name));
    words(&action, &inputs).map_err(|diagnostics| {
        diagnostics.into_iter().for_each(|diagnostic| reporter.found().push(diagnostic));
        Exit::Wrong
    })
}

/// The command line that these inputs of an action stand for. `None` for an action that is not ours.
pub(super) fn words_of(name: &str, inputs: &[(String, String)]) -> Option<Result<Vec<OsString>, Vec<Diagnostic>>> {
    let action = actions().into_iter().find(|action| action.name == name)?;
    let get = |wanted: &str| {
        let given = inputs.iter().find(|(name, _)| crate::core::actions::variable(name) == wanted);
        given.map(|(_, value)| OsString::from(value))
    };
    Some(words(&action, &Inputs::new(get)))
}

/// The root action: the words of its input `args`, one a line when there are several lines.
fn free_command_line(reporter: &mut Reporter) -> Result<Vec<OsString>, Exit> {
    let inputs = Inputs::new(|name: &str| std::env::var_os(name));
    let words = inputs.text("args").and_then(|text| match text {
        Some(text) if text.trim().contains('\n') => inputs.lines("args"),
        _ => inputs.words("args"),
    });
    match words {
        // A blank input is an absent one.
        Ok(words) if words.is_empty() => Err(Exit::Done),
        Ok(words) => {
            Ok(std::iter::once(OsString::from("srtx-gh")).chain(words.into_iter().map(OsString::from)).collect())
        }
        Err(diagnostic) => {
            reporter.found().push(diagnostic);
            Err(Exit::Wrong)
        }
    }
}

fn words<F: Fn(&str) -> Option<OsString>>(
    action: &ActionSpec,
    inputs: &Inputs<F>,
) -> Result<Vec<OsString>, Vec<Diagnostic>> {
    let mut words: Vec<OsString> = vec!["srtx-gh".into()];
    words.extend(action.words.iter().map(OsString::from));
    let mut refused = Vec::new();
    if let Some(default) = action.verbs.first() {
        match inputs.text("command") {
            Ok(Some(verb)) if !action.verbs.contains(&verb) => refused.push(unknown_verb(action, &verb)),
            Ok(verb) => words.push(verb.unwrap_or_else(|| default.clone()).into()),
            Err(diagnostic) => refused.push(diagnostic),
        }
    }
    words.extend(action.always.iter().map(OsString::from));
    let (operands, options): (Vec<_>, Vec<_>) =
        action.inputs.iter().partition(|input| input.kind == InputKind::Operand);
    for input in options.into_iter().chain(operands) {
        match option(input.kind, &input.name, inputs) {
            Ok(option) if option.is_empty() && input.required => refused.push(missing(&input.name)),
            Ok(mut option) => words.append(&mut option),
            Err(diagnostic) => refused.push(diagnostic),
        }
    }
    if refused.is_empty() { Ok(words) } else { Err(refused) }
}

/// GitHub does not insist on inputs that are required: what was not given arrives as an empty text.
fn missing(name: &str) -> Diagnostic {
    Diagnostic::error(Code::BadInput, format!("the input `{name}` is empty"))
        .path(format!("env.{}", crate::core::actions::variable(name)))
        .help("give it; an output that was never set, or that GitHub dropped, is an empty text too")
}

fn unknown_verb(action: &ActionSpec, verb: &str) -> Diagnostic {
    Diagnostic::error(
        Code::BadInput,
        format!("the input `command` is `{verb}`, expected {}", action.verbs.join(" or ")),
    )
    .path("env.SRTX_COMMAND")
    .help("correct the input")
}

fn option<F: Fn(&str) -> Option<OsString>>(
    kind: InputKind,
    name: &str,
    inputs: &Inputs<F>,
) -> Result<Vec<OsString>, Diagnostic> {
    let flag = format!("--{name}");
    Ok(match kind {
        InputKind::Flag if inputs.boolean(name)? == Some(true) => vec![flag.into()],
        InputKind::Flag => vec![],
        InputKind::Operand => {
            // Behind `--`, so that an input never becomes an option.
            inputs.text(name)?.map(|value| ["--".into(), OsString::from(value)]).into_iter().flatten().collect()
        }
        InputKind::Text => inputs.text(name)?.map(|value| format!("{flag}={value}").into()).into_iter().collect(),
        InputKind::Words => {
            let values = inputs.words(name)?;
            // An input is data: none of its words may become an option.
            if let Some(word) = values.iter().find(|word| word.starts_with('-') && word.parse::<i64>().is_err()) {
                return Err(Diagnostic::error(
                    Code::BadInput,
                    format!("the input `{name}` holds `{word}`, which looks like an option"),
                )
                .path(format!("env.{}", crate::core::actions::variable(name)))
                .help("give values only; options are inputs of their own"));
            }
            let has_values = !values.is_empty();
            let flag = has_values.then(|| OsString::from(flag));
            flag.into_iter().chain(values.into_iter().map(OsString::from)).collect()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, env: &[(&str, &str)]) -> Result<String, Vec<Diagnostic>> {
        let action = actions().into_iter().find(|action| action.name == name).unwrap();
        let get = |wanted: &str| env.iter().find(|(name, _)| *name == wanted).map(|(_, value)| OsString::from(value));
        words(&action, &Inputs::new(get))
            .map(|words| words.iter().map(|word| word.to_str().unwrap().to_owned()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn empty_inputs_are_absent() {
        let words =
            line("matrix", &[("SRTX_MAX_CONC", ""), ("SRTX_SINGLE_NODE", ""), ("SRTX_PRECISION", "  \n")]).unwrap();
        assert_eq!(words, "srtx-gh matrix full-sweep --points --emit --format=table");
    }

    #[test]
    fn inputs_become_options() {
        let env = [
            ("SRTX_COMMAND", "test-config"),
            ("SRTX_CONFIG_KEYS", "dsv4-*\nkimik3-*"),
            ("SRTX_NO_EVALS", "TRUE"),
            ("SRTX_RUNNER_CONFIG", "a b.yaml"),
        ];
        let words = line("matrix", &env).unwrap();
        assert!(words.starts_with("srtx-gh matrix test-config --points"), "{words}");
        assert!(words.contains("--config-keys dsv4-* kimik3-*"), "{words}");
        assert!(words.contains("--no-evals"), "{words}");
        assert!(words.contains("--runner-config=a b.yaml"), "{words}");
    }

    #[test]
    fn l12_a_required_input_is_missing_when_it_is_blank() {
        for env in [&[][..], &[("SRTX_POINT", "")], &[("SRTX_POINT", " \n")]] {
            let refused = line("point", env).unwrap_err();
            assert_eq!((refused.len(), refused[0].code), (1, Code::BadInput));
            assert_eq!(refused[0].path.as_deref(), Some("env.SRTX_POINT"));
        }
        assert_eq!(line("point", &[("SRTX_POINT", "{}")]).unwrap(), "srtx-gh point --format=pretty --point={}");
    }

    #[test]
    fn an_input_cannot_add_an_option() {
        assert!(line("matrix", &[("SRTX_CONFIG_KEYS", "x --points")]).is_err());
        assert!(line("matrix", &[("SRTX_RUNNER_CONFIG", "--help")]).unwrap().contains("--runner-config=--help"));
    }

    #[test]
    fn an_operand_stands_behind_all_options_and_never_becomes_one() {
        let words = line("diff", &[("SRTX_RANGE", "--format=json"), ("SRTX_FAIL_ON", "added,removed")]).unwrap();
        assert_eq!(words, "srtx-gh diff --emit --format=table --fail-on=added,removed -- --format=json");
    }

    #[test]
    fn b34_every_input_of_an_action_is_mapped_to_a_variable_of_ours() {
        for action in actions() {
            let yml = crate::core::actions::action_yml(&action);
            for input in &action.inputs {
                let mapping =
                    format!("{}: ${{{{ inputs.{} }}}}", crate::core::actions::variable(&input.name), input.name);
                assert!(yml.contains(&mapping), "{mapping} in\n{yml}");
            }
            assert!(!yml.contains("INPUT_"));
        }
    }

    #[test]
    fn b41_no_expression_stands_in_a_script() {
        for action in actions() {
            let yml = crate::core::actions::action_yml(&action);
            assert!(yml.lines().filter(|line| line.trim_start().starts_with("run:")).all(|line| !line.contains("${{")));
        }
    }
}
