//! Dates of YAML 1.1 as ISO text, as Python's `isoformat` writes them.

use std::fmt::Write as _;

/// The ISO text of a date or a time that the YAML reader has accepted: `2026-8-1 3:04:05.5 -7` is
/// `2026-08-01T03:04:05.500000-07:00`.
pub(super) fn iso_text(text: &str) -> String {
    parse(text).unwrap_or_else(|| text.to_owned())
}

fn parse(text: &str) -> Option<String> {
    let mut rest = text;
    let year = digits(&mut rest)?;
    rest = rest.strip_prefix('-')?;
    let month = digits(&mut rest)?;
    rest = rest.strip_prefix('-')?;
    let day = digits(&mut rest)?;
    let mut out = format!("{year:0>4}-{month:0>2}-{day:0>2}");
    if rest.is_empty() {
        return Some(out);
    }
    rest = rest.trim_start_matches(['t', 'T', ' ', '\t']);
    let hour = digits(&mut rest)?;
    rest = rest.strip_prefix(':')?;
    let minute = digits(&mut rest)?;
    rest = rest.strip_prefix(':')?;
    let second = digits(&mut rest)?;
    let _ = write!(out, "T{hour:0>2}:{minute:0>2}:{second:0>2}");
    if let Some(after) = rest.strip_prefix('.') {
        rest = after;
        let fraction = digits(&mut rest).unwrap_or_default();
        let micros = &fraction[..fraction.len().min(6)];
        if micros.bytes().any(|b| b != b'0') {
            let _ = write!(out, ".{micros:0<6}");
        }
    }
    out.push_str(&zone(rest.trim_start_matches([' ', '\t']))?);
    Some(out)
}

/// `Z`, `+1` or `-01:30` as `+00:00`, `+01:00` and `-01:30`.
fn zone(text: &str) -> Option<String> {
    let (sign, mut rest) = match text.as_bytes().first() {
        None => return Some(String::new()),
        Some(b'Z') => return Some("+00:00".to_owned()),
        Some(b'+') => ('+', &text[1..]),
        Some(b'-') => ('-', &text[1..]),
        Some(_) => return None,
    };
    let hours = digits(&mut rest)?;
    let minutes = match rest.strip_prefix(':') {
        Some(after) => {
            rest = after;
            digits(&mut rest)?
        }
        None => "0",
    };
    let is_utc = hours.bytes().chain(minutes.bytes()).all(|b| b == b'0');
    let sign = if is_utc { '+' } else { sign };
    Some(format!("{sign}{hours:0>2}:{minutes:0>2}"))
}

/// Takes the digits at the start, at least one.
fn digits<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let len = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (taken, left) = rest.split_at(len);
    *rest = left;
    (len > 0).then_some(taken)
}

#[cfg(test)]
mod tests {
    use super::iso_text;

    #[test]
    fn dates_and_times_are_written_as_python_does() {
        for (text, iso) in [
            ("2026-08-21", "2026-08-21"),
            ("2026-8-1 3:04:05", "2026-08-01T03:04:05"),
            ("2026-08-01t03:04:05.5 +01:30", "2026-08-01T03:04:05.500000+01:30"),
            ("2026-08-01T03:04:05Z", "2026-08-01T03:04:05+00:00"),
            ("2026-08-01 03:04:05   -5", "2026-08-01T03:04:05-05:00"),
            ("2026-08-01 03:04:05.000", "2026-08-01T03:04:05"),
            ("2026-08-01 03:04:05.", "2026-08-01T03:04:05"),
            ("2026-08-01 03:04:05.1234567", "2026-08-01T03:04:05.123456"),
            ("2026-08-01 03:04:05 -0:00", "2026-08-01T03:04:05+00:00"),
        ] {
            assert_eq!(iso_text(text), iso);
        }
    }
}
