//! JSON Schemas of the configuration files, for editors.

use serde_json::{Value, json};

use super::{Rules, master_type, runners_type};
use crate::core::schema::json_schema;

/// The schema files: path from the root of the repository, and text. The names without a date are for the newest rules.
pub fn schema_files() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (rules, suffix) in [(Rules::R2026_09, String::new()), (Rules::R2026_08, format!("-{}", Rules::R2026_08.name()))]
    {
        files.push((format!("configs/schema/master{suffix}.schema.json"), text(&master_schema(rules))));
        files.push((format!("configs/schema/runners{suffix}.schema.json"), text(&runners_schema(rules))));
    }
    files
}

fn text(schema: &Value) -> String {
    format!("{schema:#}\n")
}

fn master_schema(rules: Rules) -> Value {
    let body = |multinode| {
        let mut schema = json_schema("", "", &master_type(rules, multinode));
        if let Value::Object(map) = &mut schema {
            ["$schema", "title", "description"].iter().for_each(|key| {
                map.shift_remove(*key);
            });
        }
        schema
    };
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": format!("srtx master configs (rules {})", rules.name()),
        "description": "A mapping of config keys to configs. Rules between keys are checked by `srtx-gh matrix`.",
        "type": "object",
        "propertyNames": {"not": {"pattern": "\\*"}},
        "additionalProperties": {
            "if": {"properties": {"multinode": {"const": true}}, "required": ["multinode"]},
            "then": body(true),
            "else": body(false),
        },
    })
}

fn runners_schema(rules: Rules) -> Value {
    json_schema(
        &format!("srtx runners (rules {})", rules.name()),
        "Runner labels, and what the nodes behind them have.",
        &runners_type(rules),
    )
}
