//! Which legacy script a launcher would run for a single-node point.

/// What the name of a legacy script is made from.
#[derive(Debug, Clone, Copy)]
pub struct LegacyPoint<'p> {
    /// `EXP_NAME`; the text before its first underscore counts.
    pub exp_name: &'p str,
    /// `PRECISION`
    pub precision: &'p str,
    /// `FRAMEWORK`
    pub framework: &'p str,
    /// `SPEC_DECODING`; only `mtp` has scripts of its own.
    pub spec_decoding: &'p str,
    /// Whether agent trajectories are replayed.
    pub agentic: bool,
}

/// How the launchers of a hardware name their scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    /// With the framework in the name, else without.
    Tagged,
    /// One name for all frameworks, `_trt` apart.
    FlatTrt,
    /// One name for all frameworks.
    Flat,
}

/// The scripts that a launcher tries, in its order; none where it runs no single-node scripts.
pub fn legacy_scripts(launcher: &str, point: &LegacyPoint<'_>) -> Vec<String> {
    let Some(family) = family(launcher) else { return Vec::new() };
    let hardware = launcher.split('-').next().unwrap_or(launcher);
    let folder = if point.agentic { "agentic" } else { "fixed_seq_len" };
    let model = point.exp_name.split('_').next().unwrap_or_default();
    let stem = format!("benchmarks/single_node/{folder}/{model}_{}_{hardware}", point.precision);
    let draft = if point.spec_decoding == "mtp" { "_mtp" } else { "" };
    let trt = if point.framework == "trt" { "_trt" } else { "" };
    match family {
        Family::Flat => vec![format!("{stem}{draft}.sh")],
        Family::FlatTrt => vec![format!("{stem}{trt}{draft}.sh")],
        Family::Tagged => {
            let engine = if point.framework == "atom" && hardware == "mi355x" { "_atom" } else { trt };
            let mut scripts =
                vec![format!("{stem}_{}{draft}.sh", point.framework), format!("{stem}{engine}{draft}.sh")];
            scripts.dedup();
            scripts
        }
    }
}

/// GB200 and GB300 take multi-node points only, so they have none.
fn family(launcher: &str) -> Option<Family> {
    let is =
        |prefix: &str| launcher == prefix || launcher.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('-'));
    if ["b200", "b300", "h200-dgxc", "mi355x"].into_iter().any(is) {
        Some(Family::Tagged)
    } else if is("h200") {
        Some(Family::FlatTrt)
    } else if ["h100", "mi300x", "mi325x", "rtx6000pro"].into_iter().any(is) {
        Some(Family::Flat)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scripts(launcher: &str, framework: &str, spec_decoding: &str, agentic: bool) -> Vec<String> {
        let point = LegacyPoint { exp_name: "dsr1_8k1k", precision: "fp8", framework, spec_decoding, agentic };
        let below = |script: String| script.trim_start_matches("benchmarks/single_node/").to_owned();
        legacy_scripts(launcher, &point).into_iter().map(below).collect()
    }

    #[test]
    fn tagged_launchers_try_the_framework_first() {
        assert_eq!(
            scripts("b200-dgxc-slurm", "sglang", "none", false),
            ["fixed_seq_len/dsr1_fp8_b200_sglang.sh", "fixed_seq_len/dsr1_fp8_b200.sh"]
        );
        assert_eq!(scripts("b300-nv", "trt", "mtp", false), ["fixed_seq_len/dsr1_fp8_b300_trt_mtp.sh"]);
        assert_eq!(scripts("mi355x-amds", "atom", "mtp", true), ["agentic/dsr1_fp8_mi355x_atom_mtp.sh"]);
        assert_eq!(
            scripts("h200-dgxc", "atom", "none", false),
            ["fixed_seq_len/dsr1_fp8_h200_atom.sh", "fixed_seq_len/dsr1_fp8_h200.sh"]
        );
    }

    #[test]
    fn flat_launchers_have_one_name_for_all() {
        assert_eq!(scripts("h100-cw", "trt", "none", false), ["fixed_seq_len/dsr1_fp8_h100.sh"]);
        assert_eq!(scripts("h200-nb", "trt", "none", false), ["fixed_seq_len/dsr1_fp8_h200_trt.sh"]);
        assert_eq!(scripts("h200-cw", "vllm", "mtp", true), ["agentic/dsr1_fp8_h200_mtp.sh"]);
    }

    #[test]
    fn only_mtp_has_scripts_of_its_own() {
        for spec_decoding in ["none", "draft_model", "MTP", "dspark"] {
            assert_eq!(scripts("mi300x-amds", "vllm", spec_decoding, false), ["fixed_seq_len/dsr1_fp8_mi300x.sh"]);
        }
    }

    #[test]
    fn launchers_of_several_nodes_have_none() {
        assert!(scripts("gb200-nv", "vllm", "none", false).is_empty());
        assert!(scripts("gb300-nv", "vllm", "none", true).is_empty());
    }
}
