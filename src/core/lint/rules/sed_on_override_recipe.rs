//! Edits of a key at the start of a line, on recipes that keep the key below `base`.

use super::super::tree::{Role, role_of};
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic, Source};
use crate::core::shell::{Command, Part, pattern_of};

pub(super) const RULE: Rule = Rule { code: Code::SedOnOverrideRecipe, name: "sed-on-override-recipe", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let contract = repository.contract();
    for (index, script) in repository.scripts.iter().enumerate() {
        let Some(shell) = script.shell().filter(|_| contract.ties[index].in_scope) else { continue };
        for command in shell.commands.iter().filter(|command| edits_a_recipe(command)) {
            let keys = command.arguments().iter().filter_map(|word| key_at_line_start(&pattern_of(&word.parts)));
            let Some((key, recipe)) = keys
                .filter_map(|key| Some((override_recipe(repository, &key)?, key)))
                .map(|(recipe, key)| (key, recipe))
                .next()
            else {
                continue;
            };
            let message = format!("`^{key}:` matches nothing in {}, which keeps `{key}` below `base`", recipe.name());
            found.push(
                Diagnostic::warning(Code::SedOnOverrideRecipe, message)
                    .at(script.source, command.span.range())
                    .help(format!("set it with `--set {key}=…`, which also reaches `base` and every override")),
            );
        }
    }
}

/// `sed -i` on a file whose name is that of a recipe or of a config that names one.
fn edits_a_recipe(command: &Command<'_>) -> bool {
    if !command.is_named("sed") {
        return false;
    }
    let in_place = command.arguments().iter().any(|word| {
        let start = word.literal_start();
        start == "--in-place"
            || start.starts_with("--in-place=")
            || start.starts_with("-i")
            || start == "-Ei"
            || start == "-ri"
    });
    in_place
        && command.arguments().iter().any(|word| {
            word.parts.iter().any(|part| match part {
                Part::Variable(expansion) => {
                    let name = expansion.name.to_ascii_uppercase();
                    ["RECIPE", "CONFIG_PATH", "CONFIG_FILE"].iter().any(|known| name.contains(known))
                }
                Part::Literal(literal) => literal.text.contains("recipes/"),
                _ => false,
            })
        })
}

/// The key that a sed script looks for at the start of a line: `s/^name:…`, `/^name:/a …`.
fn key_at_line_start(script: &str) -> Option<String> {
    let behind = &script[script.find("/^").map(|at| at + 2).or_else(|| script.find("|^").map(|at| at + 2))?..];
    let length = behind.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')).count();
    let (key, rest) = behind.split_at(length);
    (!key.is_empty() && rest.trim_start_matches([' ', '*', '\\', 's']).starts_with(':')).then(|| key.to_owned())
}

/// A recipe in override format that has the key below `base` and not at the top, and that a config refers to.
fn override_recipe<'d>(repository: &Repository<'d>, key: &str) -> Option<&'d Source> {
    let top = |source: &Source, key: &str| {
        source.text().lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
    };
    let below = |source: &Source| {
        source.text().lines().any(|line| {
            line.starts_with(' ') && line.trim_start().strip_prefix(key).is_some_and(|rest| rest.starts_with(':'))
        })
    };
    let is_used = |source: &Source| {
        let base = source.name().rsplit('/').next().unwrap_or_default();
        let mut configs = repository.master_documents().iter().peekable();
        configs.peek().is_none() || configs.any(|document| document.source().text().contains(base))
    };
    repository
        .texts()
        .iter()
        .filter(|source| role_of(source.name()) == Some(Role::Recipe))
        .find(|source| top(source, "base") && !top(source, key) && below(source) && is_used(source))
        .map(|source| &**source)
}
