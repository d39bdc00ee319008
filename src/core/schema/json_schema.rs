//! JSON Schemas (draft-07, which editors know) from [`Type`]s.

use serde_json::{Map, Value, json};

use super::{Field, Object, Type};

/// The JSON Schema document of a file.
pub fn json_schema(title: &str, about: &str, of: &Type) -> Value {
    let mut schema = Map::new();
    schema.insert("$schema".into(), json!("http://json-schema.org/draft-07/schema#"));
    schema.insert("title".into(), json!(title));
    schema.insert("description".into(), json!(about));
    if let Value::Object(body) = type_schema(of) {
        schema.extend(body);
    }
    Value::Object(schema)
}

fn type_schema(of: &Type) -> Value {
    match of {
        Type::Text { min_chars, without_prefix } => {
            let mut schema = json!({"type": "string"});
            if *min_chars > 0 {
                schema["minLength"] = json!(min_chars);
            }
            if let Some(prefix) = without_prefix {
                schema["not"] = json!({"pattern": format!("^{prefix}")});
            }
            schema
        }
        // Editors should ask for what is meant, not for all that passes.
        Type::Integer { min, .. } => match min {
            Some(min) => json!({"type": "integer", "minimum": min}),
            None => json!({"type": "integer"}),
        },
        Type::Boolean { .. } => json!({"type": "boolean"}),
        Type::Fraction => json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
        Type::Exactly { value, .. } => json!({"const": value}),
        Type::Choice(words) => json!({"enum": words}),
        Type::List { of, min_items } => {
            let mut schema = json!({"type": "array", "items": type_schema(of)});
            if *min_items > 0 {
                schema["minItems"] = json!(min_items);
            }
            schema
        }
        Type::MapOf(of) => json!({"type": "object", "additionalProperties": type_schema(of)}),
        Type::Object(object) => object_schema(object),
    }
}

fn object_schema(object: &Object) -> Value {
    let properties: Map<String, Value> =
        object.fields.iter().map(|field| (field.name.to_owned(), field_schema(field))).collect();
    let required: Vec<&str> = object.fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": object.open});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn field_schema(field: &Field) -> Value {
    let inner = type_schema(&field.of);
    let mut schema = match (field.nullable, inner) {
        (true, inner) => json!({"anyOf": [inner, {"type": "null"}]}),
        (false, inner) => inner,
    };
    if !field.about.is_empty() {
        schema["description"] = json!(field.about);
    }
    schema
}
