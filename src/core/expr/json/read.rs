//! Reading JSON by one of two rule books.

use std::borrow::Cow;
use std::fmt;

use super::super::text::decimal;
use super::special::special;
use super::{Json, Tree};

/// Reads a JSON text by the standard.
pub fn read_json(text: &str) -> Result<Json<'_>, JsonError> {
    read_document(text, Reader::value)
}

/// Reads a JSON text by the standard, with a reader of its only value.
pub(in super::super) fn read_document<'t, T>(
    text: &'t str,
    read: impl FnOnce(&mut Reader<'t>) -> Result<T, JsonError>,
) -> Result<T, JsonError> {
    /// What common readers take; deeper nesting is an attack or a mistake.
    const MAX_DEPTH: usize = 128;
    let mut reader = Reader { text, at: 0, depth: 0, max_depth: MAX_DEPTH, lenient: false };
    reader.skip_blanks()?;
    let value = read(&mut reader)?;
    reader.skip_blanks()?;
    if reader.at < text.len() { Err(reader.refuse("something follows the value")) } else { Ok(value) }
}

/// Reads the first value of a text as the runner's JSON library does: comments, single quotes, names without quotes,
/// trailing and doubled commas, `NaN`, hexadecimal and octal numbers, and anything behind the value are all taken.
pub(in super::super) fn read_lenient<'t, T: Tree<'t>>(text: &'t str) -> Result<T, JsonError> {
    /// The default of that library.
    const MAX_DEPTH: usize = 64;
    let mut reader = Reader { text, at: 0, depth: 0, max_depth: MAX_DEPTH, lenient: true };
    reader.skip_white();
    // A comment in front of everything is taken for the value, which is a text then.
    if let Some(comment) = reader.comment()? {
        return Ok(T::text(comment.into()));
    }
    reader.value()
}

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// What is wrong.
    pub message: String,
    /// The byte at which it is.
    pub at: usize,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.message, self.line, self.column)
    }
}

impl std::error::Error for JsonError {}

