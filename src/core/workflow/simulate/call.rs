//! Calls of reusable workflows, and inputs as a called or dispatched workflow receives them.

use std::sync::Arc;

use super::left::context;
use super::run::{Frame, Run, local_workflow};
use super::scope::{Evaluator, Place};
use super::sight::Sight;
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::expr::{Object, Value};
use crate::core::schema::suggestion;
use crate::core::workflow::read::first_line;
use crate::core::workflow::{Call, Input, InputKind, Trigger};
use crate::core::yaml::{Kind, NodeRef};

/// How deeply called workflows may nest on github.com, the top one included.
const MAX_CALLS: usize = 10;

impl<'d> Run<'_, 'd> {
    /// A call: what the callee receives, and its outputs unless it cannot be followed.
    pub(super) fn call(&mut self, call: &Call<'d>, frame: &Frame, place: &Place, path: &str) -> (Value, Option<Value>) {
        let Some(file) = local_workflow(call.uses) else {
            // Another repository: nothing of it is here, but what it is given is known.
            if let Some(reason) = malformed_reference(call.uses) {
                self.refuse_call(call, format!("`{}` {reason}", call.uses));
            }
            let members = call.with.iter().map(|(name, _, node)| {
                let value = self.text(*node, Sight::Leg, &format!("the input `{name}`"), place);
                (Arc::from(*name), value.unwrap_or(Value::Null))
            });
            return (Value::Object(Object::new(members.collect::<Vec<_>>())), None);
        };
        let Some(callee) = self.library.workflows.get(&file) else {
            self.refuse_call(call, format!("{file} does not exist, or is no workflow"));
            return (Value::Null, None);
        };
        if frame.chain.contains(&file) {
            let circle = format!("{} → {file}", frame.chain.join(" → "));
            self.refuse_call(call, format!("workflows call each other in a circle: {circle}"));
            return (Value::Null, None);
        }
        if frame.depth >= MAX_CALLS {
            self.refuse_call(call, format!("calls nest deeper than {MAX_CALLS} workflows"));
            return (Value::Null, None);
        }
        let Some(trigger) = callee.trigger("workflow_call") else {
            self.refuse_call(call, format!("{file} has no `workflow_call` among its triggers"));
            return (Value::Null, None);
        };
        self.check_secrets(call, trigger, place);
        let callee_place = frame.base.clone();
        let declared: &[Input<'d>] = &trigger.inputs;
        let (inputs, valid) = inputs_of_call(call, declared, place, &callee_place, &mut self.evaluator, self.found);
        if !valid {
            return (inputs, None);
        }
        let mut chain = frame.chain.clone();
        chain.push(file.clone());
        let inner = Frame {
            prefix: format!("{path}/"),
            base: callee_place.with("inputs", inputs.clone()),
            depth: frame.depth + 1,
            chain,
        };
        let left = self.workflow(callee, &inner);
        let jobs = context(left.iter().map(|(id, left)| (id.as_str(), left)));
        let place = inner.base.clone().with("jobs", jobs);
        let outputs = self.outputs(&trigger.outputs, Sight::CallOutput, &place);
        (inputs, Some(outputs))
    }

    /// A call passes the secrets that are declared, and all that are required.
    fn check_secrets(&mut self, call: &Call<'d>, trigger: &Trigger<'d>, place: &Place) {
        let given = match call.secrets {
            Some(node) if node.as_str() == Some("inherit") => return,
            Some(node) if matches!(node.kind(), Kind::Map) => {
                self.evaluator.value(node, Sight::Secrets, place, self.found);
                Some(node)
            }
            Some(node) if !node.is_null() => {
                let diagnostic = Diagnostic::error(Code::WorkflowInput, "`secrets` is neither `inherit` nor a mapping")
                    .at(node.source(), first_line(node))
                    .help("write `secrets: inherit`, or each secret by name");
                return self.evaluator.once(node, diagnostic, self.found);
            }
            _ => None,
        };
        let same = |name: &str, other: &str| name.eq_ignore_ascii_case(other);
        for (key, _) in given.into_iter().flat_map(NodeRef::entries) {
            let name = key.scalar_text().unwrap_or_default();
            if !trigger.secrets.iter().any(|(known, _)| same(known, name)) {
                let diagnostic =
                    Diagnostic::error(Code::WorkflowInput, format!("{} declares no secret `{name}`", call.uses))
                        .at(key.source(), key.site())
                        .help("declare it there in `on.workflow_call.secrets`, or remove it here");
                self.evaluator.once(key, diagnostic, self.found);
            }
        }
        for (name, _) in trigger.secrets.iter().filter(|(_, required)| *required) {
            let is_given = given.into_iter().flat_map(NodeRef::entries);
            if !is_given.filter_map(|(key, _)| key.scalar_text()).any(|key| same(key, name)) {
                let diagnostic = Diagnostic::error(
                    Code::WorkflowInput,
                    format!("the call of {} lacks the secret `{name}`", call.uses),
                )
                .at(call.site.source(), call.site.site())
                .help(format!("add `{name}: …` to `secrets`, or `secrets: inherit`"));
                self.evaluator.once(call.site, diagnostic, self.found);
            }
        }
    }

    fn refuse_call(&mut self, call: &Call<'d>, message: String) {
        let diagnostic = Diagnostic::error(Code::WorkflowCall, message)
            .at(call.site.source(), call.site.site())
            .help("a callable workflow stands in .github/workflows and has `on: workflow_call`");
        self.evaluator.once(call.site, diagnostic, self.found);
    }
}

