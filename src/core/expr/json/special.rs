//! Finding what is not plain in a JSON text.

/// Where the first quote, backslash or control character stands, or byte of a character outside ASCII if that is wanted.
/// Names and texts are short, so that looking at eight bytes at once is quicker than what it takes to start a search.
pub(super) fn special(bytes: &[u8], quote: u8, beyond_ascii: bool) -> Option<usize> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;
    /// The high bit of each byte below `limit`, right up to the first of them.
    fn below(word: u64, limit: u8) -> u64 {
        word.wrapping_sub(u64::from(limit) * EACH) & !word & HIGH
    }
    let wanted = if beyond_ascii { HIGH } else { 0 };
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let equal = |byte: u8| below(word ^ (u64::from(byte) * EACH), 1);
        let found = equal(quote) | equal(b'\\') | below(word, b' ') | (word & wanted);
        if found != 0 {
            return Some(8 * index + found.trailing_zeros() as usize / 8);
        }
    }
    let is_special = |b: &u8| *b == quote || *b == b'\\' || *b < b' ' || (beyond_ascii && !b.is_ascii());
    rest.iter().position(is_special).map(|at| 8 * words.len() + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_found_at_every_place() {
        for byte in 0..=u8::MAX {
            for at in 0..20 {
                let mut bytes = [b'x'; 24];
                bytes[at] = byte;
                let is_special = byte < b' ' || byte == b'"' || byte == b'\\';
                assert_eq!(special(&bytes, b'"', false), is_special.then_some(at), "{byte}");
                assert_eq!(special(&bytes, b'"', true), (is_special || byte >= 0x80).then_some(at), "{byte}");
                // What follows does not matter.
                bytes[at + 1..].fill(b'\n');
                let first = if is_special { at } else { at + 1 };
                assert_eq!(special(&bytes, b'"', false), Some(first), "{byte}");
            }
        }
        assert_eq!(special(b"it's", b'\'', false), Some(2));
        assert_eq!(special(b"", b'"', true), None);
    }
}
