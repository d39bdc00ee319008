//! What a point takes: GPUs, and hours of them where it is known how long it runs.

use crate::core::matrix::row::Row;
use crate::core::num::Num;
use crate::core::yaml::Value;

/// The GPUs that the topology of a row uses; `None` where its sizes are no numbers.
pub(super) fn gpus(row: &Row<'_>) -> Option<i64> {
    if !row.is_multinode() {
        let sizes = ["tp", "pp", "pcp-size"].map(|name| size(row.get(name)));
        return product(sizes);
    }
    let role = |name: &str| {
        let worker = row.get(name)?;
        product(["num-worker", "tp", "pp", "pcp-size"].map(|name| size(worker.get(name))))
    };
    role("prefill")?.checked_add(role("decode")?)
}

/// The GPU-hours of a row; `None` where nobody knows how long it runs. Loading the model is not part of it.
pub(super) fn gpu_hours(row: &Row<'_>) -> Option<f64> {
    let seconds = Num::of(row.get("duration")?)?.to_f64();
    #[expect(clippy::cast_precision_loss, reason = "a number of GPUs")]
    let hours = gpus(row)? as f64 * seconds / 3600.0;
    hours.is_finite().then_some(hours)
}

fn product<const N: usize>(sizes: [Option<i64>; N]) -> Option<i64> {
    sizes.into_iter().try_fold(1_i64, |product, size| product.checked_mul(size?))
}

/// A size as validation takes it; one that is not given is 1.
fn size(value: Option<&Value<'_>>) -> Option<i64> {
    let number = match value {
        None => return Some(1),
        Some(Value::Str(text)) => text.trim().parse().ok()?,
        Some(Value::Float(value)) if value.fract() == 0.0 => format!("{value:.0}").parse().ok()?,
        Some(value) => i64::try_from(Num::of(value)?.as_integer()?).ok()?,
    };
    (number >= 0).then_some(number)
}
