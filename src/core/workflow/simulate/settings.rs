//! Settings of a job that decide whether GitHub takes it: labels of the runner, and what a simulation evaluates only to find
//! what would fail.

use super::run::Run;
use super::scope::Place;
use super::sight::Sight;
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::Value;
use crate::core::workflow::Job;
use crate::core::workflow::read::first_line;
use crate::core::yaml::NodeRef;

/// What a setting has to be.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Expected {
    Anything,
    /// A number above 0.
    Number,
    Truth,
}

/// What is decided before a leg starts.
const OF_LEG: [(&str, Option<&str>, Expected); 6] = [
    ("timeout-minutes", None, Expected::Number),
    ("continue-on-error", None, Expected::Truth),
    ("concurrency", None, Expected::Anything),
    ("environment", Some("name"), Expected::Anything),
    ("container", Some("image"), Expected::Anything),
    ("services", None, Expected::Anything),
];

impl<'d> Run<'_, 'd> {
    /// The labels of the runner: GitHub wants at least one, and only texts.
    pub(super) fn runs_on(&mut self, node: NodeRef<'d>, place: &Place) -> Value {
        let Some(value) = self.evaluator.value(node, Sight::Leg, place, self.found) else { return Value::Null };
        let is_label = |value: &Value| match value {
            Value::Str(text) => !text.trim().is_empty(),
            Value::Null => false,
            other => other.is_primitive() || matches!(other, Value::Unknown(_)),
        };
        let fits = match &value {
            Value::Array(labels) => !labels.items().is_empty() && labels.items().iter().all(is_label),
            // A group of runners, with or without labels.
            Value::Object(group) => group.get("group").or_else(|| group.get("labels")).is_some(),
            other => is_label(other),
        };
        if !fits {
            let message = "`runs-on` names no runner: it is empty, or has something that is no text";
            let diagnostic =
                Diagnostic::error(Code::WorkflowValue, message).at(node.source(), first_line(node)).help(
                    "give a label, a list of labels, or `group` and `labels`; fromJSON makes a list of a text that holds one",
                );
            self.evaluator.once(node, diagnostic, self.found);
        }
        value
    }

    pub(super) fn check_leg_settings(&mut self, job: &Job<'d>, place: &Place) {
        for (key, inner, expected) in OF_LEG {
            let Some(node) = job.node.get(key) else { continue };
            // A text in the place of the mapping is its first key.
            let node = inner.map_or(Some(node), |inner| node.as_str().map_or_else(|| node.get(inner), |_| Some(node)));
            // The variables and passwords of services see more than their images do.
            if key == "services" {
                for (_, service) in node.into_iter().flat_map(NodeRef::entries) {
                    self.check_setting(service.get("image"), expected, Sight::Leg, place);
                }
                continue;
            }
            self.check_setting(node, expected, Sight::Leg, place);
        }
    }

    /// What steps make known, or what may name their environment.
    pub(super) fn check_step_settings(&mut self, job: &Job<'d>, place: &Place) {
        self.check_setting(job.node.get("defaults"), Expected::Anything, Sight::Defaults, place);
        let container = job.node.get("container");
        let services = job.node.get("services").into_iter().flat_map(NodeRef::entries).map(|(_, service)| service);
        for part in container.into_iter().chain(services) {
            for key in ["env", "credentials", "options"] {
                self.check_setting(part.get(key), Expected::Anything, Sight::Step, place);
            }
        }
    }

    /// Evaluates a setting that a simulation does not show, for what GitHub would fail on.
    pub(super) fn check_setting(&mut self, node: Option<NodeRef<'d>>, expected: Expected, sight: Sight, place: &Place) {
        let Some(node) = node else { return };
        let Some(value) = self.evaluator.value(node, sight, place, self.found) else { return };
        let fits = match (expected, &value) {
            (_, Value::Unknown(_)) | (Expected::Anything, _) | (Expected::Truth, Value::Bool(_)) => true,
            (Expected::Number, Value::Number(number)) => *number > 0.0,
            _ => false,
        };
        if !fits {
            let expected = if expected == Expected::Number { "a number above 0" } else { "true or false" };
            let message = format!("this is {}, expected {expected}", what_it_is(&value));
            let diagnostic = Diagnostic::error(Code::WorkflowValue, message)
                .at(node.source(), first_line(node))
                .help("of a text make a number or a truth value with fromJSON");
            self.evaluator.once(node, diagnostic, self.found);
        }
    }
}

/// What a person calls a value, with the value itself where it is short.
pub(super) fn what_it_is(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
        Value::Str(text) if text.is_empty() => "an empty text".to_owned(),
        Value::Str(text) if text.chars().count() > 40 => "a text".to_owned(),
        Value::Str(text) => format!("the text `{text}`"),
        other => other.to_text().map_or_else(|_| "unknown".to_owned(), |text| text.into_owned()),
    }
}
