//! Outputs that a script writes, and that are empty although it succeeds.

use crate::core::shell::{Body, Command, Link, List, Operator, Part, ReadKind, RunnerFile, Script, Word};

/// Why an output that a script writes may stay empty; `None` where it does not, or nobody can tell.
pub(super) fn may_stay_empty(shell: &Script<'_>, text: &str, output: &str) -> Option<String> {
    let mut writes = shell
        .facts
        .writes
        .iter()
        .filter(|write| write.file == RunnerFile::Output && write.name.eq_ignore_ascii_case(output));
    let write = writes.next()?;
    // A mention that is no write which was understood may be of this output.
    let understood = shell.facts.writes.iter().filter(|write| write.file == RunnerFile::Output).count();
    if writes.next().is_some() || text.matches("GITHUB_OUTPUT").count() > understood {
        return None;
    }
    if is_only_in_branch(&shell.list, write.command) {
        return Some("is empty when the branch that writes it is not taken".to_owned());
    }
    let words = shell.commands.get(write.command)?.arguments().iter();
    let variable = words.filter(|word| word.span == write.span).find_map(written_variable)?;
    let is_tested = shell.facts.reads.iter().any(|read| read.name == variable && read.kind != ReadKind::Bare);
    let values: Vec<&Word<'_>> = shell
        .commands
        .iter()
        .flat_map(Command::assigning_words)
        .filter(|word| word.assignment.is_some_and(|head| head.name == variable))
        .collect();
    let [value] = values.as_slice() else { return None };
    let [Part::Command(_, list)] = value.value()? else { return None };
    (!is_tested && is_empty_jq(list, shell))
        .then(|| "is empty when jq gives nothing: its filter has `empty`".to_owned())
}

/// Whether a command stands in an `if` without `else`.
fn is_only_in_branch(list: &List<'_>, command: usize) -> bool {
    list.iter().any(|statement| match &statement.body {
        Body::If(branches, otherwise) if otherwise.is_empty() => branches
            .iter()
            .any(|(_, body)| body.iter().any(|inner| matches!(inner.body, Body::Simple(id) if id == command))),
        _ => false,
    })
}

/// The variable of `name=$variable`.
fn written_variable<'t>(word: &Word<'t>) -> Option<&'t str> {
    match word.parts.as_slice() {
        [Part::Literal(name), Part::Variable(value)]
            if name.text.ends_with('=') && value.operator == Operator::Plain =>
        {
            Some(value.name)
        }
        _ => None,
    }
}

/// Whether what a substitution prints is that of a `jq` which may print nothing.
fn is_empty_jq(list: &List<'_>, shell: &Script<'_>) -> bool {
    let Some(last) = list.last().filter(|last| matches!(last.link, Link::Next | Link::Pipe)) else { return false };
    let Body::Simple(id) = last.body else { return false };
    let Some(jq) = shell.commands.get(id).filter(|command| command.runs("jq")) else { return false };
    jq.program_arguments().iter().filter_map(Word::literal).any(|filter| gives_nothing(&filter))
}

/// Whether a filter has `empty` outside of all brackets: inside `[ ]` or `map( )` it only leaves an element out.
fn gives_nothing(filter: &str) -> bool {
    let mut depth = 0_i32;
    let mut in_text = false;
    let mut before = ' ';
    for (at, c) in filter.char_indices() {
        match c {
            '"' if before != '\\' => in_text = !in_text,
            _ if in_text => {}
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            'e' if depth == 0 && !(before.is_alphanumeric() || matches!(before, '_' | '.' | '$' | '-')) => {
                let behind = filter[at..].strip_prefix("empty");
                let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
                // A word without the signs of a filter may be a value of `--arg`.
                let is_filter = filter.contains(['|', '/']) || filter.contains("else ");
                if behind.is_some_and(ends) && is_filter {
                    return true;
                }
            }
            _ => {}
        }
        before = c;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::shell::read_script;

    fn may_be(text: &str) -> bool {
        may_stay_empty(&read_script(text), text, "rows").is_some()
    }

    #[test]
    fn a_write_in_a_branch_may_not_happen() {
        assert!(may_be("if [[ $a ]]; then\n echo \"rows=$a\" >> \"$GITHUB_OUTPUT\"\nfi"));
        assert!(!may_be("if [[ $a ]]; then\n echo \"rows=$a\" >> \"$GITHUB_OUTPUT\"\nelse\n exit 1\nfi"));
        assert!(!may_be("if a; then echo \"rows=$a\" >> \"$GITHUB_OUTPUT\"; exit; fi\ncat b >> \"$GITHUB_OUTPUT\""));
        assert!(!may_be("echo \"rows=$a\" >> \"$GITHUB_OUTPUT\""));
    }

    #[test]
    fn jq_may_print_nothing() {
        let of = |filter: &str| may_be(&format!("A=$(jq -c '{filter}' x)\necho \"rows=$A\" >> \"$GITHUB_OUTPUT\""));
        assert!(of(".a // empty") && of("[.[]] | if length > 0 then . else empty end"));
        assert!(!of("[.[] | .a // empty]") && !of("map(.a // empty)") && !of(".empty | .a") && !of(".a | \"empty\""));
        assert!(!may_be("A=$(jq '.a // empty' x)\n[[ -n \"$A\" ]] || A=[]\necho \"rows=$A\" >> \"$GITHUB_OUTPUT\""));
    }
}
