//! Which concurrencies an entry measures.

use super::Options;
use super::row::Entry;
use crate::core::diag::{Code, Diagnostic};
use crate::core::num::Num;
use crate::core::yaml::Value;

/// A concurrency as it was written, and the number that it is.
type Point<'d> = (Value<'d>, Num);

/// What an entry gives: a list, or the two ends of a ladder.
enum Given<'d> {
    List(Vec<Value<'d>>),
    Range(Point<'d>, Point<'d>),
}

fn given<'d>(entry: &Entry<'d>, options: &Options) -> Result<Given<'d>, Diagnostic> {
    let list = entry.node.get("conc-list").filter(|list| !list.is_null());
    // test-config takes the list whenever the key is there, even when it is empty. (Not so for agentic entries.)
    let fixed_test = options.is_test_config() && entry.scenario == super::Scenario::FixedSeqLen;
    if let Some(list) = list.filter(|list| fixed_test || list.items().len() > 0) {
        return Ok(Given::List(list.items().map(Value::of).collect()));
    }
    let end = |name: &'static str| -> Result<Point<'d>, Diagnostic> {
        let Some(value) = entry.given(name) else { return Err(only_underscores(entry)) };
        let number = entry.number(name, &value)?;
        Ok((value, number))
    };
    Ok(Given::Range(end("conc-start")?, end("conc-end")?))
}

/// Validation found a concurrency, so it stands under an underscore spelling, which nothing reads.
fn only_underscores(entry: &Entry<'_>) -> Diagnostic {
    let written = ["conc_list", "conc_start", "conc_end"].into_iter().find(|name| entry.node.get(name).is_some());
    let name = written.unwrap_or_default();
    entry
        .error(
            Code::KeyNotRead,
            name,
            format!("`{name}` passes validation, but nothing reads it: the entry has no concurrency"),
        )
        .help(format!("write `{}`", name.replace('_', "-")))
}

/// The ladder from `start` to `end`: multiplied by `step` each time, `end` always last.
fn ladder<'d>(start: &Point<'d>, end: &Point<'d>, step: &Num) -> Vec<Value<'d>> {
    let mut values = Vec::new();
    let mut current = start.clone();
    loop {
        let is_end = current.1 == end.1;
        let past = current.1 > end.1;
        if past {
            break;
        }
        values.push(current.0);
        if is_end {
            break;
        }
        let next = current.1.times(step);
        current = if next > end.1 { end.clone() } else { (next.clone().into_value(), next) };
    }
    values
}

/// Concurrencies of a single-node fixed-length entry. Nothing when the filters leave none.
pub(super) fn single_fixed<'d>(entry: &Entry<'d>, options: &Options) -> Result<Vec<Value<'d>>, Diagnostic> {
    let one = Num::Int(1);
    let below_one = |limit: &Option<Num>| limit.as_ref().is_some_and(|limit| *limit < one);
    let nothing = below_one(&options.min_conc) || below_one(&options.max_conc);
    match given(entry, options)? {
        Given::List(values) => {
            if nothing {
                return Ok(Vec::new());
            }
            let values = clamp_list(entry, values, options)?;
            keep_listed(values, options)
        }
        Given::Range(mut start, mut end) => {
            if nothing {
                return Ok(Vec::new());
            }
            if let Some(min) = &options.min_conc {
                if end.1 < *min {
                    return Ok(Vec::new());
                }
                if *min > start.1 {
                    start = (min.clone().into_value(), min.clone());
                }
            }
            if let Some(max) = &options.max_conc {
                let limit = (max.clone().into_value(), max.clone());
                if start.1 > *max {
                    start = limit.clone();
                    end = limit;
                } else if *max < end.1 {
                    end = limit;
                }
            }
            keep_listed(ladder(&start, &end, &options.step), options)
        }
    }
}

