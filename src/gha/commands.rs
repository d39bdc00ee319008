//! Workflow commands as text: masks, groups, messages, and a fence around text of strangers.
//!
//! In: values. Out: lines for the log, each with its line break. The runner reads commands from standard output and standard
//! error alike, so text that nobody here wrote goes through [`Fence`] or [`quoted`].
//!
//! The protocol: <https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>.

use std::borrow::Cow;

use super::limits::ANNOTATION_CHARS;
use super::random;
use crate::core::diag::{Code, Diagnostic, escape_data};

/// Masks a value in all later logs: the whole, and each line of a value with several, because logs are masked by line.
///
/// The runner also drops job outputs that hold a masked value, so mask no short or common text.
///
/// # Errors
///
/// [`Code::BadInput`] when the value is blank: the runner refuses that mask, and nothing would be hidden.
pub fn mask(value: &str) -> Result<String, Diagnostic> {
    if value.trim().is_empty() {
        return Err(Diagnostic::error(Code::BadInput, "the value to mask is empty"));
    }
    let mut out = command("add-mask", value);
    for line in value.split(['\r', '\n']).map(str::trim).filter(|line| !line.is_empty() && *line != value) {
        out.push_str(&command("add-mask", line));
    }
    Ok(out)
}

/// Opens a group of lines that can be folded. Groups do not nest.
pub fn group(title: &str) -> String {
    command("group", &one_line(title))
}

/// Closes the open group.
pub fn end_group() -> String {
    command("endgroup", "")
}

/// A message that is shown only when the job runs with debug logging.
pub fn debug(message: &str) -> String {
    command("debug", message)
}

/// A notice on the page of the run, cut to what the runner keeps. At most ten of them per step are shown.
pub fn notice(message: &str) -> String {
    match message.char_indices().nth(ANNOTATION_CHARS) {
        None => command("notice", message),
        Some(_) => {
            let kept: String = message.chars().take(ANNOTATION_CHARS - 1).chain(['…']).collect();
            command("notice", &kept)
        }
    }
}

fn command(name: &str, data: &str) -> String {
    format!("::{name}::{}\n", escape_data(data))
}

fn one_line(text: &str) -> String {
    text.split(['\r', '\n']).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A part of the log in which the runner obeys no command but the one that ends it.
///
/// Output that is streamed goes between [`Fence::begin`] and [`Fence::end`], each piece through [`defused`].
#[derive(Debug, Clone)]
pub struct Fence {
    token: String,
}

impl Fence {
    /// A fence that only its own random token ends.
    ///
    /// # Errors
    ///
    /// Those of [`random::token`].
    pub fn new() -> Result<Self, Diagnostic> {
        Self::with_token(random::token()?)
    }

    /// A fence with a token from elsewhere.
    ///
    /// # Errors
    ///
    /// [`Code::OutputFailed`] when the token is shorter than 16 characters or not one word. The runner refuses an empty
    /// token and one that is a command, and a short one can be guessed.
    pub fn with_token(token: impl Into<String>) -> Result<Self, Diagnostic> {
        const MIN_CHARS: usize = 16;
        let token = token.into();
        if token.len() < MIN_CHARS || !token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return Err(Diagnostic::error(Code::OutputFailed, "the token that fences the log is unusable"));
        }
        Ok(Self { token })
    }

    /// The line that stops commands.
    pub fn begin(&self) -> String {
        command("stop-commands", &self.token)
    }

    /// The line that resumes them.
    pub fn end(&self) -> String {
        command(&self.token, "")
    }

    /// A whole text behind this fence.
    ///
    /// # Errors
    ///
    /// [`Code::OutputFailed`] when the text holds the token, which it cannot know by chance.
    pub fn around(&self, text: &str) -> Result<String, Diagnostic> {
        if text.to_ascii_lowercase().contains(&self.token.to_ascii_lowercase()) {
            return Err(Diagnostic::error(Code::OutputFailed, "the text holds the random token that fences it"));
        }
        let line_break = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        Ok(format!("{}{}{line_break}{}", self.begin(), defused(text), self.end()))
    }
}

/// Takes the older form of a command, `##[name]`, out of a text. The runner reads it anywhere in a line, and the page of the
/// log draws it even where commands are stopped.
pub fn defused(text: &str) -> Cow<'_, str> {
    if text.contains("##[") { Cow::Owned(text.replace("##[", "# #[")) } else { Cow::Borrowed(text) }
}

/// Text for the log in which the runner finds no command: a line that would start one gets `| ` in front, and the older form
/// is broken up. All other lines stay as they are, so tables and messages keep their look.
///
/// The runner trims a line before it looks for `::`, and a carriage return ends a line too.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let text = defused(text);
    let commands = |line: &&str| line.trim_start().starts_with("::");
    if !text.split_inclusive(['\r', '\n']).any(|line| commands(&line)) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive(['\r', '\n']) {
        if commands(&line) {
            out.push_str("| ");
        }
        out.push_str(line);
    }
    Cow::Owned(out)
}

