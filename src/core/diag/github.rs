//! Diagnostics as GitHub annotations: escaped, ranked and capped.
//!
//! The protocol is that of the runner's workflow commands; see
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::{Diagnostic, Place, Severity};

/// How many annotations of a kind one step may still make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnnotationLimits {
    /// Errors per step.
    pub errors: usize,
    /// Warnings per step.
    pub warnings: usize,
    /// Notices per step.
    pub notices: usize,
    /// Characters of one message that the runner keeps.
    pub message_chars: usize,
}

impl Default for AnnotationLimits {
    /// The limits of github.com: 10 of each kind per step, of which one is kept for "and N more".
    fn default() -> Self {
        Self { errors: 10, warnings: 10, notices: 10, message_chars: 4096 }
    }
}

/// What goes to the log as annotations, and how many found no room.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// Workflow commands, one a line, each with its line break.
    pub commands: String,
    /// How many diagnostics found no room among the annotations.
    pub left_over: usize,
}

/// Renders diagnostics as workflow commands, errors first. Where they do not all fit, the last place of a kind says how
/// many more there are.
pub fn annotations(diagnostics: &[Diagnostic], limits: AnnotationLimits) -> Annotations {
    let mut out = Annotations::default();
    for (severity, command, room) in [
        (Severity::Error, "error", limits.errors),
        (Severity::Warning, "warning", limits.warnings),
        (Severity::Note, "notice", limits.notices),
    ] {
        let of_kind: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.severity == severity).collect();
        let shown = if of_kind.len() <= room { of_kind.len() } else { room.saturating_sub(1) };
        for diagnostic in &of_kind[..shown] {
            write_annotation(&mut out.commands, command, diagnostic, limits.message_chars);
        }
        let rest = of_kind.len() - shown;
        if rest > 0 {
            out.left_over += rest;
            if room > 0 {
                let _ = writeln!(out.commands, "::{command}::and {rest} more, see the log of the step");
            }
        }
    }
    out
}

fn write_annotation(out: &mut String, command: &str, diagnostic: &Diagnostic, message_chars: usize) {
    let mut properties = Vec::with_capacity(6);
    if let Some(file) = diagnostic.file() {
        properties.push(format!("file={}", escape_property(file)));
    }
    if let (Some(line), column) = diagnostic.line_and_column() {
        properties.push(format!("line={line}"));
        if let Some(column) = column {
            properties.push(format!("col={column}"));
        }
    }
    if let Place::Span(label) = &diagnostic.place {
        let start = label.source.position(label.span.start);
        let end = label.source.position(label.span.end);
        if end.line == start.line && end.column > start.column {
            properties.push(format!("endLine={}", end.line));
            properties.push(format!("endColumn={}", end.column));
        }
    }
    properties
        .push(format!("title={}", escape_property(&format!("{} {}", diagnostic.code.name(), diagnostic.code.title()))));
    let mut message = diagnostic.message.clone();
    if let Some(path) = &diagnostic.path {
        let _ = write!(message, " (at {path})");
    }
    for help in &diagnostic.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    if message.chars().count() > message_chars {
        message = message.chars().take(message_chars.saturating_sub(1)).chain(['…']).collect();
    }
    let _ = writeln!(out, "::{command} {}::{}", properties.join(","), escape_data(&message));
}

/// Escapes the data of a workflow command: `%`, CR and LF.
pub fn escape_data(text: &str) -> Cow<'_, str> {
    escape(text, false)
}

/// Escapes a property value of a workflow command: as data, and `:` and `,`.
pub fn escape_property(text: &str) -> Cow<'_, str> {
    escape(text, true)
}

fn escape(text: &str, property: bool) -> Cow<'_, str> {
    let code = |c: char| match c {
        '%' => Some("%25"),
        '\r' => Some("%0D"),
        '\n' => Some("%0A"),
        ':' if property => Some("%3A"),
        ',' if property => Some("%2C"),
        _ => None,
    };
    if !text.chars().any(|c| code(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match code(c) {
            Some(escaped) => out.push_str(escaped),
            None => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::super::{Code, Source};
    use super::*;

    fn many(n: usize, severity: Severity) -> Vec<Diagnostic> {
        (0..n).map(|i| Diagnostic::new(Code::WrongType, severity, format!("finding {i}"))).collect()
    }

    #[test]
    fn an_annotation_names_file_line_column_and_title() {
        let source = Source::new("configs/a,b.yaml", "k:\n  tp: x\n");
        let d = Diagnostic::error(Code::WrongType, "100% wrong\n::error::x")
            .at(&source, 9..10)
            .path("k.tp")
            .help("write 8");
        let out = annotations(&[d], AnnotationLimits::default());
        assert_eq!(
            out.commands,
            format!(
                "::error file=configs/a%2Cb.yaml,line=2,col=7,endLine=2,endColumn=8,title={} wrong type::100%25 wrong%0A::error::x (at k.tp)%0Ahelp: write 8\n",
                Code::WrongType.name()
            )
        );
    }

    #[test]
    fn errors_come_first_and_the_last_place_counts_the_rest() {
        let mut all = many(12, Severity::Warning);
        all.extend(many(11, Severity::Error));
        let out = annotations(&all, AnnotationLimits::default());
        let lines: Vec<&str> = out.commands.lines().collect();
        assert_eq!(lines.len(), 20);
        assert!(lines[..10].iter().all(|l| l.starts_with("::error")));
        assert_eq!(lines[9], "::error::and 2 more, see the log of the step");
        assert_eq!(lines[19], "::warning::and 3 more, see the log of the step");
        assert_eq!(out.left_over, 5);
    }

    #[test]
    fn ten_of_a_kind_fit_whole() {
        let out = annotations(&many(10, Severity::Error), AnnotationLimits::default());
        assert_eq!((out.commands.lines().count(), out.left_over), (10, 0));
    }

    #[test]
    fn a_long_message_is_cut_to_what_the_runner_keeps() {
        let d = Diagnostic::error(Code::WrongType, "é".repeat(5000));
        let out = annotations(&[d], AnnotationLimits::default());
        let message = out.commands.trim_end().rsplit("::").next().unwrap();
        assert_eq!(message.chars().count(), 4096);
        assert!(message.ends_with('…'));
    }
}
