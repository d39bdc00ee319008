//! Values whose type an input of a reusable workflow refuses.

use super::super::calls::{LocalCall, local_calls, short};
use super::super::matrix::MatrixVector;
use super::super::{Findings, Owner, Repository, Site, Slot};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Function, Node, NodeKind, Value};
use crate::core::workflow::{Input, InputKind};
use crate::core::yaml::{Kind, NodeRef};

pub(super) const RULE: Rule = Rule { code: Code::CallInputType, name: "call-input-type", check };

/// The type of a value, where it is known for certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Text,
    Number,
    Boolean,
}

impl Type {
    fn noun(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
        }
    }
}

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for call in local_calls(repository) {
        for (name, _, value) in &call.call.with {
            let Some(input) = call.declared(name) else { continue };
            let wanted = match input.kind {
                InputKind::Boolean => Type::Boolean,
                InputKind::Number => Type::Number,
                _ => continue,
            };
            let given = match expression_of(&call, *value) {
                Some((site, node)) => type_of(repository, &call, site, node),
                None => type_of_literal(*value, wanted),
            };
            if let Some(given) = given.filter(|given| *given != wanted) {
                found.push(refused(&call, input, *value, given, wanted));
            }
        }
    }
}

/// The expression that the whole value is.
fn expression_of<'r, 'd>(call: &LocalCall<'r, 'd>, value: NodeRef<'d>) -> Option<(&'r Site<'d>, Node<'r>)> {
    let site = call.file.sites.iter().find(|site| site.slot == Slot::CallWith && site.node == value)?;
    Some((site, site.template.as_ref().ok()?.as_expression()?.root()?))
}

/// A literal that is of another type whatever one does with it. A number or truth value in quotes is left alone.
fn type_of_literal(value: NodeRef<'_>, wanted: Type) -> Option<Type> {
    match value.kind() {
        Kind::Bool(_) => Some(Type::Boolean),
        Kind::Int(_) | Kind::Big(_) | Kind::Float(_) => Some(Type::Number),
        Kind::Str(text) if text.contains("${{") => Some(Type::Text),
        Kind::Str(text) => {
            let reads = match wanted {
                Type::Boolean => matches!(text.trim(), "true" | "false"),
                _ => text.trim().parse::<f64>().is_ok(),
            };
            (!reads && !text.trim().is_empty()).then_some(Type::Text)
        }
        _ => None,
    }
}

fn type_of<'d>(repository: &Repository<'d>, call: &LocalCall<'_, 'd>, site: &Site<'d>, node: Node<'_>) -> Option<Type> {
    match node.kind() {
        NodeKind::Literal(Value::Str(_)) => Some(Type::Text),
        NodeKind::Literal(Value::Number(_)) => Some(Type::Number),
        NodeKind::Literal(Value::Bool(_)) | NodeKind::Not | NodeKind::Compare(_) => Some(Type::Boolean),
        NodeKind::Call(Function::Format | Function::Join | Function::ToJson) => Some(Type::Text),
        NodeKind::Call(Function::Contains | Function::StartsWith | Function::EndsWith) => Some(Type::Boolean),
        // Either operand may come out.
        NodeKind::Or => {
            let mut types = node.children().map(|child| type_of(repository, call, site, child));
            let first = types.next()??;
            types.all(|other| other == Some(first)).then_some(first)
        }
        NodeKind::Index => of_reference(repository, call, site, &node.reference()?),
        _ => None,
    }
}

fn of_reference<'d>(
    repository: &Repository<'d>,
    call: &LocalCall<'_, 'd>,
    site: &Site<'d>,
    reference: &str,
) -> Option<Type> {
    let lower = reference.to_ascii_lowercase();
    let steps: Vec<&str> = lower.split('.').collect();
    match steps.as_slice() {
        ["needs", _, "outputs", _] | ["needs", _, "result"] | ["vars", _] | ["github", "event", "inputs", _] => {
            Some(Type::Text)
        }
        ["github", "ref" | "sha" | "ref_name" | "event_name" | "actor" | "repository" | "run_id" | "head_ref"] => {
            Some(Type::Text)
        }
        ["inputs", name] => {
            // Declared for several events, it is of the type of the event that came.
            let mut kinds = call.file.workflow.triggers.iter().flat_map(|trigger| &trigger.inputs);
            let mut of_name =
                kinds.by_ref().filter(|input| input.name.eq_ignore_ascii_case(name)).map(|input| input.kind);
            let first = of_name.next()?;
            let is_one = of_name.all(|other| other == first);
            is_one.then_some(match first {
                InputKind::Boolean => Type::Boolean,
                InputKind::Number => Type::Number,
                _ => Type::Text,
            })
        }
        ["matrix", path @ ..] => {
            let job = Owner::Workflow(call.file).job(site)?;
            let MatrixVector::Rows { rows, depth, .. } = MatrixVector::of(repository, call.file, job, path.first()?)?
            else {
                return None;
            };
            let [field] = path.get(depth..)? else { return None };
            let mut types = rows.iter().filter_map(|row| row.get(field)).map(|value| match value {
                crate::core::yaml::Value::Bool(_) => Some(Type::Boolean),
                crate::core::yaml::Value::Int(_) | crate::core::yaml::Value::Float(_) => Some(Type::Number),
                crate::core::yaml::Value::Str(_) => Some(Type::Text),
                _ => None,
            });
            let first = types.next()??;
            types.all(|other| other == Some(first)).then_some(first)
        }
        _ => None,
    }
}

fn refused(call: &LocalCall<'_, '_>, input: &Input<'_>, value: NodeRef<'_>, given: Type, wanted: Type) -> Diagnostic {
    let callee = short(call.callee.source.name());
    let message = format!("the input `{}` of {callee} is {}, and this is {}", input.name, wanted.noun(), given.noun());
    let diagnostic = Diagnostic::error(Code::CallInputType, message).at(value.source(), value.site()).related(
        input.site.source(),
        input.site.site(),
        "declared here",
    );
    match (given, wanted) {
        (Type::Text, Type::Boolean) => diagnostic.help("compare: `${{ … == 'true' }}` gives a boolean"),
        (Type::Text, Type::Number) => diagnostic.help("use `${{ fromJSON(…) }}`, which makes a number of a text"),
        _ => diagnostic.help("pass a value of the declared type, or declare the input as `type: string`"),
    }
}