/// Puts `| ` in front of every line, so that none starts with a command. A carriage return ends a line too: the runner
/// reads `progress\r::error::` as two lines.
pub fn quoted(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text = defused(text);
    let text = text.replace("\r\n", "\n");
    let text = text.strip_suffix(['\r', '\n']).unwrap_or(&text);
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split(['\r', '\n']) {
        out.push_str("| ");
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TOKEN: &str = "srtx_0123456789abcdef";

    /// The lines as the runner splits them.
    fn lines(text: &str) -> Vec<&str> {
        text.split(['\r', '\n']).collect()
    }

    /// Whether the runner would look for a command in this line.
    fn may_command(line: &str) -> bool {
        line.trim_start().starts_with("::") || line.contains("##[")
    }

    #[test]
    fn b14_l28_a_mask_escapes_percent_and_line_breaks() {
        assert_eq!(mask("p%25a").unwrap(), "::add-mask::p%2525a\n");
        assert_eq!(mask("a:b,c").unwrap(), "::add-mask::a:b,c\n");
        assert_eq!(mask(" x ").unwrap(), "::add-mask:: x \n::add-mask::x\n");
    }

    #[test]
    fn b14_l30_a_secret_of_several_lines_is_masked_whole_and_by_line() {
        assert_eq!(
            mask("BEGIN\n  ab%c\r\n\nEND\n").unwrap(),
            "::add-mask::BEGIN%0A  ab%25c%0D%0A%0AEND%0A\n::add-mask::BEGIN\n::add-mask::ab%25c\n::add-mask::END\n"
        );
    }

    #[test]
    fn l30_an_empty_mask_is_refused() {
        for value in ["", " ", "\n"] {
            assert_eq!(mask(value).unwrap_err().code, Code::BadInput, "{value:?}");
        }
    }

    #[test]
    fn l28_groups_and_messages_are_one_line_each() {
        assert_eq!(group("a\n::error::b 100%\n"), "::group::a ::error::b 100%25\n");
        assert_eq!(end_group(), "::endgroup::\n");
        assert_eq!(debug("a\r\nb"), "::debug::a%0D%0Ab\n");
        assert_eq!(notice("a\n::stop-commands::x"), "::notice::a%0A::stop-commands::x\n");
    }

    #[test]
    fn l29_a_notice_is_cut_to_what_the_runner_keeps() {
        let kept = |length: usize| notice(&"é".repeat(length)).trim_end().chars().count() - "::notice::".len();
        assert_eq!((kept(4096), kept(4097)), (4096, 4096));
        assert!(notice(&"é".repeat(4097)).ends_with("é…\n"));
        assert!(notice(&"é".repeat(4096)).ends_with("éé\n"));
    }

    #[test]
    fn l28_a_fence_stands_on_lines_of_its_own() {
        let fence = Fence::with_token(TOKEN).unwrap();
        for (text, inside) in [
            ("a", "a\n"),
            ("a\n", "a\n"),
            ("", ""),
            ("a\r", "a\r\n"),
            ("::error::x\n##[error]y", "::error::x\n# #[error]y\n"),
        ] {
            let expected = format!("::stop-commands::{TOKEN}\n{inside}::{TOKEN}::\n");
            assert_eq!(fence.around(text).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn l28_a_fence_has_an_unguessable_token_and_no_text_that_holds_it() {
        for token in ["", "error", "pause-logging", "0123456789abcde", "0123456789abcdef::x"] {
            assert_eq!(Fence::with_token(token).unwrap_err().code, Code::OutputFailed, "{token}");
        }
        let fence = Fence::with_token(TOKEN).unwrap();
        for text in [format!("::{TOKEN}::"), TOKEN.to_uppercase()] {
            assert_eq!(fence.around(&text).unwrap_err().code, Code::OutputFailed, "{text}");
        }
        assert_ne!(Fence::new().unwrap().begin(), Fence::new().unwrap().begin());
    }

    #[test]
    fn l28_only_lines_that_would_command_are_changed() {
        for (text, shown) in [
            ("a\n  b :: c\n", "a\n  b :: c\n"),
            ("::error::x", "| ::error::x"),
            ("a\r::error::x\r\n \t::set-output name=a::b\n", "a\r| ::error::x\r\n|  \t::set-output name=a::b\n"),
            ("\u{a0}::add-mask::a", "| \u{a0}::add-mask::a"),
            ("x ##[add-mask]y", "x # #[add-mask]y"),
            ("", ""),
        ] {
            assert_eq!(harmless(text), shown, "{text:?}");
        }
    }

    #[test]
    fn l28_quoted_lines_start_with_a_bar_also_behind_a_carriage_return() {
        assert_eq!(quoted("a\r::error::b\r\n::error::c\n\n"), "| a\n| ::error::b\n| ::error::c\n| \n");
        assert_eq!(quoted("x ##[error]y"), "| x # #[error]y\n");
        assert_eq!((quoted("").as_str(), quoted("\n").as_str()), ("", "| \n"));
    }

    proptest! {
        #[test]
        fn l28_quoted_text_holds_no_command(text in "(::|#|\\[|\r|\n| |\u{a0}|error|\\PC){0,20}") {
            let (quoted, harmless) = (quoted(&text), harmless(&text));
            for line in lines(&quoted).into_iter().chain(lines(&harmless)) {
                prop_assert!(!may_command(line), "{:?}", line);
            }
            prop_assert!(!defused(&text).contains("##["));
        }

        #[test]
        fn l28_a_message_never_becomes_a_second_line(text in "(::|%|\r|\n|error|\\PC){0,20}") {
            for text in [debug(&text), notice(&text), group(&text)] {
                prop_assert_eq!(lines(&text).len(), 2, "{:?}", text);
                prop_assert!(text.ends_with('\n'));
            }
        }
    }
}
