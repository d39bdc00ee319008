//! Where a part of a scalar's text stands in the file.
//!
//! A text that was read is not always what is written: block texts lose their indentation, folded ones their line breaks,
//! quoted ones their escapes. A finding inside such a text must point at the very characters all the same.

use std::ops::Range;

use super::NodeRef;

impl NodeRef<'_> {
    /// The bytes of the file at which `part` of this scalar's text stands. Where the two cannot be matched, or for a list
    /// or mapping, the first line of the value.
    pub fn locate(self, part: Range<usize>) -> Range<usize> {
        let span = self.span();
        let written = &self.source().text()[span.clone()];
        let found = self.scalar_text().and_then(|text| match written.find(text) {
            // One line, or quoted without escapes.
            Some(at) if !text.is_empty() => Some(at + part.start..at + part.end),
            _ => Alignment::of(text, written).and_then(|alignment| alignment.range(&part)),
        });
        match found {
            Some(range) => {
                let end = (span.start + range.end).min(span.end);
                (span.start + range.start).min(end)..end
            }
            None => span.start..span.start + written.find('\n').unwrap_or(written.len()),
        }
    }
}

/// For each byte of a text where it is written; the last entry is the end.
struct Alignment(Vec<u32>);

impl Alignment {
    fn of(text: &str, written: &str) -> Option<Self> {
        match written.as_bytes().first()? {
            b'"' => Self::of_words(text, written, 1, Quote::Double),
            b'\'' => Self::of_words(text, written, 1, Quote::Single),
            _ => Self::of_literal(text, written).or_else(|| Self::of_words(text, written, 0, Quote::None)),
        }
    }

    fn range(&self, part: &Range<usize>) -> Option<Range<usize>> {
        let start = *self.0.get(part.start)? as usize;
        // The end of what stands there, not the start of what comes next: indentation may lie between.
        let end = match part.end.checked_sub(1).filter(|last| *last >= part.start) {
            Some(last) => *self.0.get(last)? as usize + 1,
            None => start,
        };
        Some(start..end)
    }

    /// A literal block: each line of the text ends a line of the file.
    fn of_literal(text: &str, written: &str) -> Option<Self> {
        let mut places = Vec::with_capacity(text.len() + 1);
        let mut lines = line_ranges(written);
        for line in text.split('\n') {
            let Some(range) = lines.next() else {
                // Line breaks at the end that are kept or added.
                places.resize(text.len() + 1, narrow(written.len())?);
                break;
            };
            let start = range.start + written[range.clone()].len().checked_sub(line.len())?;
            if &written[start..range.end] != line {
                return None;
            }
            for at in start..=range.end {
                places.push(narrow(at)?);
            }
        }
        places.resize(text.len() + 1, narrow(written.len())?);
        Some(Self(places))
    }

    /// Texts in which blanks and line breaks may differ, and quoted ones with escapes.
    fn of_words(text: &str, written: &str, start: usize, quote: Quote) -> Option<Self> {
        let (text, written) = (text.as_bytes(), written.as_bytes());
        let mut places = Vec::with_capacity(text.len() + 1);
        let (mut i, mut j) = (0, start);
        while i < text.len() {
            let t = text[i];
            // The break at the end of a block may stand outside of its bytes.
            let &w = written.get(j).or_else(|| is_blank(t).then_some(&b' '))?;
            if quote == Quote::Double && w == b'\\' {
                let length = escape_length(written, j)?;
                if written[j + 1] == b'\n' || written[j + 1] == b'\r' {
                    j = skip_blanks(written, j + 1);
                    continue;
                }
                // One character, of whatever length.
                let bytes = utf8_length(t);
                for _ in 0..bytes {
                    places.push(narrow(j)?);
                }
                (i, j) = (i + bytes, j + length);
            } else if t == w {
                places.push(narrow(j)?);
                j += if quote == Quote::Single && w == b'\'' { 2 } else { 1 };
                i += 1;
                if t == b'\n' {
                    j = skip_blanks(written, j);
                }
            } else if is_blank(t) && is_blank(w) {
                places.push(narrow(j)?);
                i += 1;
                j = skip_blanks(written, j);
            } else if is_blank(w) {
                j += 1;
            } else if is_blank(t) {
                places.push(narrow(j)?);
                i += 1;
            } else {
                return None;
            }
        }
        places.push(narrow(j)?);
        Some(Self(places))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Quote {
    None,
    Single,
    Double,
}

fn narrow(at: usize) -> Option<u32> {
    u32::try_from(at).ok()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn skip_blanks(bytes: &[u8], from: usize) -> usize {
    from + bytes[from.min(bytes.len())..].iter().take_while(|byte| is_blank(**byte)).count()
}

fn utf8_length(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

/// How many bytes an escape takes.
fn escape_length(written: &[u8], at: usize) -> Option<usize> {
    Some(match written.get(at + 1)? {
        b'x' => 4,
        b'u' => 6,
        b'U' => 10,
        _ => 2,
    })
}

/// The lines of a text without their line breaks.
fn line_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let range = start..start + line.strip_suffix('\r').unwrap_or(line).len();
        start += line.len() + 1;
        range
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Schema, parse};
    use crate::core::diag::{Diagnostics, Source};

    fn shown(text: &str, part: &str) -> String {
        let source = Source::new("f", text);
        let document = parse(&source, Schema::Core12, &mut Diagnostics::new()).unwrap();
        let node = document.root().unwrap().get("k").unwrap();
        let at = node.scalar_text().unwrap().find(part).unwrap();
        let range = node.locate(at..at + part.len());
        format!("{}@{}", &text[range.clone()], range.start)
    }

    #[test]
    fn a_part_is_found_in_every_style() {
        for text in [
            "k: a ${{ b }} c\n",
            "k: 'it''s ${{ b }}'\n",
            "k: \"\\t\\u00e9 ${{ b }}\\n\"\n",
            "k: |\n  one\n\n    two ${{ b }}\n  three\n",
            "k: |2-\n    two\n  ${{ b }}\n",
            "k: >\n  one\n  two ${{ b }}\n\n  three\n",
            "k: one\n  two\n  ${{ b }} three\n",
            "k: |\r\n  one\r\n  two ${{ b }}\r\n",
            "k: \"one\n  two ${{ b }}\n  three \\\n  four\"\n",
        ] {
            let at = text.find("${{ b }}").unwrap();
            assert_eq!(shown(text, "${{ b }}"), format!("${{{{ b }}}}@{at}"), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_matched_is_the_first_line() {
        let source = Source::new("f", "k:\n  - a\n  - b\n");
        let document = parse(&source, Schema::Core12, &mut Diagnostics::new()).unwrap();
        let node = document.root().unwrap().get("k").unwrap();
        assert_eq!(&source.text()[node.locate(0..99)], "- a");
    }
}
