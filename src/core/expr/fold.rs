//! Comparing texts without regard to case, as .NET's ordinal comparison does it.
//!
//! Each character is replaced by its simple upper case (one character for one), so `ß` equals no `SS`; the order is
//! that of UTF-16 units.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::hash::{Hash as _, Hasher};

/// The simple upper case of a character.
fn upper(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_uppercase();
    }
    match c {
        // Not to be confused with the letters of the ASCII range whatever the language says.
        'ı' | 'ſ' => c,
        // Their full upper case is two characters; these are the single ones.
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => shifted(c, 8),
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => shifted(c, 9),
        _ => {
            let mut full = c.to_uppercase();
            match (full.next(), full.next()) {
                (Some(single), None) => single,
                _ => c,
            }
        }
    }
}

fn shifted(c: char, by: u32) -> char {
    char::from_u32(c as u32 + by).unwrap_or(c)
}

/// Whether two texts are equal but for case.
pub(super) fn equal(a: &str, b: &str) -> bool {
    let (x, y) = (a.as_bytes(), b.as_bytes());
    // Names are mostly written alike, and differ in the first byte where they are not.
    if x.first() == y.first() && x == y {
        return true;
    }
    let both = x.len().min(y.len());
    let mut at = 0;
    while at < both {
        if x[at] != y[at] && !x[at].eq_ignore_ascii_case(&y[at]) || !x[at].is_ascii() {
            // No character outside ASCII has its upper case inside, and both stand at the start of one here.
            let outside = !x[at].is_ascii() && !y[at].is_ascii();
            return outside && a[at..].chars().map(upper).eq(b[at..].chars().map(upper));
        }
        at += 1;
    }
    x.len() == y.len()
}

/// The order of two texts but for case.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    a.chars().map(utf16_order).cmp(b.chars().map(utf16_order))
}

/// A number that orders upper case characters as their UTF-16 units do: those beyond the basic plane stand before the
/// last 8192 of it.
fn utf16_order(c: char) -> u32 {
    match upper(c) as u32 {
        late @ 0xe000..=0xffff => late + 0x11_0000,
        other => other,
    }
}

/// Feeds a text to a hasher so that texts equal but for case give the same hash.
pub(super) fn hash(text: &str, state: &mut impl Hasher) {
    const CHUNK: usize = 32;
    if text.is_ascii() {
        let mut upper = [0u8; CHUNK];
        for chunk in text.as_bytes().chunks(CHUNK) {
            let upper = &mut upper[..chunk.len()];
            upper.copy_from_slice(chunk);
            upper.make_ascii_uppercase();
            state.write(upper);
        }
    } else {
        for c in text.chars() {
            (upper(c) as u32).hash(state);
        }
    }
}

/// Whether `text` starts with `prefix`, but for case.
pub(super) fn starts_with(text: &str, prefix: &str) -> bool {
    if let Some(start) = text.get(..prefix.len())
        && start.eq_ignore_ascii_case(prefix)
    {
        return true;
    }
    let mut characters = text.chars().map(upper);
    prefix.chars().map(upper).all(|wanted| characters.next() == Some(wanted))
}

/// Whether `text` ends with `suffix`, but for case.
pub(super) fn ends_with(text: &str, suffix: &str) -> bool {
    let mut characters = text.chars().rev().map(upper);
    suffix.chars().rev().map(upper).all(|wanted| characters.next() == Some(wanted))
}

/// Whether `needle` occurs in `text`, but for case. Linear in both, so that no text makes it slow.
pub(super) fn contains(text: &str, needle: &str) -> bool {
    /// Below this product trying every place is quicker than to fold both texts first.
    const SMALL: usize = 1 << 12;
    if needle.is_empty() {
        return true;
    }
    if text.len().saturating_mul(needle.len()) <= SMALL && text.is_ascii() && needle.is_ascii() {
        return text.as_bytes().windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle.as_bytes()));
    }
    memchr::memmem::find(folded(text).as_bytes(), folded(needle).as_bytes()).is_some()
}

fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Owned(text.to_ascii_uppercase());
    }
    Cow::Owned(text.chars().map(upper).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_stands_for_one() {
        for (a, b) in [("abc", "ABC"), ("ς", "Σ"), ("ü", "Ü"), ("ᾳ", "ᾼ"), ("ᾀ", "ᾈ"), ("µ", "Μ"), ("𐐨", "𐐀")]
        {
            assert!(equal(a, b), "{a} {b}");
        }
        for (a, b) in [("ß", "SS"), ("ı", "I"), ("İ", "i"), ("ſ", "s"), ("\u{212a}", "k"), ("a", "ab")] {
            assert!(!equal(a, b), "{a} {b}");
        }
    }

    #[test]
    fn the_order_is_that_of_utf_16() {
        assert_eq!(compare("a", "["), Ordering::Less);
        assert_eq!(compare("A", "["), Ordering::Less);
        assert_eq!(compare("😀", "\u{e000}"), Ordering::Less);
        assert_eq!(compare("\u{d7ff}", "😀"), Ordering::Less);
        assert_eq!(compare("abc", "ABCD"), Ordering::Less);
        assert_eq!(compare("B", "a"), Ordering::Greater);
    }

    #[test]
    fn searching_ignores_case_in_short_and_long_texts() {
        let long = format!("{}é NEEDLE", "x".repeat(5000));
        for text in ["a needle", "A NeEdLe!", &long] {
            assert!(contains(text, "needle") && contains(text, ""), "{text}");
            assert!(!contains(text, "noodle"));
        }
        assert!(contains(&long, "É need"));
        assert!(starts_with("Ünder", "üN") && ends_with("asdf_ς", "Σ"));
        assert!(!starts_with("a", "ab") && !ends_with("b", "ab"));
    }
}