/// A place in a JSON text.
pub(in super::super) struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    max_depth: usize,
    lenient: bool,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The next byte, or 0 at the end; a NUL is refused wherever a byte is looked at.
    pub(in super::super) fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.byte() == byte;
        self.at += usize::from(found);
        found
    }

    fn refuse(&self, message: impl Into<String>) -> JsonError {
        let before = &self.text[..self.at];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        JsonError {
            message: message.into(),
            at: self.at,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    fn unexpected(&self) -> JsonError {
        match self.peek() {
            Some(c) => self.refuse(format!("unexpected `{c}`")),
            None => self.refuse("unexpected end"),
        }
    }

    #[inline]
    fn skip_white(&mut self) {
        // Most often nothing is there to be skipped.
        if (b'!'..0x80).contains(&self.byte()) {
            return;
        }
        let rest = &self.text.as_bytes()[self.at..];
        let white = rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
        self.at += white;
        if self.lenient && rest.get(white).is_some_and(|b| *b < b' ' || !b.is_ascii()) {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
        }
    }

    /// Skips blanks, and comments where they are allowed.
    fn skip_blanks(&mut self) -> Result<(), JsonError> {
        self.skip_white();
        while self.lenient && self.comment()?.is_some() {
            self.skip_white();
        }
        Ok(())
    }

    /// The text of the comment that starts here.
    fn comment(&mut self) -> Result<Option<&'t str>, JsonError> {
        if self.byte() != b'/' {
            return Ok(None);
        }
        let rest = self.rest();
        let (body, length) = if let Some(body) = rest.strip_prefix("//") {
            let end = body.find(['\n', '\r']).unwrap_or(body.len());
            (&body[..end], end + 2)
        } else if let Some(body) = rest.strip_prefix("/*") {
            let end = body.find("*/").ok_or_else(|| self.refuse("a comment is not closed"))?;
            (&body[..end], end + 4)
        } else {
            return Ok(None);
        };
        self.at += length;
        Ok(Some(body))
    }

    /// The value that starts here.
    pub(in super::super) fn value<T: Tree<'t>>(&mut self) -> Result<T, JsonError> {
        match self.byte() {
            b'{' => {
                let mut members = Vec::new();
                self.members(|reader, name| {
                    members.push((name.into(), reader.value()?));
                    Ok(())
                })?;
                Ok(T::object(members))
            }
            b'[' => {
                let mut items = Vec::new();
                self.items(|reader| {
                    items.push(reader.value()?);
                    Ok(())
                })?;
                Ok(T::array(items))
            }
            b'"' => Ok(T::text(self.quoted(b'"')?)),
            b'-' if self.lenient && self.rest().starts_with("-I") => {
                self.word("-Infinity", || T::number(f64::NEG_INFINITY))
            }
            b'-' | b'0'..=b'9' => self.number().map(T::number),
            b't' => self.word("true", || T::bool(true)),
            b'f' => self.word("false", || T::bool(false)),
            b'n' => self.word("null", T::null),
            b'\'' if self.lenient => Ok(T::text(self.quoted(b'\'')?)),
            // Nothing between two commas is a value too, and becomes the empty text.
            b',' if self.lenient => Ok(T::text("".into())),
            b'u' if self.lenient => self.word("undefined", || T::text("".into())),
            b'N' if self.lenient => self.word("NaN", || T::number(f64::NAN)),
            b'I' if self.lenient => self.word("Infinity", || T::number(f64::INFINITY)),
            b'.' if self.lenient => self.number().map(T::number),
            _ => Err(self.unexpected()),
        }
    }

    /// Steps over an opening bracket.
    fn descend(&mut self) -> Result<(), JsonError> {
        if self.depth == self.max_depth {
            return Err(self.refuse(format!("more than {} levels", self.max_depth)));
        }
        self.depth += 1;
        self.at += 1;
        Ok(())
    }

    /// The array that starts here: `item` reads one item of it.
    pub(in super::super) fn items(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.descend()?;
        let mut is_first = true;
        loop {
            self.skip_blanks()?;
            if (is_first || self.lenient) && self.take(b']') {
                break;
            }
            is_first = false;
            item(self)?;
            self.skip_blanks()?;
            if self.take(b']') {
                break;
            }
            if !self.take(b',') {
                return Err(self.unexpected());
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// The object that starts here: `member` reads the value of one member.
    pub(in super::super) fn members(
        &mut self,
        mut member: impl FnMut(&mut Self, Cow<'t, str>) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.descend()?;
        let mut is_first = true;
        loop {
            self.skip_blanks()?;
            if (is_first || self.lenient) && self.take(b'}') {
                break;
            }
            is_first = false;
            let name = self.name()?;
            self.skip_white();
            if !self.take(b':') {
                return Err(self.unexpected());
            }
            self.skip_blanks()?;
            member(self, name)?;
            self.skip_blanks()?;
            if self.take(b'}') {
                break;
            }
            if !self.take(b',') {
                return Err(self.unexpected());
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn name(&mut self) -> Result<Cow<'t, str>, JsonError> {
        match self.byte() {
            b'"' => self.quoted(b'"'),
            b'\'' if self.lenient => self.quoted(b'\''),
            _ if self.lenient && self.peek().is_some_and(is_identifier) => {
                let rest = self.rest();
                let length = rest.find(|c| !is_identifier(c)).unwrap_or(rest.len());
                self.at += length;
                Ok(rest[..length].into())
            }
            _ => Err(self.unexpected()),
        }
    }

    fn word<T>(&mut self, word: &str, value: impl FnOnce() -> T) -> Result<T, JsonError> {
        let Some(after) = self.rest().strip_prefix(word) else { return Err(self.unexpected()) };
        let is_over = after.chars().next().is_none_or(|c| {
            matches!(c, '}' | ']' | ',') || c.is_whitespace() || after.starts_with("//") || after.starts_with("/*")
        });
        if !is_over {
            return Err(self.unexpected());
        }
        self.at += word.len();
        Ok(value())
    }

    fn number(&mut self) -> Result<f64, JsonError> {
        let rest = self.rest();
        if let Some((value, length)) = short_integer(rest.as_bytes()) {
            self.at += length;
            return Ok(value);
        }
        let is_part = |c: char| matches!(c, '0'..='9' | '-' | '+' | '.' | 'a'..='f' | 'A'..='F' | 'x' | 'X');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let number = &rest[..length];
        let follows = rest[length..].chars().next();
        if follows.is_some_and(|c| !matches!(c, ',' | '}' | ']' | ')' | '/') && !c.is_whitespace()) {
            self.at += length;
            return Err(self.unexpected());
        }
        let value = if self.lenient { lenient_number(number) } else { standard_number(number) };
        let value = value.ok_or_else(|| self.refuse(format!("`{number}` is no number")))?;
        self.at += length;
        Ok(value)
    }

    pub(in super::super) fn quoted(&mut self, quote: u8) -> Result<Cow<'t, str>, JsonError> {
        let start = self.at;
        self.at += 1;
        let plain = self.plain(start, quote)?;
        // Most texts need no decoding.
        if self.take(quote) {
            return Ok(plain.into());
        }
        let mut text = plain.to_owned();
        while !self.take(quote) {
            // A backslash, or it would be over.
            self.at += 1;
            self.escape(&mut text)?;
            text.push_str(self.plain(start, quote)?);
        }
        Ok(text.into())
    }

    /// What stands before the next quote or backslash.
    fn plain(&mut self, start: usize, quote: u8) -> Result<&'t str, JsonError> {
        let rest = self.rest();
        let mut length = 0;
        loop {
            let Some(found) = special(&rest.as_bytes()[length..], quote, false) else {
                self.at = start;
                return Err(self.refuse("a text is not closed"));
            };
            length += found;
            if rest.as_bytes()[length] >= b' ' {
                break;
            }
            if !self.lenient {
                self.at += length;
                return Err(self.refuse("a control character stands in a text"));
            }
            length += 1;
        }
        self.at += length;
        Ok(&rest[..length])
    }

    fn escape(&mut self, text: &mut String) -> Result<(), JsonError> {
        let Some(c) = self.peek() else { return Err(self.unexpected()) };
        let plain = match c {
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'f' => '\u{c}',
            'r' => '\r',
            '\\' | '"' | '/' => c,
            '\'' if self.lenient => c,
            'u' => {
                self.at += 1;
                return self.unicode(text);
            }
            _ => return Err(self.refuse(format!("there is no escape `\\{c}`"))),
        };
        self.at += c.len_utf8();
        text.push(plain);
        Ok(())
    }

    /// What stands behind `\u`: one unit, or both of a pair.
    fn unicode(&mut self, text: &mut String) -> Result<(), JsonError> {
        let first = self.unit()?;
        if let Some(c) = char::from_u32(first) {
            text.push(c);
            return Ok(());
        }
        let is_high = first < 0xdc00;
        if is_high && self.rest().starts_with("\\u") {
            let back = self.at;
            self.at += 2;
            let second = self.unit()?;
            if (0xdc00..0xe000).contains(&second) {
                let c = char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00));
                text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
                return Ok(());
            }
            self.at = back;
        }
        if !self.lenient {
            return Err(self.refuse("half of a surrogate pair stands alone"));
        }
        text.push(char::REPLACEMENT_CHARACTER);
        Ok(())
    }

    fn unit(&mut self) -> Result<u32, JsonError> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.refuse("four hexadecimal digits must follow `\\u`"))?;
        self.at += 4;
        Ok(unit)
    }
}

