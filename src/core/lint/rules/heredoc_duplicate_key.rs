//! Keys that stand twice in the YAML that a here-document writes.

use hashbrown::{HashMap, HashSet};

use super::super::contract::Values;
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::shell::{Command, Heredoc, Operator, Part, Quote, RedirectOperator, Script, Span, Word, pattern_of};

pub(super) const RULE: Rule = Rule { code: Code::HeredocDuplicateKey, name: "heredoc-duplicate-key", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for script in &repository.scripts {
        let Some(shell) = script.shell() else { continue };
        for twice in repeated_keys(shell) {
            found.push(diagnostic(&twice).at(script.source, twice.second.range()).related(
                script.source,
                twice.first.range(),
                "first here",
            ));
        }
    }
    for run in &repository.contract().runs {
        for twice in repeated_keys(&run.shell) {
            let (first, second) = (run.locate(twice.first), run.locate(twice.second));
            found.push(diagnostic(&twice).at(run.source(), second).related(run.source(), first, "first here"));
        }
    }
}

fn diagnostic(twice: &Repeated) -> Diagnostic {
    let message = format!("the key `{}` is written twice into {}", twice.key, twice.file);
    Diagnostic::warning(Code::HeredocDuplicateKey, message)
        .help("some readers keep the last one, others refuse the file: write it once")
}

struct Repeated {
    key: String,
    file: String,
    first: Span,
    second: Span,
}

/// A line of the text that is written, and where it comes from.
struct Line {
    text: String,
    span: Span,
    /// Whether it comes out of a variable.
    is_inserted: bool,
    /// Whether it may not be written at all.
    is_conditional: bool,
}

fn repeated_keys(shell: &Script<'_>) -> Vec<Repeated> {
    if shell.heredocs.is_empty() {
        return Vec::new();
    }
    let values = Values::of(shell);
    // What is written to one file, in source order; a file that is written anew starts again.
    let mut files: Vec<(String, Vec<Line>)> = Vec::new();
    for command in &shell.commands {
        for heredoc in command.redirects.iter().filter_map(|redirect| shell.heredocs.get(redirect.heredoc?)) {
            let (target, appends) = target_of(command, &values);
            let lines = lines_of(heredoc, shell, &values, command.context.in_branch);
            if !is_yaml(&target, &lines) {
                continue;
            }
            match files.iter_mut().rev().find(|(name, _)| appends && *name == target && !name.is_empty()) {
                Some((_, before)) => before.extend(lines),
                None => files.push((target, lines)),
            }
        }
    }
    files.into_iter().flat_map(|(file, lines)| repeated_in(&file, &lines)).collect()
}

/// The file that the command writes to, and whether it appends.
fn target_of(command: &Command<'_>, values: &Values<'_, '_>) -> (String, bool) {
    let name = |word: &Word<'_>| values_or_pattern(word, values);
    for redirect in &command.redirects {
        match redirect.operator {
            RedirectOperator::Output => return (name(&redirect.target), false),
            RedirectOperator::Append => return (name(&redirect.target), true),
            _ => {}
        }
    }
    if command.is_named("tee") {
        let appends = command.arguments().iter().any(|word| word.is("-a") || word.is("--append"));
        let file = command.arguments().iter().find(|word| !word.literal_start().starts_with('-'));
        return (file.map(name).unwrap_or_default(), appends);
    }
    (String::new(), false)
}

fn values_or_pattern<'t>(word: &Word<'t>, values: &Values<'_, 't>) -> String {
    let mut texts = values.texts(&word.parts);
    if texts.len() == 1 && texts[0] != "*" { texts.remove(0) } else { raw_pattern(word) }
}

/// Two words with the same unknown name are the same file.
fn raw_pattern(word: &Word<'_>) -> String {
    match word.only_variable() {
        Some(expansion) => format!("${}", expansion.name),
        None => pattern_of(&word.parts).into_owned(),
    }
}

fn lines_of<'t>(heredoc: &Heredoc<'t>, shell: &Script<'t>, values: &Values<'_, 't>, conditional: bool) -> Vec<Line> {
    let mut lines =
        vec![Line { text: String::new(), span: heredoc.body, is_inserted: false, is_conditional: conditional }];
    let mut starts = true;
    for part in &heredoc.parts {
        match part {
            Part::Literal(literal) => {
                add(&mut lines, &mut starts, literal.text, Some(literal.span), false, conditional);
            }
            Part::Variable(expansion) if matches!(expansion.operator, Operator::Plain | Operator::Default) => {
                match block_of(expansion.name, shell, values) {
                    Some((text, span)) => add(&mut lines, &mut starts, &text, Some(span), true, conditional),
                    None => add(&mut lines, &mut starts, "*", None, false, conditional),
                }
            }
            _ => add(&mut lines, &mut starts, "*", None, false, conditional),
        }
    }
    lines
}

/// Adds a text to the last line, and its further lines behind it.
fn add(
    lines: &mut Vec<Line>,
    starts: &mut bool,
    text: &str,
    span: Option<Span>,
    is_inserted: bool,
    is_conditional: bool,
) {
    let mut offset = span.map_or(0, |span| span.start as usize);
    for piece in text.split_inclusive('\n') {
        if *starts {
            lines.push(Line { text: String::new(), span: Span::default(), is_inserted, is_conditional });
            *starts = false;
        }
        if let Some(line) = lines.last_mut() {
            if line.text.trim().is_empty() {
                let blanks = piece.len() - piece.trim_start_matches(' ').len();
                let end = offset + piece.trim_end().len().max(blanks);
                line.span = match span {
                    // Escapes make the text shorter than what is written: then the whole value is the place.
                    Some(whole) if (whole.end as usize) < end => whole,
                    Some(_) => Span::new(offset + blanks, end),
                    None => line.span,
                };
                line.is_inserted = is_inserted;
            }
            line.text.push_str(piece.trim_end_matches('\n'));
        }
        offset += piece.len();
        *starts = piece.ends_with('\n');
    }
}

