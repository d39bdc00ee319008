//! Comments that take findings away: `# srtx: allow SRTX0710 the callee splits it`.
//!
//! One that stands behind something speaks of its own line, one that stands alone of the next line that is no such
//! comment. It must give a reason, and it must suppress something: otherwise it hides what comes later.

use std::sync::Arc;

use super::{Finding, RULES, Tree};
use crate::core::diag::{ALL_CODES, Code, Diagnostic, Source};
use crate::core::schema::suggestion;

const MARK: &str = "srtx: allow";

/// A comment, and what has become of it.
#[derive(Debug)]
struct Suppression<'t> {
    source: &'t Arc<Source>,
    /// From `#` to the end of the line.
    span: std::ops::Range<usize>,
    /// The line that it speaks of, from 1.
    line: usize,
    codes: Vec<Code>,
    used: bool,
}

/// Takes away what is suppressed, and adds what is wrong with the suppressions.
pub(super) fn apply(tree: &Tree, found: Vec<Finding>, allowed: &[Code]) -> Vec<Finding> {
    let mut kept = Vec::with_capacity(found.len());
    let mut complaints = Vec::new();
    let mut suppressions: Vec<Suppression<'_>> =
        tree.files.iter().flat_map(|source| read(source, &mut complaints)).collect();
    for finding in found {
        let fits = |suppression: &&mut Suppression<'_>| {
            suppression.codes.contains(&finding.diagnostic.code)
                && finding.diagnostic.line_and_column().0 == Some(suppression.line)
                && finding.diagnostic.file() == Some(suppression.source.name())
        };
        match suppressions.iter_mut().find(fits) {
            Some(suppression) => suppression.used = true,
            None => kept.push(finding),
        }
    }
    for suppression in suppressions.iter().filter(|suppression| !suppression.used) {
        if suppression.codes.iter().all(|code| allowed.contains(code)) {
            continue;
        }
        let codes: Vec<String> = suppression.codes.iter().map(|code| code.name()).collect();
        let message = format!("nothing here is found by {}", codes.join(", "));
        complaints.push(
            Diagnostic::warning(Code::SuppressionUnused, message)
                .at(suppression.source, suppression.span.clone())
                .help("remove the comment, or move it to the line of the finding or to the one above"),
        );
    }
    let complaints = complaints.into_iter().filter(|complaint| !allowed.contains(&complaint.code));
    kept.extend(complaints.map(|diagnostic| Finding { rule: "suppression", diagnostic }));
    kept
}

/// The suppressions of a file. Those that cannot be used go to `complaints`.
fn read<'t>(source: &'t Arc<Source>, complaints: &mut Vec<Diagnostic>) -> Vec<Suppression<'t>> {
    let text = source.text();
    let mut found: Vec<Suppression<'t>> = Vec::new();
    for at in memchr::memmem::find_iter(text.as_bytes(), MARK) {
        let line_start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        let before = text[line_start..at].trim_end();
        // Only a comment of its own: prose may well speak of one.
        let Some(code_before) = before.strip_suffix('#') else { continue };
        if !(code_before.is_empty() || code_before.ends_with([' ', '\t'])) {
            continue;
        }
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        let span = line_start + code_before.len()..line_start + text[line_start..end].trim_end().len();
        let words = &text[at + MARK.len()..span.end];
        let Some(codes) = codes(source, span.clone(), words, complaints) else { continue };
        let own_line = source.position(at).line;
        let line = if code_before.trim().is_empty() { next_line(text, end, own_line) } else { own_line };
        found.push(Suppression { source, span, line, codes, used: false });
    }
    found
}

/// The first line behind `end` that is no suppression itself.
fn next_line(text: &str, end: usize, own_line: usize) -> usize {
    let rest = text.get(end + 1..).unwrap_or_default();
    let is_suppression =
        |line: &&str| line.trim_start().strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with(MARK));
    own_line + 1 + rest.lines().take_while(is_suppression).count()
}

