//! Which scripts of the checkout a script can start: names that it makes at run time are patterns.

use std::borrow::Cow;

use hashbrown::HashMap;

use crate::core::shell::{CommandId, LoopWords, Operator, Part, Script, Span, Word};

/// A script that something starts, as far as its name is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::core::lint) struct Call {
    /// The path, with `*` for what is made at run time.
    pub(in crate::core::lint) pattern: String,
    /// Where it is named.
    pub(in crate::core::lint) span: Span,
    /// The command whose words name it.
    pub(in crate::core::lint) command: CommandId,
}

/// A name may be chosen among so many.
const MAX_ALTERNATIVES: usize = 16;
/// More values than these are not told apart: each is expanded in turn.
const MAX_VALUES: usize = 8;
const MAX_DEPTH: usize = 3;
/// What stands for something that is not known; no file is called so.
pub(in crate::core::lint) const ANY: char = '*';

/// The values that a script gives its variables.
#[derive(Debug, Default)]
pub(in crate::core::lint) struct Values<'s, 't> {
    assigned: HashMap<&'t str, Vec<&'s Word<'t>>>,
    loops: &'s [LoopWords<'t>],
}

impl<'s, 't> Values<'s, 't> {
    pub(in crate::core::lint) fn of(script: &'s Script<'t>) -> Self {
        let mut values: HashMap<&'t str, Vec<&'s Word<'t>>> = HashMap::new();
        for command in &script.commands {
            for word in command.assigning_words() {
                if let Some(head) = word.assignment {
                    values.entry(head.name).or_default().push(word);
                }
            }
        }
        Self { assigned: values, loops: &script.facts.loops }
    }

    /// The words that assign a variable.
    pub(in crate::core::lint) fn of_variable(&self, name: &str) -> &[&'s Word<'t>] {
        self.assigned.get(name).map_or(&[], Vec::as_slice)
    }

    /// The words that a loop variable runs over, when all of them are known.
    pub(in crate::core::lint) fn of_loop(&self, name: &str) -> Option<Vec<&'t str>> {
        let mut loops = self.loops.iter().filter(|one| one.variable == name).peekable();
        loops.peek()?;
        loops
            .map(|one| one.complete.then_some(&one.words))
            .collect::<Option<Vec<_>>>()
            .map(|all| all.into_iter().flatten().copied().collect())
    }

    /// Every text that the parts may become.
    pub(in crate::core::lint) fn texts(&self, parts: &[Part<'t>]) -> Vec<String> {
        self.expanded(parts, 0)
    }

    fn expanded(&self, parts: &[Part<'t>], depth: usize) -> Vec<String> {
        let mut texts = vec![String::new()];
        for part in parts {
            let pieces: Vec<Cow<'_, str>> = match part {
                Part::Literal(literal) => vec![Cow::Borrowed(literal.text)],
                Part::Variable(expansion) if depth < MAX_DEPTH => {
                    self.of_expansion(expansion.name, expansion.operator, &expansion.argument, depth)
                }
                _ => vec![Cow::Borrowed("*")],
            };
            if texts.len() * pieces.len() > MAX_ALTERNATIVES {
                texts.iter_mut().for_each(|text| text.push(ANY));
                continue;
            }
            texts = texts.iter().flat_map(|text| pieces.iter().map(move |piece| format!("{text}{piece}"))).collect();
        }
        texts
    }

    fn of_expansion(
        &self,
        name: &str,
        operator: Operator,
        argument: &[Part<'t>],
        depth: usize,
    ) -> Vec<Cow<'static, str>> {
        let unknown = || vec![Cow::Borrowed("*")];
        if !matches!(operator, Operator::Plain | Operator::Default | Operator::Require) {
            return unknown();
        }
        let words = self.of_variable(name);
        // What is appended to, or comes from outside as well, may be anything.
        let is_open = words.iter().any(|word| word.assignment.is_none_or(|head| head.append || head.indexed));
        if is_open || words.len() > MAX_VALUES {
            return unknown();
        }
        let mut texts: Vec<Cow<'static, str>> = Vec::new();
        for word in words {
            let value = word.value().unwrap_or_default();
            texts.extend(self.expanded(value, depth + 1).into_iter().map(Cow::Owned));
        }
        if operator == Operator::Default {
            texts.extend(self.expanded(argument, depth + 1).into_iter().map(Cow::Owned));
        }
        if words.is_empty() {
            texts.push(Cow::Borrowed("*"));
        }
        texts
    }
}

/// Every script that the commands name. Sourced ones are no calls.
pub(in crate::core::lint) fn calls_in(script: &Script<'_>, values: &Values<'_, '_>) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for (command, one) in script.commands.iter().enumerate() {
        if one.is_named("source") || one.is_named(".") {
            continue;
        }
        let prints = matches!(&*one.name(), "echo" | "printf");
        for word in one.assignments.iter().chain(if prints { &[] } else { one.words.as_slice() }) {
            named_scripts(&word.parts, values, |pattern| calls.push(Call { pattern, span: word.span, command }));
        }
        for heredoc in one.redirects.iter().filter_map(|redirect| script.heredocs.get(redirect.heredoc?)) {
            named_scripts(&heredoc.parts, values, |pattern| calls.push(Call { pattern, span: heredoc.span, command }));
        }
    }
    calls
}

