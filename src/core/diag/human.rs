//! Diagnostics for people: title, place, snippet with carets, path, help.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Label, Place, Severity, Source, floor_char_boundary};

/// Lines of context around the lines that are pointed at.
const CONTEXT_LINES: usize = 1;
/// A span over more lines is shown by its first lines only.
const MAX_SPAN_LINES: usize = 4;

/// The text for one diagnostic, with a line break at the end; `colour` adds terminal colours.
pub fn render_human(diagnostic: &Diagnostic, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let message = printable(&diagnostic.message);
    let windows = Window::of(diagnostic);
    let title = level.primary_title(message.as_str()).id(diagnostic.code.name());
    let mut group = Group::with_title(title);
    match &diagnostic.place {
        Place::Nowhere | Place::Span(_) => {}
        Place::File(name) => group = group.element(Origin::path(printable(name))),
        Place::Line(name, line) => group = group.element(Origin::path(printable(name)).line(*line)),
    }
    for window in &windows {
        group = group.element(window.snippet());
    }
    let path = diagnostic.path.as_deref().filter(|path| says_more_than_the_snippet(path)).map(printable);
    if let Some(path) = &path {
        group = group.element(Level::NOTE.with_name("at").message(path.as_str()));
    }
    let help: Vec<String> = diagnostic.help.iter().map(|line| printable(line)).collect();
    for line in &help {
        group = group.element(Level::HELP.message(line.as_str()));
    }
    let mut text = renderer.render(&[group]);
    text.push('\n');
    text
}

/// A path of one step is the key that the caret points at.
fn says_more_than_the_snippet(path: &str) -> bool {
    path.contains(['.', '['])
}

/// Control characters of untrusted text must not reach the terminal, and a value with lines must not start one.
fn printable(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => '↵',
        '\t' => ' ',
        c if c.is_control() || turns_direction(c) => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

/// Marks that make a terminal show text in another order than it stands in.
fn turns_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The renderer makes the other control characters visible, but lets those from U+0080 on through. Their stand-in is
/// as long, so that all places stay where they are.
fn without_c1_controls(text: &str) -> Cow<'_, str> {
    const VISIBLE: char = '\u{b7}';
    let is_c1 = |c: char| ('\u{80}'..='\u{9f}').contains(&c);
    if !text.contains(is_c1) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_c1(c) { VISIBLE } else { c }).collect())
}

/// The few lines of a source that a diagnostic shows. Rendering is then independent of the size of the file.
struct Window<'d> {
    source: &'d Source,
    first_line: usize,
    bytes: Range<usize>,
    marks: Vec<(Range<usize>, &'d str, bool)>,
}

impl<'d> Window<'d> {
    fn of(diagnostic: &'d Diagnostic) -> Vec<Self> {
        let mut windows: Vec<Self> = Vec::new();
        if let Place::Span(label) = &diagnostic.place {
            windows.push(Self::around(label, true));
        }
        for label in &diagnostic.related {
            let next = Self::around(label, false);
            match windows.iter_mut().find(|w| w.can_show(&next)) {
                Some(window) => window.absorb(next),
                None => windows.push(next),
            }
        }
        windows
    }

    fn around(label: &'d Label, primary: bool) -> Self {
        let source = &*label.source;
        let first = source.position(label.span.start).line;
        let last = source.position(label.span.end.max(label.span.start)).line;
        let last = last.min(first + MAX_SPAN_LINES - 1);
        let end = label.span.end.min(source.lines(first, last).end);
        let first_line = first.saturating_sub(CONTEXT_LINES).max(1);
        Self {
            source,
            first_line,
            bytes: source.lines(first_line, last + CONTEXT_LINES),
            marks: vec![(label.span.start..end.max(label.span.start), &label.text, primary)],
        }
    }

    /// Near enough in the same file to share one snippet.
    fn can_show(&self, other: &Self) -> bool {
        const NEAR_BYTES: usize = 4096;
        std::ptr::eq(self.source, other.source)
            && other.bytes.start <= self.bytes.end + NEAR_BYTES
            && self.bytes.start <= other.bytes.end + NEAR_BYTES
    }

    fn absorb(&mut self, other: Self) {
        self.first_line = self.first_line.min(other.first_line);
        self.bytes = self.bytes.start.min(other.bytes.start)..self.bytes.end.max(other.bytes.end);
        self.marks.extend(other.marks);
    }

    fn snippet(&self) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        const BYTE_ORDER_MARK: &str = "\u{feff}";
        let mut start = self.bytes.start;
        let mut text = &self.source.text()[self.bytes.clone()];
        if let Some(rest) = text.strip_prefix(BYTE_ORDER_MARK) {
            start += BYTE_ORDER_MARK.len();
            text = rest;
        }
        let bytes = text.len();
        let text = without_c1_controls(text);
        debug_assert_eq!(text.len(), bytes);
        Snippet::source(text.clone()).path(printable(self.source.name())).line_start(self.first_line).annotations(
            self.marks.iter().map(|(span, label, primary)| {
                let kind = if *primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                let from = floor_char_boundary(&text, span.start.saturating_sub(start));
                let to = floor_char_boundary(&text, span.end.saturating_sub(start)).max(from);
                kind.span(from..to).label((!label.is_empty()).then_some(*label))
            }),
        )
    }
}
