//! Names of variables that are made at run time: `${!name}` with `name="${role}_TP"`, `os.environ[f"{role}_TP"]`.

use super::super::repository::{Repository, ScriptLanguage};
use super::calls::{ANY, fits};
use crate::core::shell::{self, Part, pattern_of};

/// Patterns of names that scripts make, with `*` for what is not known.
pub(super) fn made_names(repository: &Repository<'_>) -> Vec<String> {
    let mut patterns = Vec::new();
    for script in &repository.scripts {
        let text = script.source.text();
        match script.language {
            ScriptLanguage::Python => of_python(text, &mut patterns),
            ScriptLanguage::Shell => {
                let indirect = ["${!", "declare -n", "local -n", "printenv", "eval "];
                if let Some(shell) = script.shell().filter(|_| indirect.iter().any(|sign| text.contains(sign))) {
                    of_shell(shell, &mut patterns);
                }
            }
        }
    }
    patterns.sort_unstable();
    patterns.dedup();
    patterns
}

/// Whether a name may be one of those that are made.
pub(super) fn may_be_made(name: &str, patterns: &[String]) -> bool {
    patterns.iter().any(|pattern| fits(pattern.as_bytes(), name.as_bytes()))
}

fn of_shell(shell: &shell::Script<'_>, patterns: &mut Vec<String>) {
    for command in &shell.commands {
        for word in command.assignments.iter().chain(&command.words) {
            add(&pattern_of(word.value().unwrap_or(&word.parts)), patterns);
            for part in &word.parts {
                // `${!PREFIX@}`: every name with that start.
                if let Part::Variable(expansion) = part
                    && expansion.operator == shell::Operator::Names
                {
                    add(&format!("{}*", expansion.name), patterns);
                }
            }
        }
    }
}

fn of_python(text: &str, patterns: &mut Vec<String>) {
    for sign in ["environ[f", "environ.get(f", "getenv(f"] {
        for (at, _) in text.match_indices(sign) {
            let rest = &text[at + sign.len()..];
            let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) else { continue };
            let Some((made, _)) = rest[1..].split_once(quote) else { continue };
            let mut pattern = String::new();
            let mut depth = 0_usize;
            for c in made.chars() {
                match c {
                    '{' => {
                        depth += 1;
                        pattern.push(ANY);
                    }
                    '}' => depth = depth.saturating_sub(1),
                    _ if depth == 0 => pattern.push(c),
                    _ => {}
                }
            }
            add(&pattern, patterns);
        }
    }
    if text.contains("environ") {
        for (at, sign) in text.match_indices("startswith(") {
            let rest = &text[at + sign.len()..];
            if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\''))
                && let Some((start, _)) = rest[1..].split_once(quote)
            {
                add(&format!("{start}*"), patterns);
            }
        }
    }
}

/// Keeps a pattern that has enough of a name in it.
fn add(pattern: &str, patterns: &mut Vec<String>) {
    const ENOUGH: usize = 3;
    let is_name = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    let letters = pattern.bytes().filter(|b| is_name(*b)).count();
    if pattern.contains(ANY) && letters >= ENOUGH && pattern.bytes().all(|b| is_name(b) || b == b'*') {
        patterns.push(pattern.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_names_are_patterns() {
        let mut patterns = Vec::new();
        let script = shell::read_script("key=\"${role}_TP\"; echo ${!key} ${!RESULT_@} \"$a/b\" ${x}_lower");
        of_shell(&script, &mut patterns);
        of_python("os.environ[f\"KV_{name.upper()}\"]; k.startswith('EVAL_')", &mut patterns);
        assert_eq!(patterns, ["*_TP", "RESULT_*", "KV_*", "EVAL_*"]);
        assert!(may_be_made("PREFILL_TP", &patterns) && !may_be_made("PREFILL_TPS", &patterns));
    }
}
