//! The measure of size that GitHub uses for outputs.

/// The bytes of a text in UTF-16.
pub fn utf16_bytes(text: &str) -> usize {
    text.encode_utf16().count() * 2
}
