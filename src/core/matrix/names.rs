//! Experiment names. They are not unique.

use std::fmt::Write as _;

use crate::core::num::Num;
pub(super) use crate::core::num::python_str;
use crate::core::yaml::Value;

/// The names that dashboards know some pairs of lengths by.
pub const SEQUENCES: [(&str, i64, i64); 2] = [("1k1k", 1024, 1024), ("8k1k", 8192, 1024)];

/// `1k1k`, `8k1k`, or `{isl}_{osl}`.
pub(super) fn sequence(isl: &Value<'_>, osl: &Value<'_>) -> String {
    let is = |value: &Value<'_>, number: i64| Num::of(value).is_some_and(|value| value == Num::Int(number));
    match SEQUENCES.iter().find(|(_, input, output)| is(isl, *input) && is(osl, *output)) {
        Some((name, ..)) => (*name).to_owned(),
        None => format!("{}_{}", python_str(isl), python_str(osl)),
    }
}

/// `p{num-worker}x{tp}`, with `ep{n}`, `dpa` and `adp{n}` where they say something.
pub(super) fn worker_tag(letter: char, worker: &Value<'_>) -> String {
    let text = |name| worker.get(name).map(python_str).unwrap_or_default();
    let mut tag = format!("{letter}{}x{}", text("num-worker"), text("tp"));
    if let Some(ep) = worker.get("ep")
        && !Num::of(ep).is_some_and(|ep| ep == Num::Int(1))
    {
        let _ = write!(tag, "ep{}", python_str(ep));
    }
    if worker.get("dp-attn").is_some_and(Value::is_truthy) {
        tag.push_str("dpa");
    }
    if let Some(size) = worker.get("attn-dp-size").filter(|size| **size != Value::Null) {
        let _ = write!(tag, "adp{}", python_str(size));
    }
    tag
}
