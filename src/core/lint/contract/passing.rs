//! Which variables a container or a Slurm step gets, where the command lists them.

use hashbrown::HashSet;

use super::calls::Values;
use super::is_contract_name;
use crate::core::shell::{Command, Expansion, Operator, Part, Span, Word};

/// The variables that a command passes on, and no others.
#[derive(Debug, Default)]
pub(in crate::core::lint) struct Passed<'t> {
    /// Passed in any form.
    pub(in crate::core::lint) names: HashSet<&'t str>,
    /// Passed with the value that they have: `-e NAME`.
    pub(in crate::core::lint) as_they_are: Vec<(&'t str, Span)>,
    /// Whether there is more that cannot be known.
    pub(in crate::core::lint) is_open: bool,
}

/// What `docker run` or `podman run` passes; `None` for other commands.
pub(in crate::core::lint) fn passed_to_container<'t>(
    command: &Command<'t>,
    values: &Values<'_, 't>,
) -> Option<Passed<'t>> {
    let is_docker = command.runs("docker") || command.runs("podman");
    let [first, arguments @ ..] = command.program_arguments() else { return None };
    if !is_docker || !first.is("run") {
        return None;
    }
    let mut passed = Passed::default();
    let words: Vec<&Word<'t>> = arguments.iter().collect();
    options(&words, values, &mut passed, 0);
    Some(passed)
}

/// What `srun --export=A,B` passes; `None` when it passes everything, or is another command.
pub(in crate::core::lint) fn passed_to_step<'t>(command: &Command<'t>) -> Option<Passed<'t>> {
    if !["srun", "sbatch"].iter().any(|name| command.runs(name)) {
        return None;
    }
    let mut passed = Passed::default();
    let mut words = command.program_arguments().iter();
    let list = loop {
        let word = words.next()?;
        if word.is("--export") {
            break words.next()?;
        }
        if word.literal_start().starts_with("--export=") {
            break word;
        }
    };
    for part in &list.parts {
        match part {
            Part::Literal(literal) => {
                for item in literal.text.split(',') {
                    let item = item.strip_prefix("--export=").unwrap_or(item);
                    let name = item.split('=').next().unwrap_or(item);
                    if name == "ALL" {
                        return None;
                    }
                    if is_contract_name(name) {
                        passed.names.insert(name);
                    }
                }
            }
            // A value may be anything, and so may a list that is made.
            _ => passed.is_open |= !list.literal_start().ends_with('='),
        }
    }
    (!passed.is_open).then_some(passed)
}

const MAX_DEPTH: usize = 3;

fn options<'t>(words: &[&Word<'t>], values: &Values<'_, 't>, passed: &mut Passed<'t>, depth: usize) {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.is("-e") || word.is("--env") {
            if let Some(value) = words.next() {
                variable(value, 0, values, passed);
            }
        } else if word.is("--env-file") || word.literal_start().starts_with("--env-file=") {
            passed.is_open = true;
        } else if word.literal_start().starts_with("--env=") {
            variable(word, "--env=".len(), values, passed);
        } else if word.literal_start().starts_with("-e") && word.literal_start().len() > 2 {
            variable(word, "-e".len(), values, passed);
        } else if let Some(expansion) = word.only_variable()
            && may_be_options(expansion)
        {
            expanded(expansion, values, passed, depth);
        }
    }
}

/// An array, or a text that the shell splits: not `"$IMAGE"`, which is one word.
fn may_be_options(expansion: &Expansion<'_>) -> bool {
    let is_array = matches!(expansion.index.as_slice(), [Part::Literal(index)] if matches!(index.text, "@" | "*"));
    is_array || !expansion.quoted && matches!(expansion.operator, Operator::Plain | Operator::Default)
}

fn expanded<'t>(expansion: &Expansion<'t>, values: &Values<'_, 't>, passed: &mut Passed<'t>, depth: usize) {
    let assigned = values.of_variable(expansion.name);
    if depth > MAX_DEPTH || assigned.is_empty() {
        // What looks like the name of an image or a file is no list of options.
        const ONE_WORD: [&str; 8] = ["IMAGE", "IMG", "CONTAINER", "SCRIPT", "NAME", "PATH", "CMD", "PORT"];
        let is_array = !expansion.index.is_empty();
        passed.is_open |= is_array || !ONE_WORD.iter().any(|word| expansion.name.to_ascii_uppercase().ends_with(word));
        return;
    }
    for word in assigned {
        match word.value().unwrap_or_default() {
            [Part::Array(_, elements)] => {
                let elements: Vec<&Word<'t>> = elements.iter().collect();
                options(&elements, values, passed, depth + 1);
            }
            [Part::Literal(literal)] => {
                let mut words = literal.text.split_ascii_whitespace();
                while let Some(word) = words.next() {
                    let value = match word {
                        "-e" | "--env" => words.next(),
                        _ => word.strip_prefix("--env="),
                    };
                    let name = value.and_then(|value| value.split('=').next());
                    passed.names.extend(name.filter(|name| is_contract_name(name)));
                }
            }
            [] => {}
            _ => passed.is_open = true,
        }
    }
}

/// `NAME`, `NAME=value`, `"NAME=$value"` behind the option.
fn variable<'t>(word: &Word<'t>, skip: usize, values: &Values<'_, 't>, passed: &mut Passed<'t>) {
    // `for v in A B; do options+=(-e "$v"); done`
    if let [Part::Variable(expansion), ..] = word.parts.as_slice() {
        match values.of_loop(expansion.name) {
            Some(names) => passed.names.extend(names.into_iter().filter(|name| is_contract_name(name))),
            None => passed.is_open = true,
        }
        return;
    }
    let Some(Part::Literal(literal)) = word.parts.first() else {
        passed.is_open = true;
        return;
    };
    let text = literal.text.get(skip..).unwrap_or_default();
    let name = text.split('=').next().unwrap_or(text);
    if !is_contract_name(name) {
        passed.is_open |= word.literal().is_none() && !text.contains('=');
        return;
    }
    passed.names.insert(name);
    if !text.contains('=') && word.parts.len() == 1 {
        let start = literal.span.start as usize + skip;
        passed.as_they_are.push((name, Span::new(start, start + name.len())));
    }
}
