//! Inputs as a called or dispatched workflow receives them.

use std::sync::Arc;

use super::scope::{Evaluator, Place};
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::expr::{Object, Value};
use crate::core::schema::suggestion;
use crate::core::workflow::{Call, Input, InputKind};

/// The inputs of a call, checked against what the callee declares. The flag says whether GitHub would take them.
pub(super) fn inputs_of_call(
    call: &Call<'_>,
    declared: &[Input<'_>],
    caller: &Place,
    callee: &Place,
    evaluator: &mut Evaluator,
    found: &mut Diagnostics,
) -> (Value, bool) {
    let mut valid = true;
    for (name, site, _) in &call.with {
        if !declared.iter().any(|input| input.name.eq_ignore_ascii_case(name)) {
            valid = false;
            let known: Vec<&str> = declared.iter().map(|input| input.name).collect();
            let diagnostic =
                Diagnostic::error(Code::WorkflowInput, format!("{} declares no input `{name}`", call.uses))
                    .at(site.source(), site.site());
            let diagnostic = match suggestion(name, known.iter().copied()) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help(format!("its inputs: {}", known.join(", "))),
            };
            evaluator.once(*site, diagnostic, found);
        }
    }
    let mut members: Vec<(Arc<str>, Value)> = Vec::with_capacity(declared.len());
    for input in declared {
        let given = call.with.iter().find(|(name, ..)| input.name.eq_ignore_ascii_case(name));
        let value = match given {
            Some((_, _, node)) => match evaluator.value(*node, caller, found) {
                Some(value) => match accept(input, value) {
                    Ok(value) => value,
                    Err(message) => {
                        valid = false;
                        let diagnostic =
                            Diagnostic::error(Code::WorkflowValue, format!("the input `{}`: {message}", input.name))
                                .at(node.source(), node.span())
                                .help(remedy(input));
                        evaluator.once(*node, diagnostic, found);
                        Value::Null
                    }
                },
                None => {
                    valid = false;
                    Value::Null
                }
            },
            None if input.required => {
                valid = false;
                let diagnostic = Diagnostic::error(
                    Code::WorkflowInput,
                    format!("the call of {} lacks the input `{}`", call.uses, input.name),
                )
                .at(call.site.source(), call.site.site())
                .help(format!("add `{}: …` to `with`", input.name));
                evaluator.once(call.site, diagnostic, found);
                Value::Null
            }
            None => default_of(input, callee, evaluator, found),
        };
        members.push((input.name.into(), value));
    }
    (Value::Object(Object::new(members)), valid)
}

/// The inputs of a dispatch, or of a workflow that is simulated as if it were called: given as texts.
pub(super) fn inputs_of_event(
    given: &[(String, String)],
    declared: &[Input<'_>],
    place: &Place,
    evaluator: &mut Evaluator,
    found: &mut Diagnostics,
) -> Value {
    for (name, _) in given {
        if !declared.iter().any(|input| input.name.eq_ignore_ascii_case(name)) {
            let known: Vec<&str> = declared.iter().map(|input| input.name).collect();
            let message = format!("the workflow declares no input `{name}` for this event");
            found.push(
                Diagnostic::error(Code::WorkflowInput, message).help(format!("its inputs: {}", known.join(", "))),
            );
        }
    }
    let members = declared.iter().map(|input| {
        let text = given.iter().rev().find(|(name, _)| input.name.eq_ignore_ascii_case(name)).map(|(_, text)| text);
        let value = match text {
            Some(text) => match typed(input.kind, text) {
                Some(value) => value,
                None => {
                    let message =
                        format!("the input `{}` is `{text}`, which is no {}", input.name, kind_word(input.kind));
                    found.push(
                        Diagnostic::error(Code::WorkflowValue, message).at(input.site.source(), input.site.site()),
                    );
                    Value::Null
                }
            },
            None => default_of(input, place, evaluator, found),
        };
        (Arc::from(input.name), value)
    });
    Value::Object(Object::new(members.collect::<Vec<_>>()))
}

fn typed(kind: InputKind, text: &str) -> Option<Value> {
    match kind {
        InputKind::Boolean => match text {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        InputKind::Number => text.trim().parse().ok().map(Value::Number),
        _ => Some(Value::text(text)),
    }
}

fn kind_word(kind: InputKind) -> &'static str {
    match kind {
        InputKind::Boolean => "boolean (true or false)",
        InputKind::Number => "number",
        _ => "text",
    }
}

fn default_of(input: &Input<'_>, place: &Place, evaluator: &mut Evaluator, found: &mut Diagnostics) -> Value {
    let written = input.default.and_then(|node| evaluator.value(node, place, found));
    match (written, input.kind) {
        (Some(value), _) => accept(input, value).unwrap_or(Value::Null),
        (None, InputKind::Boolean) => Value::Bool(false),
        (None, InputKind::Number) => Value::Number(0.0),
        (None, _) => Value::text(""),
    }
}

/// A value as the callee sees it, or what GitHub says instead.
fn accept(input: &Input<'_>, value: Value) -> Result<Value, String> {
    match (input.kind, value) {
        (_, Value::Unknown(unknown)) => Ok(Value::Unknown(unknown)),
        (_, Value::Array(_)) => Err("a sequence was not expected".into()),
        (_, Value::Object(_)) => Err("a mapping was not expected".into()),
        (InputKind::Boolean, Value::Bool(value)) => Ok(Value::Bool(value)),
        (InputKind::Boolean, Value::Null) => Ok(Value::Bool(false)),
        (InputKind::Number, Value::Number(value)) => Ok(Value::Number(value)),
        (InputKind::Number, Value::Null) => Ok(Value::Number(0.0)),
        (InputKind::Boolean | InputKind::Number, value) => {
            let shown = value.to_text().map(|text| text.into_owned()).unwrap_or_default();
            Err(format!("unexpected value `{shown}`, expected a {}", kind_word(input.kind)))
        }
        (_, value) => Ok(value.as_text()),
    }
}

fn remedy(input: &Input<'_>) -> &'static str {
    match input.kind {
        InputKind::Boolean => "compare: `${{ … == 'true' }}` gives a boolean",
        InputKind::Number => "use fromJSON to make a number of a text",
        _ => "pass it as text with toJSON, and read it with fromJSON",
    }
}
