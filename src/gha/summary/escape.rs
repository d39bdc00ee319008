//! Makes foreign text harmless in Markdown. In: a text. Out: Markdown that shows exactly that text, on one line.

use crate::core::diag::floor_char_boundary;

/// What a line break of the text becomes.
pub(super) const LINE_BREAK: &str = "<br>";

/// A text inside a line, a table cell or a heading. White space at both ends is dropped.
///
/// HTML characters and the bar become entities, because those never have a meaning in a table; the other characters that
/// Markdown knows get a backslash.
pub(super) fn inline(text: &str) -> String {
    let text = text.trim();
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' => out.push_str("&#124;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' => out.extend(['\\', c]),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' | '\n' => out.push_str(LINE_BREAK),
            '\t' => out.push(' '),
            c if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

/// A text that starts a line, where a dash, a plus, an equals sign or a number would start a list or underline a heading.
pub(super) fn paragraph(text: &str) -> String {
    let mut out = inline(text);
    let digits = out.bytes().take_while(u8::is_ascii_digit).count();
    if out.starts_with(['-', '+', '=']) {
        out.insert(0, '\\');
    } else if digits > 0 && out[digits..].starts_with(['.', ')']) {
        out.insert(digits, '\\');
    }
    out
}

/// The start of an escaped text in at most `room` bytes, with an ellipsis. No entity, tag or escape is cut in two.
pub(super) fn cut_markup(escaped: &str, room: usize) -> String {
    const ELLIPSIS: &str = "…";
    let Some(room) = room.checked_sub(ELLIPSIS.len()) else { return String::new() };
    let mut kept = &escaped[..floor_char_boundary(escaped, room)];
    // Both characters stand in escaped text only where we put them.
    for (open, close) in [('&', ';'), ('<', '>')] {
        if let Some(at) = kept.rfind(open).filter(|&at| !kept[at..].contains(close)) {
            kept = &kept[..at];
        }
    }
    let backslashes = kept.bytes().rev().take_while(|&b| b == b'\\').count();
    kept = &kept[..kept.len() - backslashes % 2];
    if kept.is_empty() { String::new() } else { format!("{kept}{ELLIPSIS}") }
}

/// A text inside a quoted HTML attribute, also within a table.
pub(super) fn attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '|' => out.push_str("&#124;"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn l30_what_markdown_and_html_know_is_escaped() {
        for (text, escaped) in [
            ("a|b", "a&#124;b"),
            ("`x`", "\\`x\\`"),
            ("<img src=x>&amp;", "&lt;img src=x&gt;&amp;amp;"),
            ("a\nb\r\nc\rd", "a<br>b<br>c<br>d"),
            ("a\r\r\nb", "a<br><br>b"),
            ("\\|", "\\\\&#124;"),
            ("**x** [y](z) ~~w~~ _v_ # u", "\\*\\*x\\*\\* \\[y\\](z) \\~\\~w\\~\\~ \\_v\\_ \\# u"),
            ("a\tb\u{1b}[31m\0", "a b\u{fffd}\\[31m\u{fffd}"),
            ("  é  ", "é"),
            ("dsr1-fp8-h200", "dsr1-fp8-h200"),
        ] {
            assert_eq!(inline(text), escaped, "{text:?}");
        }
    }

    #[test]
    fn l30_no_paragraph_becomes_a_list_or_a_heading() {
        for (text, escaped) in [
            ("- x", "\\- x"),
            ("+1", "\\+1"),
            ("---", "\\---"),
            ("===", "\\==="),
            ("# x", "\\# x"),
            ("> x", "&gt; x"),
            ("12. x", "12\\. x"),
            ("12) x", "12\\) x"),
            ("12 x", "12 x"),
            ("    code", "code"),
            ("", ""),
        ] {
            assert_eq!(paragraph(text), escaped, "{text:?}");
        }
    }

    #[test]
    fn l30_a_cut_keeps_entities_tags_and_escapes_whole() {
        for (escaped, room, kept) in [
            ("ab&amp;cd", 9, "ab…"),
            ("ab&amp;cd", 10, "ab&amp;…"),
            ("ab<br>cd", 8, "ab…"),
            ("ab<br>cd", 9, "ab<br>…"),
            ("a\\\\\\_b", 6, "a\\\\…"),
            ("a\\\\\\_b", 7, "a\\\\…"),
            ("a\\\\\\_b", 8, "a\\\\\\_…"),
            ("éé", 6, "é…"),
            ("&amp;", 6, ""),
            ("abc", 2, ""),
        ] {
            assert_eq!(cut_markup(escaped, room), kept, "{escaped} {room}");
        }
    }

    #[test]
    fn an_attribute_stays_inside_its_quotes() {
        assert_eq!(attribute("https://h/a?b=\"c\"&d=<e>|f\n"), "https://h/a?b=&quot;c&quot;&amp;d=&lt;e&gt;&#124;f");
    }

    proptest! {
        #[test]
        fn l30_escaped_text_is_one_line_without_bars_and_tags(text in "([|`<>&\\\\\r\n*#-]|\\PC|\\x00){0,16}") {
            let escaped = paragraph(&text);
            prop_assert!(!escaped.contains(['\n', '\r', '|', '\0']), "{}", escaped);
            let own = escaped.replace(LINE_BREAK, "");
            prop_assert!(!own.contains(['<', '>']), "{}", escaped);
            for room in 0..escaped.len() + 4 {
                let kept = cut_markup(&escaped, room);
                prop_assert!(kept.len() <= room, "{} {}", kept, room);
                if let Some(start) = kept.strip_suffix('…') {
                    prop_assert!(escaped.starts_with(start), "{} {}", kept, escaped);
                }
            }
        }
    }
}