/// Calls back with each path of a script in a word, or in the text that a word is.
fn named_scripts<'t>(parts: &[Part<'t>], values: &Values<'_, 't>, mut found: impl FnMut(String)) {
    // A word without a literal or a variable in it names nothing.
    let may_name = parts.iter().any(|part| match part {
        Part::Literal(literal) => {
            literal.text.contains(".sh") || literal.text.contains(".py") || literal.text.contains('/')
        }
        Part::Variable(_) => true,
        Part::Array(_, words) => {
            words.iter().for_each(|word| named_scripts(&word.parts, values, &mut found as &mut dyn FnMut(String)));
            false
        }
        _ => false,
    });
    if !may_name {
        return;
    }
    for text in values.texts(parts) {
        for token in text.split([' ', '\t', '\n', ';', '=', '\'', '"', '(', ')', '&', '|', '<', '>']) {
            if token.ends_with(".sh") || token.ends_with(".py") || token.ends_with(".bash") {
                found(token.to_owned());
            }
        }
    }
}

/// The names that a pattern may stand for. `from` is the file that names it.
pub(in crate::core::lint) fn files_of<'n>(pattern: &str, from: &str, names: &[&'n str]) -> Vec<usize> {
    let mut tail = pattern.trim_start_matches("./");
    if tail.contains("../") {
        tail = tail.rsplit("../").next().unwrap_or(tail);
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    // A path may start at a folder that is not the checkout's: where it is mounted, or where the script stands.
    loop {
        if says_enough(tail) {
            let hits = |pattern: &str| -> Vec<usize> {
                let hit = |(at, name): (usize, &&'n str)| fits(pattern.as_bytes(), name.as_bytes()).then_some(at);
                names.iter().enumerate().filter_map(hit).collect()
            };
            let mut found = if folder.is_empty() { vec![] } else { hits(&format!("{folder}/{tail}")) };
            if found.is_empty() {
                found = hits(tail);
            }
            if !found.is_empty() {
                return found;
            }
            if !tail.contains('/') {
                return hits(&format!("*/{tail}"));
            }
        }
        match tail.split_once('/') {
            Some((_, rest)) => tail = rest,
            None => return vec![],
        }
    }
}

/// The folder that a pattern names for certain, when the name in it is made at run time.
pub(in crate::core::lint) fn open_folder(pattern: &str) -> Option<&str> {
    let head = &pattern[..pattern.find(ANY)?];
    let head = head.trim_start_matches("./");
    head.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| !folder.is_empty() && !folder.starts_with('/'))
}

/// Whether a pattern is about some scripts and not about all.
fn says_enough(pattern: &str) -> bool {
    const ENOUGH: usize = 3;
    let stem = pattern.rsplit_once('.').map_or(pattern, |(stem, _)| stem);
    stem.bytes().filter(u8::is_ascii_alphanumeric).count() >= ENOUGH || !pattern.contains(ANY)
}

/// Whether a name fits a pattern in which `*` is any text, slashes included.
pub(super) fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&b'*') {
            p += 1;
            retry = Some((p, n));
        } else if pattern.get(p) == Some(&name[n]) {
            (p, n) = (p + 1, n + 1);
        } else if let Some((star, from)) = retry {
            (p, n) = (star, from + 1);
            retry = Some((star, from + 1));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::shell::read_script;

    const NAMES: [&str; 6] = [
        "benchmarks/benchmark_lib.sh",
        "benchmarks/single_node/agentic/kimi_fp4_b300_vllm.sh",
        "benchmarks/single_node/fixed_seq_len/kimi_fp4_b200.sh",
        "benchmarks/single_node/fixed_seq_len/kimi_fp4_b200_trt.sh",
        "runners/launch_b200-x.sh",
        "runners/launch_h100.sh",
    ];

    fn called(text: &str) -> Vec<&'static str> {
        let script = read_script(text);
        let values = Values::of(&script);
        let calls = calls_in(&script, &values);
        let mut hits: Vec<usize> =
            calls.iter().flat_map(|call| files_of(&call.pattern, "runners/x.sh", &NAMES)).collect();
        hits.sort_unstable();
        hits.dedup();
        hits.into_iter().map(|at| NAMES[at]).collect()
    }

    #[test]
    fn names_made_of_variables_are_patterns() {
        assert_eq!(called("bash ./runners/launch_${RUNNER_NAME%%_*}.sh"), NAMES[4..]);
        assert_eq!(called("bash runners/launch_${{ runner.name }}.sh"), NAMES[4..]);
        let script = "SUFFIX=''; [ x ] && SUFFIX=_trt\nB=benchmarks/single_node/${DIR}${EXP%%_*}_${P}_b200\nsrun bash \"${B}${SUFFIX}.sh\"";
        assert_eq!(called(script), NAMES[2..4]);
    }

    #[test]
    fn mounted_paths_and_texts_for_a_shell_are_understood() {
        assert_eq!(
            called(
                "docker run x bash -c \"cd /workspace; bash /workspace/benchmarks/single_node/agentic/k*_b300_vllm.sh\""
            ),
            [NAMES[1]]
        );
        assert_eq!(called("S=\"$(dirname \"$0\")/launch_h100.sh\"; \"$S\""), [NAMES[5]]);
    }

    #[test]
    fn patterns_that_fit_everything_are_about_nothing() {
        assert_eq!(called("bash \"$1\"; bash ${X}.sh; bash $A/$B.sh; echo runners/launch_h100.sh"), [""; 0]);
        assert_eq!(called("source runners/launch_h100.sh"), [""; 0]);
    }

    #[test]
    fn the_folder_of_a_pattern_is_what_is_certain() {
        assert_eq!(open_folder("./benchmarks/single_node/*_x.sh"), Some("benchmarks/single_node"));
        assert_eq!(open_folder("benchmarks/a.sh"), None);
        assert_eq!(open_folder("*/a.sh"), None);
    }
}
