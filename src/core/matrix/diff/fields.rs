//! Which fields of two points differ.

use crate::core::matrix::json::{COMPACT, write_value};
use crate::core::matrix::point::{Point, sorted};
use crate::core::yaml::Value;

/// The name of the field that is not in the row: the config that a point belongs to.
pub(super) const CONFIG_KEY: &str = "config-key";

/// The dotted fields that differ, in the order in which they stand in the later point. Lists are compared whole.
pub(super) fn differing(before: &Point<'_>, after: &Point<'_>) -> Vec<String> {
    let mut fields = Vec::new();
    if before.row.entry.config.key != after.row.entry.config.key {
        fields.push(CONFIG_KEY.to_owned());
    }
    for (name, value) in after.row.fields() {
        compare(name, before.row.get(name), Some(value), &mut fields);
    }
    for (name, value) in before.row.fields() {
        if after.row.get(name).is_none() {
            compare(name, Some(value), None, &mut fields);
        }
    }
    fields
}

fn compare(path: &str, before: Option<&Value<'_>>, after: Option<&Value<'_>>, fields: &mut Vec<String>) {
    if let (Some(Value::Map(of_before)), Some(Value::Map(of_after))) = (before, after) {
        let texts = |map: &[(Value<'_>, Value<'_>)]| -> Vec<String> {
            map.iter().filter_map(|(key, _)| key.as_str().map(str::to_owned)).collect()
        };
        let mut names = texts(of_after);
        names.extend(
            texts(of_before).into_iter().filter(|name| !of_after.iter().any(|(key, _)| key.as_str() == Some(name))),
        );
        for name in names {
            let (of_before, of_after) =
                (before.and_then(|value| value.get(&name)), after.and_then(|value| value.get(&name)));
            compare(&format!("{path}.{name}"), of_before, of_after, fields);
        }
        return;
    }
    if text(before) != text(after) {
        fields.push(path.to_owned());
    }
}

/// The canonical JSON of a value, so that `8` and `8.0` are one here as they are in fingerprints.
fn text(value: Option<&Value<'_>>) -> Option<Vec<u8>> {
    value.map(|value| {
        let mut out = Vec::new();
        write_value(&mut out, &sorted(value), COMPACT);
        out
    })
}

/// The value of a dotted field for people: a text as it is, anything else as JSON, nothing as a dash.
pub(super) fn shown(point: &Point<'_>, field: &str) -> String {
    if field == CONFIG_KEY {
        return point.row.entry.config.key.to_owned();
    }
    let row = &point.row;
    let value = row.get(field).or_else(|| {
        let mut steps = field.split('.');
        let first = row.get(steps.next()?)?;
        steps.try_fold(first, |value, step| value.get(step))
    });
    match value {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::Str(text)) => text.clone().into_owned(),
        Some(value) => {
            let mut out = Vec::new();
            write_value(&mut out, value, COMPACT);
            String::from_utf8(out).unwrap_or_default()
        }
    }
}
