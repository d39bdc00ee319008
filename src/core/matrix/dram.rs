//! The DRAM budget of KV offloading, in Python's decimal arithmetic.

use std::num::NonZeroU64;
use std::str::FromStr as _;

use bigdecimal::{BigDecimal, RoundingMode, ToPrimitive as _};
use num_bigint::BigInt;

use super::row::Entry;
use crate::core::config::{Hardware, Runners};
use crate::core::diag::{Code, Diagnostic};
use crate::core::num::{Num, python_float};
use crate::core::yaml::{NodeRef, Value};

/// What one job may use at most, in MiB.
const CAP_MIB: i64 = 2_861_022;
const BYTES_PER_MIB: i64 = 1_048_576;
const BYTES_PER_GB: i64 = 1_000_000_000;
/// Significant digits of Python's default decimal context; each operation rounds half to even.
const DIGITS: NonZeroU64 = NonZeroU64::new(28).unwrap();

fn round(value: BigDecimal) -> BigDecimal {
    value.with_precision_round(DIGITS, RoundingMode::HalfEven)
}

/// `total-cpu-dram-gb` of an agentic entry: 0 unless it offloads to DRAM.
///
/// `((available × 2^20 × utilization) × gpus in use) / gpus per node`, in bytes, cut to whole GB (10^9 bytes).
pub(super) fn budget(entry: &Entry<'_>, runners: &Runners<'_>) -> Result<Value<'static>, Diagnostic> {
    if entry.given("kv-offloading").as_ref().and_then(Value::as_str) != Some("dram") {
        return Ok(Value::Int(0));
    }
    let runner = entry.config.node.get("runner").and_then(|node| node.as_str()).unwrap_or_default();
    let hardware = runners.hardware_of(runner).ok_or_else(|| no_hardware(entry, runner, runners))?;
    let available = fact(entry, hardware, "available-cpu-dram-mib")?;
    let gpus = fact(entry, hardware, "gpus-per-node")?;
    let available = if available > Num::Int(CAP_MIB) { Num::Int(CAP_MIB) } else { available };
    let share = utilization(entry)?;
    let in_use = gpus_in_use(entry, &gpus)?;

    let bytes = round(decimal(&available) * BigDecimal::from(BYTES_PER_MIB));
    let bytes = round(bytes * round(share));
    let bytes = round(bytes * decimal(&in_use));
    let bytes = round(bytes / decimal(&gpus));
    let gigabytes = round(bytes / BigDecimal::from(BYTES_PER_GB)).with_scale_round(0, RoundingMode::Down);
    Ok(gigabytes
        .to_i64()
        .map_or_else(|| Value::Big(Box::new(BigInt::from_str(&gigabytes.to_string()).unwrap_or_default())), Value::Int))
}

fn decimal(number: &Num) -> BigDecimal {
    match number {
        Num::Int(value) => BigDecimal::from(*value),
        Num::Big(value) => BigDecimal::from(value.clone()),
        Num::Float(value) => BigDecimal::from_str(&python_float(*value)).unwrap_or_default(),
    }
}

fn no_hardware(entry: &Entry<'_>, runner: &str, runners: &Runners<'_>) -> Diagnostic {
    let mut known: Vec<&str> = runners.hardware().iter().map(|record| record.label.as_str()).collect();
    known.sort_unstable();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    let file = runners.document().source().name();
    entry
        .error(
            Code::HardwareUnknown,
            "kv-offloading",
            format!("{file} has no hardware facts for the runner `{runner}`"),
        )
        .help(format!("add a record with available-cpu-dram-mib and gpus-per-node for it; known: {known}"))
}

