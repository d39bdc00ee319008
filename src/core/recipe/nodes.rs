//! The number of nodes of a schema 2 recipe.

use std::sync::Arc;

use crate::core::diag::{Diagnostics, Source};
use crate::core::yaml::{Map, Schema, Value, parse};

/// The nodes that a recipe takes: those of its roles and service pools, and of what it places on nodes of its own.
/// `None` where the file or the variant does not say so plainly (another schema, a zip group, an unknown selector).
pub fn node_count_of(source: &Arc<Source>, selector: Option<&str>) -> Option<i64> {
    let document = parse(source, Schema::V11, &mut Diagnostics::new())?;
    let file = Value::of(document.root()?);
    let recipe = variant(&file, selector)?;
    if recipe.get("schema") != Some(&Value::Int(2)) {
        return None;
    }
    let roles = sum_of_roles(&recipe)?;
    Some(roles + service_pools(&recipe)? + dedicated_nodes(&recipe))
}

fn variant<'d>(file: &Value<'d>, selector: Option<&str>) -> Option<Value<'d>> {
    match (file.get("base"), selector) {
        (None, None) => Some(file.clone()),
        (Some(base), Some("base")) => Some(base.clone()),
        (Some(base), Some(name)) if name.starts_with("override_") => Some(merged(base, file.get(name)?)),
        _ => None,
    }
}

/// Mappings merge key by key, null removes, everything else replaces.
fn merged<'d>(base: &Value<'d>, over: &Value<'d>) -> Value<'d> {
    let (Value::Map(base), Value::Map(over)) = (base, over) else { return over.clone() };
    let mut out: Map<'d> = base.clone();
    for (key, value) in over {
        let place = out.iter().position(|(name, _)| name == key);
        match (place, value) {
            (Some(at), Value::Null) => {
                out.remove(at);
            }
            (None, Value::Null) => {}
            (Some(at), value) => out[at].1 = merged(&out[at].1, value),
            (None, value) => out.push((key.clone(), value.clone())),
        }
    }
    Value::Map(out)
}

fn sum_of_roles(recipe: &Value<'_>) -> Option<i64> {
    let Some(Value::Map(roles)) = recipe.get("roles") else { return None };
    roles.iter().try_fold(0, |total: i64, (_, role)| match role.get("nodes") {
        Some(Value::Int(nodes)) => total.checked_add(*nodes),
        // A role that shares the nodes of another one.
        Some(Value::Str(word)) if word.trim().eq_ignore_ascii_case("colocate") => Some(total),
        None | Some(Value::Null) => Some(total),
        Some(_) => None,
    })
}

fn service_pools(recipe: &Value<'_>) -> Option<i64> {
    enabled_services(recipe).try_fold(0, |total: i64, service| match service.get("nodes") {
        Some(Value::Int(nodes)) => total.checked_add(*nodes),
        None | Some(Value::Null) => Some(total),
        Some(_) => None,
    })
}

fn enabled_services<'v, 'd>(recipe: &'v Value<'d>) -> impl Iterator<Item = &'v Value<'d>> {
    let services: &[Value<'d>] = match recipe.get("services") {
        Some(Value::List(services)) => services,
        _ => &[],
    };
    services.iter().filter(|service| service.get("enabled") != Some(&Value::Bool(false)))
}

/// One node for infrastructure services of their own, one for the frontend, one for the benchmark client; frontend and
/// client share one unless the recipe says otherwise.
fn dedicated_nodes(recipe: &Value<'_>) -> i64 {
    let is_dedicated = |part: Option<&Value<'_>>| {
        let node = part.and_then(|part| part.get("placement")).and_then(|placement| placement.get("node"));
        node.and_then(Value::as_str) == Some("dedicated")
    };
    let infra = enabled_services(recipe).any(|service| is_dedicated(Some(service)));
    let frontend = is_dedicated(recipe.get("frontend"));
    let benchmark = is_dedicated(recipe.get("benchmark"));
    let colocated = recipe.get("benchmark").and_then(|b| b.get("colocate_with_frontend")) != Some(&Value::Bool(false));
    let clients = match (frontend, benchmark) {
        (true, true) if !colocated => 2,
        (false, false) => 0,
        _ => 1,
    };
    clients + i64::from(infra)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(yaml: &str, selector: Option<&str>) -> Option<i64> {
        node_count_of(&Source::new("r.yaml", yaml), selector)
    }

    #[test]
    fn roles_services_and_dedicated_nodes_add_up() {
        let flat = "schema: 2\nroles: {prefill: {nodes: 2}, decode: {nodes: 3}}\n";
        assert_eq!(count(flat, None), Some(5));
        let colocated = "schema: 2\nroles: {prefill: {nodes: 2}, decode: {nodes: colocate}}\n";
        assert_eq!(count(colocated, None), Some(2));
        let pools =
            format!("{flat}services: [{{name: a, nodes: 1}}, {{name: b, nodes: 9, enabled: false}}, {{name: c}}]\n");
        assert_eq!(count(&pools, None), Some(6));
        let dedicated = format!(
            "{flat}services: [{{name: etcd, placement: {{node: dedicated}}}}]\nfrontend: {{placement: {{node: dedicated}}}}\n\
             benchmark: {{placement: {{node: dedicated}}}}\n"
        );
        assert_eq!(count(&dedicated, None), Some(7));
        let apart = dedicated.replace("benchmark: {", "benchmark: {colocate_with_frontend: false, ");
        assert_eq!(count(&apart, None), Some(8));
    }

    #[test]
    fn overrides_merge_deeply_and_null_removes() {
        let bundle = "base: {schema: 2, roles: {prefill: {nodes: 2}, decode: {nodes: 3}}}\n\
                      override_x: {roles: {decode: {nodes: 5}}}\noverride_y: {roles: {decode: null}}\n\
                      zip_override_z: {roles: {decode: {nodes: [1, 2]}}}\n";
        assert_eq!(count(bundle, Some("base")), Some(5));
        assert_eq!(count(bundle, Some("override_x")), Some(7));
        assert_eq!(count(bundle, Some("override_y")), Some(2));
        assert_eq!(count(bundle, Some("zip_override_z")), None);
        assert_eq!(count(bundle, Some("override_nope")), None);
        assert_eq!(count(bundle, None), None);
        assert_eq!(count("resources: {}\n", None), None);
    }
}