/// `SRTX0710` or `SRTX0710,SRTX0711`, and behind them a reason.
fn codes(
    source: &Arc<Source>,
    span: std::ops::Range<usize>,
    words: &str,
    complaints: &mut Vec<Diagnostic>,
) -> Option<Vec<Code>> {
    let mut complain = |message: String, help: String| {
        let complaint = Diagnostic::warning(Code::SuppressionMalformed, message).at(source, span.clone());
        complaints.push(complaint.help(help));
    };
    let form = "write `# srtx: allow SRTX0710 and the reason`";
    let (names, reason) = words.trim().split_once(char::is_whitespace).unwrap_or((words.trim(), ""));
    let mut codes = Vec::new();
    for name in names.split(',').filter(|name| !name.is_empty()) {
        match Code::from_name(name).filter(|_| name.len() > 4) {
            Some(code) => codes.push(code),
            None => {
                let of_rule = RULES.iter().find(|rule| rule.name == name).map(|rule| rule.code.name());
                let all: Vec<String> = ALL_CODES.iter().map(|code| code.name()).collect();
                let near = of_rule.or_else(|| suggestion(name, all.iter().map(String::as_str)).map(str::to_owned));
                let help = near.map_or_else(|| form.to_owned(), |near| format!("did you mean `{near}`?"));
                complain(format!("`{name}` is no code, so nothing is allowed here"), help);
                return None;
            }
        }
    }
    if codes.is_empty() {
        complain("there is no code, so nothing is allowed here".to_owned(), form.to_owned());
        return None;
    }
    if reason.trim().is_empty() {
        let message = format!("there is no reason behind `{names}`, so nothing is allowed here");
        complain(message, "say why it is right as it is: the next reader will ask".to_owned());
        return None;
    }
    Some(codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply_to(text: &str, lines: &[usize]) -> Vec<(usize, Code)> {
        let source = Source::new("f.yml", text);
        let start_of = |line: usize| text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
        let found = lines.iter().map(|line| Finding {
            rule: "list-in-text",
            diagnostic: Diagnostic::error(Code::ListInText, "x").at(&source, start_of(*line)..start_of(*line)),
        });
        let found = found.collect();
        let tree = Tree::new(vec![source]);
        let left = apply(&tree, found, &[]);
        left.iter().map(|f| (f.diagnostic.line_and_column().0.unwrap(), f.diagnostic.code)).collect()
    }

    #[test]
    fn a_comment_speaks_of_its_line_or_of_the_next() {
        assert_eq!(apply_to("a: 1 # srtx: allow SRTX0710 because\nb: 1\n", &[1]), []);
        assert_eq!(apply_to("# srtx: allow SRTX0710 because\na: 1\n", &[2]), []);
        assert_eq!(apply_to("# srtx: allow SRTX0711 x\n# srtx: allow SRTX0710 because\na: 1\n", &[3]).len(), 1);
        let two = apply_to("a: 1 # srtx: allow SRTX0710 because\nb: 1\n", &[1, 2]);
        assert_eq!(two, [(2, Code::ListInText)]);
    }

    #[test]
    fn what_suppresses_nothing_or_gives_no_reason_is_said() {
        assert_eq!(apply_to("a: 1 # srtx: allow SRTX0710 because\n", &[]), [(1, Code::SuppressionUnused)]);
        let found = apply_to("a: 1 # srtx: allow SRTX0710\n", &[1]);
        assert_eq!(found, [(1, Code::ListInText), (1, Code::SuppressionMalformed)]);
        for text in ["# srtx: allow\n", "# srtx: allow SRTX7777 x\n", "# srtx: allow list-in-text x\n"] {
            assert_eq!(apply_to(text, &[]), [(1, Code::SuppressionMalformed)], "{text}");
        }
    }

    #[test]
    fn prose_is_no_suppression() {
        assert_eq!(apply_to("help: write `# srtx: allow CODE reason`\nx: see srtx: allow y\n", &[]), []);
    }
}
