//! Composite actions.

use super::model::{Input, InputKind, Output, Step};
use super::read::{map_entries, read_steps};
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::yaml::{Document, Kind, NodeRef};

/// An `action.yml`.
#[derive(Debug)]
pub struct Action<'d> {
    /// The whole file.
    pub node: NodeRef<'d>,
    /// Its inputs. They are texts, whatever type is written.
    pub inputs: Vec<Input<'d>>,
    /// Its outputs with their values.
    pub outputs: Vec<Output<'d>>,
    /// `runs.using`
    pub using: &'d str,
    /// The steps of a composite action.
    pub steps: Vec<Step<'d>>,
}

/// Reads an action. `None` when it is none; the reasons go to `found`.
pub fn read_action<'d>(document: &'d Document, found: &mut Diagnostics) -> Option<Action<'d>> {
    let root = document.root().filter(|root| matches!(root.kind(), Kind::Map));
    let using = root.and_then(|root| root.get("runs")).and_then(|runs| runs.get("using")).and_then(NodeRef::as_str);
    let (Some(node), Some(using)) = (root, using) else {
        found.push(
            Diagnostic::error(Code::WorkflowShape, "this is no action: there is no `runs` with `using`")
                .at(document.source(), root.map_or(0..0, NodeRef::span))
                .help("an action.yml has `name`, `description` and `runs`"),
        );
        return None;
    };
    let inputs = map_entries(node.get("inputs")).map(|(name, site, value)| Input {
        name,
        site,
        kind: InputKind::Text,
        required: value.get("required").is_some_and(|required| matches!(required.kind(), Kind::Bool(true))),
        default: value.get("default"),
        options: None,
    });
    let outputs = map_entries(node.get("outputs"))
        .filter_map(|(name, _, output)| Some(Output { name, value: output.get("value")? }));
    let steps = node.get("runs").and_then(|runs| runs.get("steps"));
    Some(Action {
        node,
        inputs: inputs.collect(),
        outputs: outputs.collect(),
        using,
        steps: match steps {
            Some(steps) if using == "composite" => {
                check_shells(steps, found);
                read_steps(steps, found)
            }
            _ => vec![],
        },
    })
}

/// A script of an action says what runs it: there are no defaults.
fn check_shells(steps: NodeRef<'_>, found: &mut Diagnostics) {
    for step in steps.items().filter(|step| step.get("shell").is_none()) {
        if let Some((key, _)) = step.entry("run") {
            found.push(
                Diagnostic::error(Code::WorkflowShape, "a script of a composite action needs a `shell`")
                    .at(key.source(), key.site())
                    .help("add `shell: bash`"),
            );
        }
    }
}
