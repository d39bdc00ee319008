//! Actions as data, derived from the command line.
//!
//! In: the commands as clap knows them. Out: what each action takes and gives, and from that its `action.yml` and the
//! tables of the READMEs. Nothing of an action is written twice.

mod render;

pub use render::{action_readme, action_yml, actions_table, inputs_table, outputs_table, root_action_yml, variable};

/// How an input becomes words of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// `true` adds the flag.
    Flag,
    /// The text is the option's value.
    Text,
    /// Words, separated by blanks or line breaks, are the option's values.
    Words,
    /// The text stands for itself, behind all options.
    Operand,
}

/// An input of an action.
#[derive(Debug, Clone)]
pub struct Input {
    /// Its name, which is also that of the option.
    pub name: String,
    /// What it does.
    pub about: String,
    /// Its default, as text; empty for none.
    pub default: String,
    /// Whether it must be given.
    pub required: bool,
    /// How it becomes words of the command line.
    pub kind: InputKind,
}

/// An action: one command of the binary.
#[derive(Debug, Clone)]
pub struct ActionSpec {
    /// Its folder below `actions`, and the name that the binary knows it by.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: String,
    /// The words of the command, before the verb that the input `command` chooses.
    pub words: Vec<&'static str>,
    /// The verbs that the input `command` may choose from, the default first; empty for a command without verbs.
    pub verbs: Vec<String>,
    /// Inputs that become options.
    pub inputs: Vec<Input>,
    /// Outputs: name and what each holds.
    pub outputs: Vec<(String, String)>,
    /// Options that the action always adds.
    pub always: Vec<&'static str>,
}

/// Options that make no sense as inputs.
const NOT_INPUTS: [&str; 5] = ["help", "version", "diagnostics", "format", "emit"];

/// The inputs that a command's options make; options of several verbs are one input.
pub fn inputs_of(commands: &[&clap::Command]) -> Vec<Input> {
    let mut inputs: Vec<Input> = Vec::new();
    for command in commands {
        for argument in command.get_arguments() {
            let name = match argument.get_long() {
                None if argument.is_positional() => argument.get_id().as_str(),
                None => continue,
                Some(name) if NOT_INPUTS.contains(&name) => continue,
                Some(name) => name,
            };
            if argument.is_hide_set() || inputs.iter().any(|input| input.name == name) {
                continue;
            }
            inputs.push(Input {
                name: name.to_owned(),
                about: one_sentence(argument),
                default: String::new(),
                required: argument.is_required_set() && commands.len() == 1,
                kind: kind_of(argument),
            });
        }
    }
    inputs
}

fn one_sentence(argument: &clap::Arg) -> String {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let help = help.trim_end_matches('.');
    let choices: Vec<String> = argument
        .get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .filter(|name| name != "true" && name != "false")
        .collect();
    if choices.is_empty() { format!("{help}.") } else { format!("{help}: {}.", choices.join(", ")) }
}

fn kind_of(argument: &clap::Arg) -> InputKind {
    let takes_many = argument.get_num_args().is_some_and(|range| range.max_values() > 1);
    match argument.get_action() {
        _ if argument.is_positional() => InputKind::Operand,
        clap::ArgAction::SetTrue | clap::ArgAction::SetFalse => InputKind::Flag,
        _ if takes_many => InputKind::Words,
        _ => InputKind::Text,
    }
}
