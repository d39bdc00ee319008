//! Master configs and the runner file: loaded, merged and validated.
//!
//! In: YAML documents and a rule set. Out: configs in merged order, labels and hardware facts, or diagnostics. Values
//! stay as they were written; what they default to is the matrix's business.

mod checks;
mod master;
mod runners;
mod schemas;

pub use master::{Config, master_type, merge_masters};
pub use runners::{Hardware, Runners, detect_rules, load_runners, runners_type, warn_unlisted_runners};
pub use schemas::schema_files;

/// Which revision of the rules holds. They are chosen, never mixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rules {
    /// The pinned snapshot of August 2026.
    R2026_08,
    /// The later rules of September 2026.
    R2026_09,
}

impl Rules {
    /// The rule set with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "2026-08" => Some(Self::R2026_08),
            "2026-09" => Some(Self::R2026_09),
            _ => None,
        }
    }

    /// The name that `--rules` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::R2026_08 => "2026-08",
            Self::R2026_09 => "2026-09",
        }
    }
}
