//! What outputs weigh, and whether they fit. In: names and values. Out: their size as GitHub counts it, and the largest.

use super::limits::{JOB_OUTPUTS_BUDGET, JOB_OUTPUTS_BYTES};
use crate::core::diag::{Code, Diagnostic};

/// How many contributors a message names.
const NAMED: usize = 3;

pub use crate::core::size::utf16_bytes;

/// How much room outputs have, in bytes of UTF-16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    bytes: usize,
}

/// What outputs take of a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// All names and values, in bytes of UTF-16.
    pub bytes: usize,
    /// The size of each output with its name, the largest first and equal ones in the order given.
    pub largest: Vec<(String, usize)>,
}

impl Budget {
    /// The outputs of one job: 900 KiB of the 1 MiB that GitHub takes.
    pub const JOB: Self = Self { bytes: JOB_OUTPUTS_BUDGET };

    /// A budget of so many bytes of UTF-16.
    pub const fn of_bytes(bytes: usize) -> Self {
        Self { bytes }
    }

    /// Weighs names and values.
    pub fn measure<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Usage {
        let mut largest: Vec<(String, usize)> =
            pairs.into_iter().map(|(name, value)| (name.to_owned(), utf16_bytes(name) + utf16_bytes(value))).collect();
        largest.sort_by_key(|&(_, bytes)| std::cmp::Reverse(bytes));
        Usage { bytes: largest.iter().map(|&(_, bytes)| bytes).sum(), largest }
    }

    /// Whether names and values fit together.
    pub fn fits<'a>(self, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> bool {
        Self::measure(pairs).bytes <= self.bytes
    }

    /// Weighs names and values, and refuses them when they do not fit.
    ///
    /// # Errors
    ///
    /// [`Code::LimitExceeded`], naming the size, the budget, the limit and the largest contributors.
    pub fn check<'a>(self, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Usage, Diagnostic> {
        let usage = Self::measure(pairs);
        if usage.bytes <= self.bytes {
            return Ok(usage);
        }
        let named: Vec<String> =
            usage.largest.iter().take(NAMED).map(|(name, bytes)| format!("`{name}` {bytes}")).collect();
        Err(Diagnostic::error(
            Code::LimitExceeded,
            format!(
                "the outputs take {} bytes in UTF-16, and {} of the {JOB_OUTPUTS_BYTES} that GitHub allows a job are for them",
                usage.bytes, self.bytes
            ),
        )
        .help(format!("the largest: {}", named.join(", ")))
        .help("pass large data as an artifact, or as a digest from which the next job makes it again"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn l17_sizes_are_utf16() {
        for (text, bytes) in [("", 0), ("a", 2), ("é", 2), ("€", 2), ("😀", 4), ("a😀", 6)] {
            assert_eq!(utf16_bytes(text), bytes, "{text}");
        }
    }

    #[test]
    fn b15_the_job_budget_ends_at_460_800_characters_with_the_name() {
        let fits = "x".repeat(460_799);
        let over = "x".repeat(460_801);
        assert!(Budget::JOB.fits([("p", fits.as_str())]));
        assert!(!Budget::JOB.fits([("pp", fits.as_str())]));
        assert!(!Budget::JOB.fits([("p", over.as_str())]));
    }

    #[test]
    fn b15_l17_the_refusal_names_size_limit_and_the_largest() {
        let big = "x".repeat(300_000);
        let bigger = "é".repeat(300_001);
        let refused = Budget::JOB
            .check([("count", "12"), ("points", big.as_str()), ("list", bigger.as_str()), ("z", "")])
            .unwrap_err();
        assert_eq!(refused.code, Code::LimitExceeded);
        for part in ["1200038 bytes", "921600", "1048576"] {
            assert!(refused.message.contains(part), "{}", refused.message);
        }
        assert_eq!(refused.help[0], "the largest: `points` 600012, `list` 600010, `count` 14");
    }

    proptest! {
        #[test]
        fn l17_the_size_is_the_sum_of_its_parts(pairs in proptest::collection::vec((".{0,8}", ".{0,20}"), 0..8)) {
            let borrowed: Vec<(&str, &str)> = pairs.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
            let usage = Budget::measure(borrowed.iter().copied());
            let expected: usize =
                pairs.iter().flat_map(|(n, v)| n.chars().chain(v.chars())).map(|c| if c as u32 > 0xffff { 4 } else { 2 }).sum();
            prop_assert_eq!(usage.bytes, expected);
            prop_assert!(usage.largest.windows(2).all(|pair| pair[0].1 >= pair[1].1));
            prop_assert!(Budget::of_bytes(expected).fits(borrowed.iter().copied()));
            prop_assert!(expected == 0 || !Budget::of_bytes(expected - 1).fits(borrowed.iter().copied()));
        }
    }
}
