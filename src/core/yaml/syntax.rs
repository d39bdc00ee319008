//! What the parser's errors mean to a person: one sentence, the place to look at, and what to do.

use std::ops::Range;

use granit_parser::ErrorKind;

/// A syntax error in plain words.
pub(super) struct Explained {
    pub(super) message: String,
    /// The bytes to look at.
    pub(super) at: Range<usize>,
    pub(super) help: String,
    /// Whether the innermost bracket that is open has to do with it.
    pub(super) concerns_bracket: bool,
}

const GENERAL_HELP: &str =
    "check the indentation, quote texts that hold `: ` or ` #`, and close every bracket and quote";
const INDENTATION_HELP: &str = "indent the line like those that it belongs to";

/// Explains an error that the parser found at a byte. `in_brackets` is whether a bracket is open there.
pub(super) fn explain(kind: &ErrorKind, text: &str, at: usize, in_brackets: bool) -> Explained {
    let character = text[at..].chars().next().filter(|c| !matches!(c, '\n' | '\r'));
    let here = at..at + character.map_or(0, char::len_utf8);
    let plain = |message: &str, help: &str| Explained {
        message: message.to_owned(),
        at: here.clone(),
        help: help.to_owned(),
        concerns_bracket: false,
    };
    let bracket = |message: &str, help: &str| Explained { concerns_bracket: in_brackets, ..plain(message, help) };
    match kind {
        ErrorKind::UnknownAnchor => {
            let word = word_at(text, at);
            let shown = &text[word.clone()];
            let name = shown.trim_start_matches('*');
            let message = format!("the alias `{shown}` refers to no anchor that stands before it");
            let help = format!("put `&{name}` before the value that is meant, or quote the text: \"{shown}\"");
            Explained { message, at: word, help, concerns_bracket: false }
        }
        ErrorKind::MissingAnchorOrAliasName => {
            let mark = character.unwrap_or('*');
            plain(&format!("a name must follow `{mark}`"), &format!("quote it if it is text: \"{mark}\""))
        }
        ErrorKind::UnexpectedCharacter { character } => {
            plain(&format!("a text without quotes cannot start with `{character}`"), "put quotes around the text")
        }
        ErrorKind::TabInPlainScalar
        | ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart => tab(text, at),
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => plain(
            &format!("the bracket `{open}` is closed by `{close}`"),
            &format!("close it with `{}` first", closing(*open)),
        ),
        ErrorKind::UnclosedFlowCollection { open } => {
            plain(&format!("the bracket `{open}` is never closed"), &format!("close it with `{}`", closing(*open)))
        }
        ErrorKind::MisplacedFlowCollectionEnd => {
            plain("the bracket closes nothing", "remove it, or quote the text that it belongs to")
        }
        ErrorKind::BlockEntryInFlowCollection => {
            bracket("a list item starts inside of a bracket", "close the bracket before the next item")
        }
        ErrorKind::ExpectedFlowMappingSeparator => {
            bracket("expected `,` or `}` before this", "separate with `,`, close the bracket, or quote the text")
        }
        ErrorKind::ExpectedFlowSequenceSeparator => {
            bracket("expected `,` or `]` before this", "separate with `,`, close the bracket, or quote the text")
        }
        ErrorKind::InvalidColonPlacement => {
            bracket("a `:` stands where no key can be", "close the bracket before the next key, or quote the text")
        }
        ErrorKind::UnclosedQuotedScalar => plain("the quote is never closed", "close it with the same quote"),
        ErrorKind::InvalidTrailingSingleQuotedScalar => plain(
            "more text stands behind the closing quote",
            "put all of it in quotes; inside of single quotes, write '' for one",
        ),
        ErrorKind::InvalidTrailingDoubleQuotedScalar => plain(
            "more text stands behind the closing quote",
            "put all of it in quotes; inside of double quotes, write \\\" for one",
        ),
        ErrorKind::UnknownQuotedScalarEscape | ErrorKind::InvalidQuotedScalarHexEscape => plain(
            "a `\\` in this text starts no escape that YAML knows",
            "write `\\\\` for a backslash, or use single quotes, where it means itself",
        ),
        ErrorKind::MappingValueNotAllowed if has_key_before(text, at) => {
            plain("a second `:` stands in this line", "quote a text that holds `: `")
        }
        ErrorKind::MappingValueNotAllowed => bracket(
            "a `:` stands where no key can be",
            "indent the line like those around it, and check that the line above is complete",
        ),
        ErrorKind::ExpectedBlockMappingKey => plain("expected a key here", INDENTATION_HELP),
        ErrorKind::ExpectedBlockSequenceEntry => plain("expected a list item (`- `) here", INDENTATION_HELP),
        ErrorKind::BlockSequenceEntryNotAllowed => {
            plain("a list item cannot start here", "start it on a line of its own")
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            plain("a key without `:`", "write `key: value`, or indent the line as part of the text above")
        }
        ErrorKind::CommentInterceptedScalar => plain(
            "a comment stands inside of a text that goes on below",
            "quote the text, or indent the next line less",
        ),
        ErrorKind::InvalidBlockScalarHeader => {
            plain("text stands behind `|` or `>`", "start the text on the next line, indented, or quote all of it")
        }
        ErrorKind::ExpectedDocumentStart => plain("the document ended before this", GENERAL_HELP),
        other => plain(&format!("not valid YAML: {other}"), GENERAL_HELP),
    }
}

fn closing(open: char) -> char {
    if open == '[' { ']' } else { '}' }
}

/// The parser reports the text before the tab; the tab itself is what has to go.
fn tab(text: &str, at: usize) -> Explained {
    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let found = text[at..].find('\t').map(|offset| at + offset).or_else(|| {
        let before = &text[line_start..at];
        before.find('\t').map(|offset| line_start + offset)
    });
    let at = found.unwrap_or(at);
    Explained {
        message: "a tab stands outside of quotes and comments".to_owned(),
        at: at..(at + 1).min(text.len()),
        help: "indent and separate with spaces: YAML 1.1 readers refuse the tab".to_owned(),
        concerns_bracket: false,
    }
}

/// The bytes up to the next blank or bracket.
fn word_at(text: &str, at: usize) -> Range<usize> {
    let end = text[at..].find([' ', '\t', '\n', '\r', ',', ']', '}']);
    at..end.map_or(text.len(), |len| at + len)
}

/// Whether the line has a key before this place.
fn has_key_before(text: &str, at: usize) -> bool {
    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[line_start..at].contains(": ")
}
