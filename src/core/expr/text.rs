//! Numbers to text and back, as .NET does it for the runner.

/// The integer that a number is, if it has at most 15 digits: both texts of a number, the runner's and that of JSON, are
/// then the same. -0 is 0.
pub(super) fn small_integer(value: f64) -> Option<i64> {
    /// Every integer below has at most 15 digits.
    const LIMIT: f64 = 1e15;
    #[expect(clippy::cast_possible_truncation, reason = "a whole number below 1e15 fits")]
    let integer = value as i64;
    #[expect(clippy::cast_precision_loss, reason = "what is cut off or rounded makes it another number")]
    let is_whole = integer as f64 == value;
    (is_whole && value.abs() < LIMIT).then_some(integer)
}

/// The text of a number: 15 significant digits, `1E-05`, `1.23456789012346E+15`.
pub fn number_to_text(value: f64) -> String {
    if let Some(integer) = small_integer(value) {
        return itoa::Buffer::new().format(integer).to_owned();
    }
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() };
    }
    let scientific = format!("{value:.14e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let digits = digits.trim_end_matches('0');
    let mut text = sign.to_owned();
    if !(-5 < exponent && exponent < 15) {
        let (first, rest) = digits.split_at(1);
        text.push_str(first);
        push_fraction(&mut text, rest);
        text.push_str(if exponent < 0 { "E-" } else { "E+" });
        text.push_str(&format!("{:02}", exponent.abs()));
    } else if exponent < 0 {
        text.push_str("0.");
        text.extend(std::iter::repeat_n('0', exponent.unsigned_abs() as usize - 1));
        text.push_str(digits);
    } else {
        let whole = exponent.unsigned_abs() as usize + 1;
        let (before, after) = digits.split_at(whole.min(digits.len()));
        text.push_str(before);
        text.extend(std::iter::repeat_n('0', whole - before.len()));
        push_fraction(&mut text, after);
    }
    text
}

fn push_fraction(text: &mut String, digits: &str) {
    if !digits.is_empty() {
        text.push('.');
        text.push_str(digits);
    }
}

/// The number that a text stands for: blanks around it do not count, nothing is 0, and what is no number is NaN.
pub fn number_of_text(text: &str) -> f64 {
    let text = text.trim();
    if text.is_empty() {
        return 0.0;
    }
    // So many digits are exact, and most numbers have few.
    if text.len() < 10
        && let Some(number) =
            text.bytes().try_fold(0u32, |number, b| b.is_ascii_digit().then(|| number * 10 + u32::from(b - b'0')))
    {
        return f64::from(number);
    }
    decimal(text).or_else(|| prefixed(text)).or_else(|| symbol(text)).unwrap_or(f64::NAN)
}

/// A decimal number with sign, point and exponent, each optional.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(unsigned);
    let mut rest = &unsigned[whole..];
    let mut fraction = 0;
    if let Some(after) = rest.strip_prefix('.') {
        fraction = digits(after);
        rest = &after[fraction..];
    }
    if whole + fraction == 0 {
        return None;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if exponent.is_empty() || digits(exponent) != exponent.len() {
            return None;
        }
    } else if !rest.is_empty() {
        return None;
    }
    text.parse().ok()
}

/// `0x1f` and `0o17`: 32 bits, of which the highest is the sign, as in .NET.
fn prefixed(text: &str) -> Option<f64> {
    let (radix, digits) = match text.get(..2)? {
        "0x" => (16, &text[2..]),
        "0o" => (8, &text[2..]),
        _ => return None,
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let value = u32::from_str_radix(digits, radix).ok()?;
    Some(f64::from(value.cast_signed()))
}

/// Infinity in any case, with either sign.
fn symbol(text: &str) -> Option<f64> {
    let (sign, name) = match text.strip_prefix(['+', '-']) {
        Some(name) => (if text.starts_with('-') { -1.0 } else { 1.0 }, name),
        None => (1.0, text),
    };
    name.eq_ignore_ascii_case("Infinity").then_some(sign * f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_print_with_fifteen_digits() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.1, "0.1"),
            (0.0001, "0.0001"),
            (0.000_123, "0.000123"),
            (0.000_01, "1E-05"),
            (-1.5e-7, "-1.5E-07"),
            (0.845_512_408_225_570_1, "0.84551240822557"),
            (0.1 + 0.2, "0.3"),
            (1234.56, "1234.56"),
            (999_999_999_999_999.0, "999999999999999"),
            (999_999_999_999_999.9, "1E+15"),
            (1e15, "1E+15"),
            (1_234_567_890_123_456.0, "1.23456789012346E+15"),
            (1_000_000_000_000_005.0, "1E+15"),
            (1_000_000_000_000_015.0, "1.00000000000002E+15"),
            (9_007_199_254_740_993.0, "9.00719925474099E+15"),
            (1e21, "1E+21"),
            (1e100, "1E+100"),
            (f64::MAX, "1.79769313486232E+308"),
            (5e-324, "4.94065645841247E-324"),
            (100_000.5, "100000.5"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(number_to_text(value), text);
        }
    }

    #[test]
    fn texts_are_numbers() {
        for (text, value) in [
            ("", 0.0),
            ("  ", 0.0),
            (" 1 ", 1.0),
            ("+1", 1.0),
            ("-.5", -0.5),
            ("5.", 5.0),
            ("1e3", 1000.0),
            ("1E+2", 100.0),
            ("0xfF", 255.0),
            ("0o17", 15.0),
            ("0xffffffff", -1.0),
            ("0x00000000001", 1.0),
            ("0o37777777777", -1.0),
            ("1e400", f64::INFINITY),
            ("Infinity", f64::INFINITY),
            ("-infinity", f64::NEG_INFINITY),
            ("+Infinity", f64::INFINITY),
            ("\u{a0}7\u{2003}", 7.0),
        ] {
            assert_eq!(number_of_text(text), value, "{text:?}");
        }
        let none = [
            "abc",
            "1 2",
            "1e",
            "1e+",
            ".",
            "-",
            "0x",
            "0X1",
            "0o8",
            "-0x1",
            "0x100000000",
            "inf",
            "nan",
            "1_000",
            "٣",
            "--1",
            "1.2.3",
            "0b1",
            "true",
        ];
        for text in none {
            assert!(number_of_text(text).is_nan(), "{text:?}");
        }
    }
}