/// What is wrong with a reference to a workflow of another repository.
fn malformed_reference(uses: &str) -> Option<&'static str> {
    let (path, version) = match uses.split_once('@') {
        Some((path, version)) => (path, Some(version)),
        None => (uses, None),
    };
    let is_workflow = path.splitn(3, '/').count() == 3 && (path.ends_with(".yml") || path.ends_with(".yaml"));
    if uses.starts_with(".github/") {
        return Some("is of this repository only with `./` in front of it");
    }
    if !is_workflow {
        return Some(
            "is no workflow: expected ./.github/workflows/FILE.yml or OWNER/REPO/.github/workflows/FILE.yml@REF",
        );
    }
    version.is_none_or(str::is_empty).then_some("has no version: add `@` and a branch, tag or commit")
}

/// The inputs of a call, checked against what the callee declares. The flag says whether GitHub would take them.
pub(super) fn inputs_of_call(
    call: &Call<'_>,
    declared: &[Input<'_>],
    caller: &Place,
    callee: &Place,
    evaluator: &mut Evaluator<'_>,
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
            Some((_, _, node)) => match evaluator.value(*node, Sight::Leg, caller, found) {
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
    evaluator: &mut Evaluator<'_>,
    found: &mut Diagnostics,
) -> Value {
    let mut sorry = |diagnostic: Diagnostic, input: &Input<'_>| {
        found.push(diagnostic.at(input.site.source(), input.site.site()));
    };
    for input in declared {
        let text = given.iter().rev().find(|(name, _)| input.name.eq_ignore_ascii_case(name)).map(|(_, text)| text);
        match text {
            // The form always sends a truth value.
            None if input.required && input.default.is_none() && input.kind != InputKind::Boolean => {
                let message = format!("the input `{}` is required and was not given", input.name);
                sorry(Diagnostic::error(Code::WorkflowInput, message).help(format!("--input {}=…", input.name)), input);
            }
            Some(text) if input.kind == InputKind::Choice => {
                let options: Vec<&str> =
                    input.options.into_iter().flat_map(NodeRef::items).filter_map(NodeRef::scalar_text).collect();
                if !options.contains(&text.as_str()) {
                    let message = format!("the input `{}` is `{text}`, which is none of its options", input.name);
                    let help = format!("options: {}", options.join(", "));
                    sorry(Diagnostic::error(Code::WorkflowValue, message).help(help), input);
                }
            }
            _ => {}
        }
    }
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
                        Diagnostic::error(Code::WorkflowValue, message)
                            .at(input.site.source(), input.site.site())
                            .help(format!("the input is declared as {}", kind_word(input.kind))),
                    );
                    Value::Null
                }
            },
            None if input.required && input.default.is_none() && input.kind != InputKind::Boolean => {
                Value::unknown(format!("inputs.{}", input.name))
            }
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
        InputKind::Number => text.trim().parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Number),
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

fn default_of(input: &Input<'_>, place: &Place, evaluator: &mut Evaluator<'_>, found: &mut Diagnostics) -> Value {
    let written = input.default.and_then(|node| evaluator.value(node, Sight::Run, place, found));
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