/// Concurrencies of a multi-node fixed-length entry: the ladder first, the filters on its values.
pub(super) fn multi_fixed<'d>(entry: &Entry<'d>, options: &Options) -> Result<Option<Vec<Value<'d>>>, Diagnostic> {
    let given = given(entry, options)?;
    let is_empty_list = matches!(&given, Given::List(values) if values.is_empty());
    let values = match given {
        Given::List(values) => values,
        Given::Range(start, end) => ladder(&start, &end, &options.step),
    };
    let zero = Num::Int(0);
    if options.min_conc.as_ref().is_some_and(|min| *min <= zero) {
        return Ok(None);
    }
    let kept = clamp_list(entry, values, options)?;
    let kept = keep_listed(kept, options)?;
    // An empty list that was written so makes a row without concurrencies, as upstream does.
    Ok((!kept.is_empty() || (is_empty_list && options.conc.is_none())).then_some(kept))
}

/// Keeps what lies between the limits; if only the upper one removed everything, that limit itself is measured.
fn clamp_list<'d>(entry: &Entry<'d>, values: Vec<Value<'d>>, options: &Options) -> Result<Vec<Value<'d>>, Diagnostic> {
    let mut values = values;
    if let Some(min) = &options.min_conc {
        values = keep(entry, values, |value| value >= min)?;
        if values.is_empty() {
            return Ok(values);
        }
    }
    if let Some(max) = &options.max_conc {
        values = keep(entry, values, |value| value <= max)?;
        if values.is_empty() && max.is_positive() {
            values.push(max.clone().into_value());
        }
    }
    Ok(values)
}

fn keep<'d>(
    entry: &Entry<'d>,
    values: Vec<Value<'d>>,
    wanted: impl Fn(&Num) -> bool,
) -> Result<Vec<Value<'d>>, Diagnostic> {
    let mut kept = Vec::with_capacity(values.len());
    for (index, value) in values.into_iter().enumerate() {
        if wanted(&entry.number(&format!("conc-list[{index}]"), &value)?) {
            kept.push(value);
        }
    }
    Ok(kept)
}

/// `--conc` keeps the listed values only; a text is none of them.
fn keep_listed<'d>(values: Vec<Value<'d>>, options: &Options) -> Result<Vec<Value<'d>>, Diagnostic> {
    let Some(wanted) = &options.conc else { return Ok(values) };
    Ok(values.into_iter().filter(|value| Num::of(value).is_some_and(|number| wanted.contains(&number))).collect())
}

/// Concurrencies of an agentic entry: plain filters, nothing is clamped or invented.
pub(super) fn agentic<'d>(entry: &Entry<'d>, options: &Options) -> Result<Vec<Value<'d>>, Diagnostic> {
    let mut values = match given(entry, options)? {
        Given::List(values) => values,
        Given::Range(start, end) => ladder(&start, &end, &options.step),
    };
    if let Some(min) = &options.min_conc {
        values = keep(entry, values, |value| value >= min)?;
    }
    if let Some(max) = &options.max_conc {
        values = keep(entry, values, |value| value <= max)?;
    }
    keep_listed(values, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rungs(start: i64, end: i64, step: i64) -> Vec<Value<'static>> {
        let point = |n| (Value::Int(n), Num::Int(n));
        ladder(&point(start), &point(end), &Num::Int(step))
    }

    fn ints(values: &[i64]) -> Vec<Value<'static>> {
        values.iter().map(|&n| Value::Int(n)).collect()
    }

    #[test]
    fn the_end_is_always_the_last_rung() {
        assert_eq!(rungs(4, 100, 2), ints(&[4, 8, 16, 32, 64, 100]));
        assert_eq!(rungs(4, 64, 2), ints(&[4, 8, 16, 32, 64]));
        assert_eq!(rungs(1, 10, 3), ints(&[1, 3, 9, 10]));
        assert_eq!(rungs(5, 5, 2), ints(&[5]));
        assert_eq!(rungs(6, 5, 2), ints(&[]));
    }
}