/// A whole number of a few digits, as most are, with what commonly follows one.
fn short_integer(text: &[u8]) -> Option<(f64, usize)> {
    /// So many digits fit 32 bits.
    const MAX_DIGITS: usize = 9;
    let digits = text.iter().take(MAX_DIGITS + 1).take_while(|b| b.is_ascii_digit()).count();
    let is_short = (1..=MAX_DIGITS).contains(&digits) && (digits == 1 || text[0] != b'0');
    if !is_short || !matches!(text.get(digits), Some(b',' | b'}' | b']')) {
        return None;
    }
    let value = text[..digits].iter().fold(0u32, |value, b| value * 10 + u32::from(b - b'0'));
    Some((f64::from(value), digits))
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Decimal, with more freedom than the standard gives; `0x1f` and `017` are integers of 64 bits.
fn lenient_number(number: &str) -> Option<f64> {
    /// More digits than that make no integer.
    const MAX_DIGITS: usize = 380;
    let bytes = number.as_bytes();
    if let [b'0', second, ..] = bytes
        && !matches!(second, b'.' | b'e' | b'E')
    {
        let value = match number.strip_prefix("0x").or_else(|| number.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => u64::from_str_radix(number, 8),
        };
        #[expect(clippy::cast_precision_loss, reason = "all numbers are floating point")]
        return value.ok().map(|value| value.cast_signed() as f64);
    }
    let digits = number.strip_prefix('-').unwrap_or(number);
    if digits.len() > MAX_DIGITS && digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    decimal(number)
}

fn standard_number(number: &str) -> Option<f64> {
    let unsigned = number.strip_prefix('-').unwrap_or(number);
    let whole = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    if whole == 0 || (whole > 1 && unsigned.starts_with('0')) {
        return None;
    }
    if let Some(fraction) = unsigned[whole..].strip_prefix('.')
        && !fraction.starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    // Infinity is what no JSON number means.
    decimal(number).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests;
