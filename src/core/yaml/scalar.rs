//! What a scalar means: the resolvers of YAML 1.1 (as PyYAML's `safe_load` has them) and of the YAML 1.2 core schema.
//!
//! The patterns are those of PyYAML's `resolver.py` and of YAML 1.2.2 section 10.3.2, written as hand matchers because
//! every scalar of every file passes through here.

use num_bigint::BigInt;

use super::Schema;

/// The typed value of a scalar.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// `~`, `null`, or nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// Any other integer.
    Big(Box<BigInt>),
    /// A floating point number.
    Float(f64),
    /// A text: the node's text.
    Str,
    /// A date or a time, kept as its text (YAML 1.1 only).
    Date,
    /// Base64 data, kept as its text (YAML 1.1 only, by tag).
    Binary,
    /// The merge key `<<` (YAML 1.1 only).
    Merge,
}

/// Why a scalar has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Problem {
    /// The text matches a pattern but is no such value: `0b_`, `2026-02-31`.
    NoSuch(&'static str),
    /// The tag is unknown to the schema.
    UnknownTag,
    /// `=` and `<<` mean something to YAML 1.1, but only as keys.
    Special,
}

const STANDARD_TAG: &str = "tag:yaml.org,2002:";

/// Resolves a scalar. `plain` is whether it stands without quotes and is no block scalar; `tag` is its full tag.
pub(super) fn resolve(schema: Schema, text: &str, plain: bool, tag: Option<&str>) -> Result<Scalar, Problem> {
    match tag {
        None if !plain => Ok(Scalar::Str),
        // PyYAML resolves a scalar tagged `!` as if it were plain.
        None | Some("!") => match schema {
            Schema::V11 => plain_v11(text),
            Schema::Core12 => Ok(plain_core12(text)),
        },
        Some(tag) => tagged(schema, text, tag.strip_prefix(STANDARD_TAG).ok_or(Problem::UnknownTag)?),
    }
}

