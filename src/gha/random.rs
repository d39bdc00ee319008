//! The one source of randomness: tokens that nobody can guess. In: nothing. Out: 128 bits as text.

use std::fmt::Write as _;

use crate::core::diag::{Code, Diagnostic};

const TOKEN_BYTES: usize = 16;

/// A token of 128 random bits: `srtx_` and 32 hexadecimal digits. It serves as a delimiter in a runner file and as the
/// word that resumes workflow commands.
///
/// # Errors
///
/// [`Code::OutputFailed`] when the operating system gives no random bytes. Writing with a guessable delimiter instead would
/// let a value add outputs of its own.
pub fn token() -> Result<String, Diagnostic> {
    let mut bytes = [0_u8; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| {
        Diagnostic::error(Code::OutputFailed, format!("the operating system gives no random bytes: {error}"))
    })?;
    let mut token = String::from("srtx_");
    for byte in bytes {
        let _ = write!(token, "{byte:02x}");
    }
    Ok(token)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn b17_tokens_hold_128_bits_and_never_repeat() {
        let tokens: HashSet<String> = (0..100).map(|_| token().unwrap()).collect();
        assert_eq!(tokens.len(), 100);
        for token in tokens {
            let digits = token.strip_prefix("srtx_").unwrap();
            assert!(digits.len() == 32 && digits.bytes().all(|b| b.is_ascii_hexdigit()), "{token}");
        }
    }
}