fn fact(entry: &Entry<'_>, hardware: &Hardware<'_>, name: &str) -> Result<Num, Diagnostic> {
    let source = hardware.node.source();
    let Some(value) = hardware.get(name) else {
        return Err(Diagnostic::error(Code::HardwareUnknown, format!("`{}` has no {name}", hardware.label))
            .at(source, hardware.node.site())
            .path(format!("{}.{name}", hardware.path))
            .related(entry.node.source(), entry.node.site(), "needed for this entry")
            .help(format!("add {name}: KV offloading to DRAM needs it")));
    };
    Num::of(&value).ok_or_else(|| {
        let node = hardware.node.get(name);
        let place = node.map_or(hardware.node.site(), |node| node.site());
        let text = node.and_then(NodeRef::scalar_text).unwrap_or_default();
        Diagnostic::error(
            Code::NumberNeeded,
            format!("{name} is the text `{text}`, and the DRAM budget is computed with it"),
        )
        .at(source, place)
        .path(format!("{}.{name}", hardware.path))
        .help("write the number without quotes")
    })
}

/// The decimal of the shortest text of a float, or of the text that was given.
fn utilization(entry: &Entry<'_>) -> Result<BigDecimal, Diagnostic> {
    let node = entry.item_node.get("dram-utilization");
    let wrong = || {
        let place = node.map_or(entry.node.site(), |node| node.site());
        let path = entry.path("");
        let path = path.split(".search-space").next().unwrap_or_default();
        let text = node.and_then(NodeRef::scalar_text).unwrap_or_default();
        Diagnostic::error(
            Code::NumberNeeded,
            format!("dram-utilization is `{text}`, and the DRAM budget is computed with a number"),
        )
        .at(entry.node.source(), place)
        .path(format!("{path}.dram-utilization"))
        .help("write a share of the memory, as in 0.80")
    };
    match node.map(Value::of) {
        Some(Value::Float(value)) => BigDecimal::from_str(&python_float(value)).map_err(|_| wrong()),
        Some(Value::Int(value)) => Ok(BigDecimal::from(value)),
        Some(Value::Str(text)) => BigDecimal::from_str(&text.trim().replace('_', "")).map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}

/// The GPUs that share the budget: those of the job, or of one prefill worker on its node.
fn gpus_in_use(entry: &Entry<'_>, per_node: &Num) -> Result<Num, Diagnostic> {
    let Some(role) = ["prefill", "worker"].into_iter().find(|role| entry.given(role).is_some()) else {
        let used = footprint(entry, "")?;
        if used > *per_node {
            let message = format!("tp·pp·pcp-size is {used}, more than the {per_node} GPUs of a node");
            return Err(entry.error(Code::NodeShare, "tp", message).help("a single-node topology must fit one node"));
        }
        return Ok(used);
    };
    let used = footprint(entry, role)?;
    let (fits, in_use) = if used > *per_node {
        (used.is_multiple_of(per_node), per_node.clone())
    } else {
        (per_node.is_multiple_of(&used), used.clone())
    };
    if fits == Some(true) {
        return Ok(in_use);
    }
    let message = format!("a {role} worker of {used} GPUs does not divide nodes of {per_node} GPUs evenly");
    Err(entry
        .error(Code::NodeShare, &format!("{role}.tp"), message)
        .help("use a divisor or a multiple of the node's GPUs"))
}

/// `tp · pp · pcp-size` of the entry, or of one of its workers.
pub(super) fn footprint(entry: &Entry<'_>, role: &str) -> Result<Num, Diagnostic> {
    let at = |name: &str| if role.is_empty() { name.to_owned() } else { format!("{role}.{name}") };
    let of = if role.is_empty() { Some(entry.node) } else { entry.node.get(role) };
    let mut product = Num::Int(1);
    for name in ["tp", "pp", "pcp-size"] {
        if let Some(value) = of.and_then(|node| node.get(name)) {
            product = product.times(&entry.number(&at(name), &Value::of(value))?);
        }
    }
    Ok(product)
}

#[cfg(test)]
mod tests {
    use bigdecimal::Zero as _;

    use super::*;

    #[test]
    fn each_step_rounds_to_28_digits() {
        let third = BigDecimal::from(1) / BigDecimal::from(3);
        assert_eq!(round(third).to_string(), "0.3333333333333333333333333333");
        assert!(round(BigDecimal::zero()).is_zero());
        let tie = BigDecimal::from_str("1.2345678901234567890123456785").unwrap();
        assert_eq!(round(tie).to_string(), "1.234567890123456789012345678");
    }
}
