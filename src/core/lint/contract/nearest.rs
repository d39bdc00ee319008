//! Which exported name an unknown one was meant to be.

use strsim::damerau_levenshtein;

/// A name that looks like the unknown one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::core::lint) struct Near<'n> {
    pub(in crate::core::lint) name: &'n str,
    /// Whether the unknown name is surely an old or misspelt form of it: a part was dropped, or letters differ.
    pub(in crate::core::lint) is_renamed: bool,
}

/// Single words that name anything: `PORT` is no old form of `MASTER_PORT`.
const ANY_WORD: [&str; 40] = [
    "ACCOUNT", "ADDR", "ARCH", "ARGS", "BASE", "BIN", "CACHE", "CMD", "COUNT", "DATA", "DIR", "FILE", "HOST", "ID",
    "IMAGE", "IP", "JOB", "LEN", "LEVEL", "LIMIT", "LIST", "LOG", "MODE", "MODEL", "NAME", "NODE", "NODES", "OUTPUT",
    "PATH", "PORT", "PREFIX", "RANK", "ROOT", "SIZE", "TIME", "TIMEOUT", "TOKEN", "TYPE", "URL", "USER",
];

/// The nearest name, if one is near at all. Renamed ones come first, then those that share most words.
pub(in crate::core::lint) fn nearest<'n>(unknown: &str, known: impl Iterator<Item = &'n str>) -> Option<Near<'n>> {
    let mut best: Option<(Near<'n>, usize)> = None;
    for name in known.filter(|name| *name != unknown) {
        let is_renamed = is_form_of(unknown, name);
        let distance = damerau_levenshtein(unknown, name);
        let is_close = distance * 3 <= unknown.len().min(name.len());
        if !is_renamed && !is_close && !is_extension_of(unknown, name) {
            continue;
        }
        let rank = distance + if is_renamed { 0 } else { 1000 };
        if best.is_none_or(|(near, before)| rank < before || rank == before && name < near.name) {
            best = Some((Near { name, is_renamed }, rank));
        }
    }
    best.map(|(near, _)| near)
}

/// `DRAFT_MODEL_DIR` has all of `MODEL_DIR`: worth naming, but no sign of a mistake.
fn is_extension_of(unknown: &str, known: &str) -> bool {
    unknown.strip_suffix(known).is_some_and(|rest| rest.ends_with('_'))
}

/// Shorter starts are shared by too many words.
const SHORT_FORM: usize = 4;

/// Whether the unknown name is an older, shorter or misspelt form of the known one.
fn is_form_of(unknown: &str, known: &str) -> bool {
    let (short, long): (Vec<&str>, Vec<&str>) = (unknown.split('_').collect(), known.split('_').collect());
    let means_something = short.len() > 1 || unknown.len() > 4 && !ANY_WORD.contains(&unknown);
    if means_something && short.len() < long.len() {
        if known.strip_suffix(unknown).is_some_and(|rest| rest.ends_with('_')) {
            return true;
        }
        // One word was dropped, wherever it stood.
        let same = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
        if short.len() + 1 == long.len() && short[same..] == long[same + 1..] && short.len() > 1 {
            return true;
        }
    }
    // One word is a short form of the other: `OFFLOAD` and `OFFLOADING`.
    if short.len() == long.len() {
        let mut differing = short.iter().zip(&long).filter(|(a, b)| a != b);
        if let (Some((a, b)), None) = (differing.next(), differing.next()) {
            let (start, whole) = if a.len() < b.len() { (a, b) } else { (b, a) };
            if start.len() >= SHORT_FORM && whole.starts_with(*start) && !ANY_WORD.contains(start) {
                return true;
            }
        }
    }
    let length = unknown.len().min(known.len());
    let allowed = if length >= 8 { 2 } else { 1 };
    let digits = |name: &str| name.bytes().filter(u8::is_ascii_digit).collect::<Vec<_>>();
    // `GPU0` and `GPU1`, or `GB200` and `GB300`, are different things and no slip.
    if length >= 5 && digits(unknown) == digits(known) && damerau_levenshtein(unknown, known) <= allowed {
        return true;
    }
    let squeezed = |name: &str| name.replace('_', "");
    short.len() == long.len() && short.len() > 1 && {
        let (mut a, mut b) = (short, long);
        a.sort_unstable();
        b.sort_unstable();
        a == b
    } || squeezed(unknown) == squeezed(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(unknown: &str, known: &[&'static str]) -> Option<(&'static str, bool)> {
        nearest(unknown, known.iter().copied()).map(|near| (near.name, near.is_renamed))
    }

    #[test]
    fn dropped_words_and_slips_are_old_forms() {
        assert_eq!(near("OFFLOADING", &["KV_OFFLOADING", "OFFLOAD_DIR"]), Some(("KV_OFFLOADING", true)));
        assert_eq!(near("KV_OFFLAODING", &["KV_OFFLOADING"]), Some(("KV_OFFLOADING", true)));
        assert_eq!(near("TOTAL_DRAM_GB", &["TOTAL_CPU_DRAM_GB"]), Some(("TOTAL_CPU_DRAM_GB", true)));
        assert_eq!(near("KV_OFFLOAD", &["KV_OFFLOADING"]), Some(("KV_OFFLOADING", true)));
        assert_eq!(near("CONCURRENCY", &["CONC"]), Some(("CONC", true)));
        assert_eq!(near("LIST_CONC", &["CONC_LIST"]), Some(("CONC_LIST", true)));
        assert_eq!(near("RESULTDIR", &["RESULT_DIR"]), Some(("RESULT_DIR", true)));
    }

    #[test]
    fn longer_names_and_words_for_anything_are_not() {
        assert_eq!(near("HICACHE_TOTAL_CPU_DRAM_GB", &["TOTAL_CPU_DRAM_GB"]), Some(("TOTAL_CPU_DRAM_GB", false)));
        assert_eq!(near("PORT", &["MASTER_PORT"]), None);
        assert_eq!(near("B200_NODES", &["B300_NODES"]).map(|near| near.1), Some(false));
        assert_eq!(near("SAGEMAKER_SHM_PATH", &["MODEL", "IMAGE", "TP"]), None);
    }
}