fn tagged(schema: Schema, text: &str, name: &str) -> Result<Scalar, Problem> {
    let v11 = schema == Schema::V11;
    match name {
        "str" => Ok(Scalar::Str),
        "null" => Ok(Scalar::Null),
        "bool" => match text.to_ascii_lowercase().as_str() {
            "yes" | "on" if v11 => Ok(Scalar::Bool(true)),
            "no" | "off" if v11 => Ok(Scalar::Bool(false)),
            "true" => Ok(Scalar::Bool(true)),
            "false" => Ok(Scalar::Bool(false)),
            _ => Err(Problem::NoSuch("boolean")),
        },
        "int" => match if v11 { int_v11(text) } else { int_core12(text).map(Ok) } {
            Some(Ok(value)) => Ok(value),
            _ => Err(Problem::NoSuch("integer")),
        },
        "float" => {
            let value = if v11 { float_v11(text) } else { float_core12(text) };
            let integer =
                || digits_only(text.strip_prefix(['-', '+']).unwrap_or(text)).then(|| text.parse().ok()).flatten();
            value.or_else(integer).map(Scalar::Float).ok_or(Problem::NoSuch("number"))
        }
        "timestamp" if v11 => match date_v11(text) {
            Some(true) => Ok(Scalar::Date),
            _ => Err(Problem::NoSuch("date")),
        },
        "binary" if v11 => Ok(Scalar::Binary),
        "merge" if v11 => Ok(Scalar::Merge),
        _ => Err(Problem::UnknownTag),
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// YAML 1.1 as PyYAML reads it

fn plain_v11(text: &str) -> Result<Scalar, Problem> {
    let Some(&first) = text.as_bytes().first() else { return Ok(Scalar::Null) };
    Ok(match first {
        b'0'..=b'9' | b'-' | b'+' | b'.' => return number_v11(text),
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' => word_v11(text),
        b'~' if text == "~" => Scalar::Null,
        b'<' if text == "<<" => Scalar::Merge,
        // PyYAML knows the value key `=` but cannot construct it.
        b'=' if text == "=" => return Err(Problem::Special),
        _ => Scalar::Str,
    })
}

fn word_v11(text: &str) -> Scalar {
    match text {
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Scalar::Bool(true),
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Scalar::Bool(false),
        "null" | "Null" | "NULL" => Scalar::Null,
        _ => Scalar::Str,
    }
}

fn number_v11(text: &str) -> Result<Scalar, Problem> {
    // The order of the resolvers: float, int, timestamp.
    if let Some(value) = float_v11(text) {
        return Ok(Scalar::Float(value));
    }
    match int_v11(text) {
        Some(Ok(value)) => return Ok(value),
        Some(Err(())) => return Err(Problem::NoSuch("integer")),
        None => {}
    }
    match date_v11(text) {
        Some(true) => Ok(Scalar::Date),
        Some(false) => Err(Problem::NoSuch("date")),
        None => Ok(Scalar::Str),
    }
}

/// `None`: not the pattern of an integer; `Some(Err)`: the pattern, but no digits.
fn int_v11(text: &str) -> Option<Result<Scalar, ()>> {
    let (negative, body) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let bytes = body.as_bytes();
    let in_class = |from: usize, class: fn(&u8) -> bool| bytes.len() > from && bytes[from..].iter().all(class);
    let radix = match bytes {
        [b'0'] => 10,
        [b'0', b'b', ..] if in_class(2, |b| matches!(b, b'0' | b'1' | b'_')) => 2,
        [b'0', b'x', ..] if in_class(2, |b| b.is_ascii_hexdigit() || *b == b'_') => 16,
        [b'0', ..] if in_class(1, |b| matches!(b, b'0'..=b'7' | b'_')) => 8,
        [b'1'..=b'9', rest @ ..] if rest.iter().all(|b| b.is_ascii_digit() || *b == b'_') => 10,
        [b'1'..=b'9', ..] => return sexagesimal_int(body).map(|value| Ok(sign(value, negative))),
        _ => return None,
    };
    let digits = match radix {
        2 | 16 => &body[2..],
        _ => body,
    };
    Some(parse_radix(digits, radix, negative).ok_or(()))
}

/// Digits with underscores in a base; none at all is no number, except that `0_` is 0.
fn parse_radix(digits: &str, radix: u32, negative: bool) -> Option<Scalar> {
    let cleaned;
    let digits = if digits.contains('_') {
        cleaned = digits.replace('_', "");
        cleaned.as_str()
    } else {
        digits
    };
    if let Ok(value) = i64::from_str_radix(digits, radix) {
        return Some(Scalar::Int(if negative { -value } else { value }));
    }
    BigInt::parse_bytes(digits.as_bytes(), radix).map(|value| sign(value, negative))
}

fn sign(value: BigInt, negative: bool) -> Scalar {
    let value = if negative { -value } else { value };
    i64::try_from(&value).map_or_else(|_| Scalar::Big(Box::new(value)), Scalar::Int)
}

/// `[1-9][0-9_]*(:[0-5]?[0-9])+` in base 60.
fn sexagesimal_int(body: &str) -> Option<BigInt> {
    let mut parts = body.split(':');
    let head = parts.next()?;
    if !head.bytes().all(|b| b.is_ascii_digit() || b == b'_') || !body.contains(':') {
        return None;
    }
    let mut value = BigInt::parse_bytes(head.replace('_', "").as_bytes(), 10)?;
    for part in parts {
        value = value * 60 + sexagesimal_digit(part)?;
    }
    Some(value)
}

/// `[0-5]?[0-9]`
fn sexagesimal_digit(part: &str) -> Option<u32> {
    match part.as_bytes() {
        [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'] => part.parse().ok(),
        _ => None,
    }
}

fn float_v11(text: &str) -> Option<f64> {
    if !text.contains('.') {
        return None;
    }
    let signed = text.starts_with(['-', '+']);
    let body = if signed { &text[1..] } else { text };
    let negative = text.starts_with('-');
    let apply = |value: f64| if negative { -value } else { value };
    match body {
        ".inf" | ".Inf" | ".INF" => return Some(apply(f64::INFINITY)),
        ".nan" | ".NaN" | ".NAN" if !signed => return Some(f64::NAN),
        _ => {}
    }
    if body.contains(':') {
        return sexagesimal_float(body).map(apply);
    }
    let (mantissa, exponent) = split_exponent(body)?;
    let (whole, fraction) = mantissa.split_once('.')?;
    let well_formed = match whole.as_bytes() {
        // A bare fraction takes no sign and needs a digit first.
        [] => !signed && fraction.starts_with(|c: char| c.is_ascii_digit()) && digits_or_underscores(fraction),
        [b'0'..=b'9', ..] => digits_or_underscores(whole) && digits_or_underscores(fraction),
        _ => false,
    };
    if !well_formed {
        return None;
    }
    let number = format!("{mantissa}{exponent}").replace('_', "");
    number.parse().ok().map(apply)
}

/// Splits off `[eE][-+][0-9]+`; an exponent of another form is no float at all.
fn split_exponent(body: &str) -> Option<(&str, &str)> {
    let Some(at) = body.find(['e', 'E']) else { return Some((body, "")) };
    let (mantissa, exponent) = body.split_at(at);
    let digits = exponent[1..].strip_prefix(['-', '+'])?;
    digits_only(digits).then_some((mantissa, exponent))
}

/// `[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*`
fn sexagesimal_float(body: &str) -> Option<f64> {
    let (integers, fraction) = body.split_once('.')?;
    if !digits_or_underscores(fraction) || !integers.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut parts = integers.split(':');
    let head = parts.next()?;
    if !digits_or_underscores(head) {
        return None;
    }
    let rest: Vec<&str> = parts.collect();
    if rest.is_empty() || rest.iter().any(|part| sexagesimal_digit(part).is_none()) {
        return None;
    }
    let mut digits: Vec<f64> = Vec::with_capacity(rest.len() + 1);
    digits.push(head.replace('_', "").parse().ok()?);
    let (last, middle) = rest.split_last()?;
    for part in middle {
        digits.push(part.parse().ok()?);
    }
    digits.push(format!("{last}.{}", fraction.replace('_', "")).parse().ok()?);
    // Summed from the last digit, as PyYAML does: the order decides the last bit.
    let mut base = 1.0;
    let mut value = 0.0;
    for digit in digits.iter().rev() {
        value += digit * base;
        base *= 60.0;
    }
    Some(value)
}

fn digits_only(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn digits_or_underscores(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || b == b'_')
}

/// `None`: not the pattern of a date; `Some(false)`: the pattern, but no such day or time.
fn date_v11(text: &str) -> Option<bool> {
    let mut rest = Cursor(text);
    let year = rest.digits(4, 4)?;
    rest.byte(b'-')?;
    let month_text = rest.digit_run(1, 2)?;
    rest.byte(b'-')?;
    let day_text = rest.digit_run(1, 2)?;
    let (month, day) = (month_text.parse().ok()?, day_text.parse().ok()?);
    if rest.0.is_empty() {
        // A date alone needs two digits each.
        return (month_text.len() == 2 && day_text.len() == 2).then(|| is_day(year, month, day));
    }
    if rest.byte(b't').is_none() && rest.byte(b'T').is_none() {
        rest.blanks()?;
    }
    let hour = rest.digits(1, 2)?;
    rest.byte(b':')?;
    let minute = rest.digits(2, 2)?;
    rest.byte(b':')?;
    let second = rest.digits(2, 2)?;
    if rest.byte(b'.').is_some() {
        let _ = rest.digit_run(0, usize::MAX);
    }
    let zone = Cursor(rest.0.trim_start_matches([' ', '\t']));
    let zone_hour = if rest.0.is_empty() { 0 } else { zone_v11(zone)? };
    Some(is_day(year, month, day) && hour < 24 && minute < 60 && second < 60 && zone_hour < 24)
}

/// `Z` or `[-+]hh?(:mm)?`; gives the hours.
fn zone_v11(mut rest: Cursor<'_>) -> Option<u32> {
    if rest.0 == "Z" {
        return Some(0);
    }
    if rest.byte(b'+').is_none() {
        rest.byte(b'-')?;
    }
    let hours = rest.digits(1, 2)?;
    if !rest.0.is_empty() {
        rest.byte(b':')?;
        rest.digits(2, 2)?;
    }
    rest.0.is_empty().then_some(hours)
}

fn is_day(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    year >= 1 && (1..=days).contains(&day)
}

struct Cursor<'t>(&'t str);

impl<'t> Cursor<'t> {
    fn byte(&mut self, wanted: u8) -> Option<()> {
        (self.0.as_bytes().first() == Some(&wanted)).then(|| self.0 = &self.0[1..])
    }

    fn digit_run(&mut self, min: usize, max: usize) -> Option<&'t str> {
        let len = self.0.bytes().take_while(u8::is_ascii_digit).take(max).count();
        let (digits, rest) = self.0.split_at(len);
        (len >= min).then(|| {
            self.0 = rest;
            digits
        })
    }

    fn digits(&mut self, min: usize, max: usize) -> Option<u32> {
        self.digit_run(min, max)?.parse().ok()
    }

    fn blanks(&mut self) -> Option<()> {
        let trimmed = self.0.trim_start_matches([' ', '\t']);
        (trimmed.len() < self.0.len()).then(|| self.0 = trimmed)
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// YAML 1.2 core schema

fn plain_core12(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "true" | "True" | "TRUE" => return Scalar::Bool(true),
        "false" | "False" | "FALSE" => return Scalar::Bool(false),
        _ => {}
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        return Scalar::Str;
    }
    int_core12(text).or_else(|| float_core12(text).map(Scalar::Float)).unwrap_or(Scalar::Str)
}

fn int_core12(text: &str) -> Option<Scalar> {
    if let Some(octal) = text.strip_prefix("0o") {
        return octal.bytes().all(|b| matches!(b, b'0'..=b'7')).then(|| parse_radix(octal, 8, false)).flatten();
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return hex.bytes().all(|b| b.is_ascii_hexdigit()).then(|| parse_radix(hex, 16, false)).flatten();
    }
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits_only(body).then(|| parse_radix(body, 10, text.starts_with('-'))).flatten()
}

fn float_core12(text: &str) -> Option<f64> {
    let negative = text.starts_with('-');
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let apply = |value: f64| if negative { -value } else { value };
    match body {
        ".inf" | ".Inf" | ".INF" => return Some(apply(f64::INFINITY)),
        _ => {}
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(f64::NAN);
    }
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => (&body[..at], Some(&body[at + 1..])),
        None => (body, None),
    };
    if let Some(exponent) = exponent
        && !digits_only(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))
    {
        return None;
    }
    let well_formed = match mantissa.split_once('.') {
        Some(("", fraction)) => digits_only(fraction),
        Some((whole, fraction)) => digits_only(whole) && (fraction.is_empty() || digits_only(fraction)),
        None => digits_only(mantissa),
    };
    well_formed.then(|| body.parse().ok()).flatten().map(apply)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v11(text: &str) -> Scalar {
        resolve(Schema::V11, text, true, None).unwrap()
    }

    #[test]
    fn yaml_1_1_words() {
        for word in ["yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"] {
            assert_eq!(v11(word), Scalar::Bool(true), "{word}");
        }
        for word in ["no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"] {
            assert_eq!(v11(word), Scalar::Bool(false), "{word}");
        }
        for word in ["y", "n", "Y", "N", "yES", "none", "None", "oN", "~~", "nul"] {
            assert_eq!(v11(word), Scalar::Str, "{word}");
        }
        for word in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(v11(word), Scalar::Null, "{word}");
        }
        assert_eq!(v11("<<"), Scalar::Merge);
        assert_eq!(resolve(Schema::V11, "=", true, None), Err(Problem::Special));
    }

    #[test]
    fn yaml_1_1_integers() {
        for (text, value) in [
            ("0", 0),
            ("-0", 0),
            ("+8", 8),
            ("010", 8),
            ("-010", -8),
            ("007", 7),
            ("0755", 493),
            ("0x1F", 31),
            ("-0x1f", -31),
            ("0b101", 5),
            ("2_063_837", 2_063_837),
            ("1_", 1),
            ("0_", 0),
            ("1:30", 90),
            ("-1:30", -90),
            ("190:20:30", 685_230),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(v11(text), Scalar::Int(value), "{text}");
        }
        let Scalar::Big(big) = v11("18446744073709551617") else { panic!() };
        assert_eq!(big.to_string(), "18446744073709551617");
        for text in ["08", "0o10", "1:60", "0:30", "1e3", "--1", "+", "-", "1:", "_1", "0xg", "0b2", "1 000"] {
            assert_eq!(v11(text), Scalar::Str, "{text}");
        }
        for text in ["0b_", "0x_"] {
            assert_eq!(resolve(Schema::V11, text, true, None), Err(Problem::NoSuch("integer")), "{text}");
        }
    }

    #[test]
    fn yaml_1_1_floats() {
        for (text, value) in [
            ("1.0", 1.0),
            ("1.", 1.0),
            ("0.80", 0.8),
            (".5", 0.5),
            ("-1.5", -1.5),
            ("1.0e+3", 1000.0),
            ("1_0.5_0", 10.5),
            ("1:30.5", 90.5),
            ("685.230_15e+03", 685_230.15),
            (".inf", f64::INFINITY),
            ("-.INF", f64::NEG_INFINITY),
            ("1.10", 1.1),
        ] {
            assert_eq!(v11(text), Scalar::Float(value), "{text}");
        }
        assert!(matches!(v11(".nan"), Scalar::Float(value) if value.is_nan()));
        for text in
            ["1e3", "1e-1", "1.0e3", "-.5", "+.5", ".", "..", "._5", "+.nan", "1.2.3", ".5e", "1.0e+", "0.8.1.post1"]
        {
            assert_eq!(v11(text), Scalar::Str, "{text}");
        }
    }

    #[test]
    fn yaml_1_1_dates() {
        for text in [
            "2026-11-30",
            "2026-1-2 3:04:05",
            "2026-11-30T01:02:03Z",
            "2026-11-30t01:02:03.5 +01:30",
            "2026-11-30 01:02:03 -5",
        ] {
            assert_eq!(v11(text), Scalar::Date, "{text}");
        }
        for text in ["2026-1-2", "2026-11-30T", "2026-11-30 1:2:3", "2026-11-30x"] {
            assert_eq!(v11(text), Scalar::Str, "{text}");
        }
        for text in ["2026-02-31", "2026-13-01", "0000-01-01", "2026-11-30 24:00:00", "2026-11-30 01:60:00"] {
            assert_eq!(resolve(Schema::V11, text, true, None), Err(Problem::NoSuch("date")), "{text}");
        }
    }

    #[test]
    fn quotes_and_tags_decide_before_patterns() {
        assert_eq!(resolve(Schema::V11, "yes", false, None), Ok(Scalar::Str));
        assert_eq!(resolve(Schema::V11, "5", false, Some("!")), Ok(Scalar::Int(5)));
        assert_eq!(resolve(Schema::V11, "5", true, Some("tag:yaml.org,2002:str")), Ok(Scalar::Str));
        assert_eq!(resolve(Schema::V11, "5", false, Some("tag:yaml.org,2002:int")), Ok(Scalar::Int(5)));
        assert_eq!(resolve(Schema::V11, "5", false, Some("tag:yaml.org,2002:float")), Ok(Scalar::Float(5.0)));
        assert_eq!(resolve(Schema::V11, "x", true, Some("tag:yaml.org,2002:python/name:x")), Err(Problem::UnknownTag));
        assert_eq!(resolve(Schema::V11, "x", true, Some("!mine")), Err(Problem::UnknownTag));
    }

    #[test]
    fn yaml_1_2_core() {
        let core = |text| resolve(Schema::Core12, text, true, None).unwrap();
        for word in ["on", "off", "yes", "no", "y", "<<", "=", "2026-11-30", "1:30", "1_000", "0b1", "1.2.3", "-", "."]
        {
            assert_eq!(core(word), Scalar::Str, "{word}");
        }
        for (text, value) in [("0755", 755), ("0o755", 493), ("0x1f", 31), ("-7", -7), ("+7", 7), ("007", 7)] {
            assert_eq!(core(text), Scalar::Int(value), "{text}");
        }
        for (text, value) in [("1e3", 1000.0), ("1.", 1.0), (".5", 0.5), ("-.5", -0.5), ("1.0e+3", 1000.0)] {
            assert_eq!(core(text), Scalar::Float(value), "{text}");
        }
        assert_eq!(core("True"), Scalar::Bool(true));
        assert_eq!(core(""), Scalar::Null);
    }
}