/// The lines that a variable stands for, where an assignment gives it some.
fn block_of<'t>(name: &str, shell: &Script<'t>, values: &Values<'_, 't>) -> Option<(String, Span)> {
    values.of_variable(name).iter().rev().find_map(|word| {
        let value = word.value()?;
        let (mut text, mut place) = (String::new(), None);
        for part in value {
            match part {
                Part::Literal(literal) => {
                    place.get_or_insert(literal.span);
                    if literal.quote == Quote::Ansi {
                        text.push_str(&literal.text.replace("\\n", "\n"));
                    } else {
                        text.push_str(literal.text);
                    }
                }
                Part::Command(span, _) => {
                    // `$(cat <<EOF ... EOF)`
                    let inner = shell.heredocs.iter().find(|heredoc| span.contains(heredoc.body))?;
                    for part in &inner.parts {
                        let Part::Literal(literal) = part else {
                            text.push(super::super::contract::ANY);
                            continue;
                        };
                        place.get_or_insert(literal.span);
                        text.push_str(literal.text);
                    }
                }
                _ => text.push(super::super::contract::ANY),
            }
        }
        let text = text.trim_end_matches('\n').to_owned();
        (text.contains(':') && text.lines().any(|line| key_of(line).is_some())).then_some((text, place?))
    })
}

fn is_yaml(target: &str, lines: &[Line]) -> bool {
    if [".yaml", ".yml"].iter().any(|end| target.ends_with(end)) {
        return true;
    }
    // Only where nothing says what the file is, and every line may be YAML.
    let has_other_end = target.rsplit('/').next().is_some_and(|base| base.contains('.'));
    let is_line = |line: &Line| {
        let text = line.text.trim();
        text.is_empty()
            || text.starts_with('#')
            || text.starts_with("- ")
            || text == "---"
            || key_of(&line.text).is_some()
    };
    let keys = lines.iter().filter(|line| key_of(&line.text).is_some()).count();
    const ENOUGH: usize = 3;
    !has_other_end && keys >= ENOUGH && lines.iter().all(is_line) && lines.iter().any(|line| line.text.starts_with(' '))
}

/// The key of a line and how deep it stands.
fn key_of(line: &str) -> Option<(usize, &str)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let rest = &line[indent..];
    let length =
        rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/')).count();
    let (key, behind) = rest.split_at(length);
    let is_key = behind == ":" || behind.starts_with(": ");
    (!key.is_empty() && !key.starts_with('-') && is_key).then_some((indent, key))
}

fn repeated_in(file: &str, lines: &[Line]) -> Vec<Repeated> {
    let mut found = Vec::new();
    let mut reported: HashSet<u32> = HashSet::new();
    // Open mappings, the outermost first: how deep, and where each key stands.
    let mut open: Vec<(usize, HashMap<String, &Line>)> = Vec::new();
    let mut block: Option<usize> = None;
    for line in lines {
        let indent = line.text.len() - line.text.trim_start_matches(' ').len();
        let text = line.text.trim();
        if text.is_empty() || text.starts_with('#') || block.is_some_and(|deep| indent > deep) {
            continue;
        }
        block = None;
        if text == "---" {
            open.clear();
            continue;
        }
        let mut inner = line.text.as_str();
        let mut owned;
        if text == "-" || text.starts_with("- ") {
            // An item starts a mapping of its own.
            open.retain(|(deep, _)| *deep <= indent);
            owned = line.text.clone();
            owned.replace_range(indent..=indent, " ");
            inner = &owned;
        }
        let Some((deep, key)) = key_of(inner) else { continue };
        open.retain(|(other, _)| *other <= deep);
        if open.last().is_none_or(|(other, _)| *other < deep) {
            open.push((deep, HashMap::new()));
        }
        let Some((_, keys)) = open.last_mut() else { continue };
        if let Some(before) = keys.insert(key.to_owned(), line) {
            // Two blocks, or two branches, may exclude each other.
            let of_branches = before.is_conditional && line.is_conditional && !same_text(lines, before.span, line.span);
            let may_exclude = before.is_inserted && line.is_inserted || of_branches;
            let first = before.span;
            let (first, second) = if first.start <= line.span.start { (first, line.span) } else { (line.span, first) };
            if !may_exclude && reported.insert(second.start) {
                let file =
                    if file.is_empty() || file.starts_with('$') { "the file".to_owned() } else { file.to_owned() };
                found.push(Repeated { key: key.to_owned(), file, first, second });
            }
        }
        let value = inner.trim().rsplit(':').next().unwrap_or_default().trim();
        if value.starts_with(['|', '>']) {
            block = Some(deep);
        }
    }
    found
}

/// Whether no other here-document lies between two lines: they are written together.
fn same_text(lines: &[Line], first: Span, second: Span) -> bool {
    let at = |span: Span| lines.iter().position(|line| line.span == span).unwrap_or(0);
    let (from, to) = (at(first).min(at(second)), at(first).max(at(second)));
    // Texts of one here-document follow each other without a gap.
    lines[from..to].windows(2).all(|pair| pair[1].span.start < pair[0].span.end + SAME_TEXT_GAP)
}

/// A line break, indentation and blank lines.
const SAME_TEXT_GAP: u32 = 64;
