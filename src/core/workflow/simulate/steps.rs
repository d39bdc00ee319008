//! Steps of a job, and those of the local composite actions that they use.

use std::sync::Arc;

use hashbrown::HashSet;

use super::run::{Run, is_case_sensitive, overlaid};
use super::scope::{BYTES_A_VALUE, Place, Status};
use super::settings::Expected;
use super::sight::Sight;
use super::{SimulatedStep, local_action};
use crate::core::diag::{Code, Diagnostic};
use crate::core::expr::{Object, Value};
use crate::core::schema::suggestion;
use crate::core::workflow::read::{first_line, map_entries};
use crate::core::workflow::{Action, Step};
use crate::core::yaml::NodeRef;

/// How deeply composite actions may use each other, as the runner has it.
const MAX_ACTIONS: usize = 10;

/// Where a list of steps stands: in a job, or in an action that a step uses.
struct Course<'c> {
    step: Sight,
    condition: Sight,
    /// What stands in front of the names of the steps of an action.
    prefix: Option<String>,
    /// Variables that the steps around these add.
    around: Option<Value>,
    /// The folders of the actions that led here.
    chain: Vec<&'c str>,
}

/// What is left of a list of steps for what comes after it.
struct Passed {
    /// The `steps` context.
    context: Value,
    /// Variables that scripts set for all later steps.
    variables: Vec<String>,
}

impl<'d> Run<'_, 'd> {
    /// The steps, and the context that later expressions see of them.
    pub(super) fn steps(&mut self, steps: &[Step<'d>], place: &Place) -> (Vec<SimulatedStep>, Value) {
        let course = Course {
            step: Sight::Step,
            condition: Sight::StepCondition,
            prefix: None,
            around: None,
            chain: Vec::new(),
        };
        let mut simulated = Vec::with_capacity(steps.len());
        let passed = self.course(steps, place, &course, &mut simulated);
        (simulated, passed.context)
    }

    fn course(
        &mut self,
        steps: &[Step<'d>],
        place: &Place,
        course: &Course<'_>,
        simulated: &mut Vec<SimulatedStep>,
    ) -> Passed {
        let mut contexts: Vec<(Arc<str>, Value)> = Vec::new();
        let mut variables: Vec<String> = Vec::new();
        let mut place = place.clone();
        place.set("steps", Value::Object(Object::new([])));
        // Whether `steps` lacks what was added since it was put together.
        let mut is_behind = false;
        for step in steps {
            self.evaluator.begin_step(step.node, self.found);
            if self.evaluator.is_exhausted() {
                break;
            }
            if is_behind && step.looks_back {
                place.set("steps", Value::Object(Object::new(contexts.iter().cloned())));
                is_behind = false;
            }
            let own = self.environment(&[(step.env, course.step)], &place, is_case_sensitive(place.get("env")));
            let has_own = matches!(&own, Value::Object(own) if !own.is_empty());
            let mut inside = place.clone();
            if has_own {
                inside.set("env", overlaid(place.get("env"), &own));
            }
            let condition = step.condition.and_then(|node| {
                let condition = self.evaluator.condition(node, course.condition, self.found)?;
                self.evaluator.decide(&condition, node, &inside, self.found)
            });
            let mut text = |node: Option<NodeRef<'d>>, what: &str| {
                node.and_then(|node| self.text(node, course.step, what, &inside)).unwrap_or(Value::Null)
            };
            let (name, run) = (text(step.name, "the name"), text(step.run, "the script"));
            let with = self.with(step, course.step, &inside);
            self.check_setting(step.timeout_minutes, Expected::Number, course.step, &inside);
            self.check_setting(step.continue_on_error, Expected::Truth, course.step, &inside);
            let uses = step.uses.and_then(NodeRef::scalar_text);
            let env = match &course.around {
                Some(around) => overlaid(Some(around), &own),
                None => own,
            };
            let title = title(&name, uses, &run);
            // Names of actions in actions grow with every level.
            let prefix_length = course.prefix.as_ref().map_or(0, String::len);
            self.evaluator.spend(prefix_length / BYTES_A_VALUE, step.node, self.found);
            simulated.push(SimulatedStep {
                name: match &course.prefix {
                    Some(prefix) => Value::text(format!("{prefix} / {title}")),
                    None => name,
                },
                uses: uses.map(str::to_owned),
                run,
                // Null is for a step without a condition.
                condition: match &condition {
                    Some(Value::Null) => Value::Bool(false),
                    Some(value) => value.clone(),
                    None => Value::Null,
                },
                env: env.clone(),
            });
            let is_skipped = condition.is_some_and(|condition| condition.is_truthy() == Some(false));
            let outputs = if is_skipped {
                Some(Value::Object(Object::new([])))
            } else {
                let before = variables.len();
                variables.extend(step.run.and_then(NodeRef::scalar_text).into_iter().flat_map(variables_set));
                let title =
                    course.prefix.as_ref().map_or_else(|| title.clone(), |prefix| format!("{prefix} / {title}"));
                let used = uses.and_then(|uses| {
                    let around =
                        Course { prefix: Some(title), around: Some(env), chain: course.chain.clone(), ..*course };
                    self.used(step, uses, &with, &inside, around, (simulated, &mut variables))
                });
                forget(&mut place, &variables[before..]);
                used
            };
            if let Some(id) = step.id {
                contexts.push((id.into(), step_context(id, outputs, is_skipped)));
                is_behind = true;
            }
        }
        Passed { context: Value::Object(Object::new(contexts)), variables }
    }

    /// The values of `with`, each of them a text.
    fn with(&mut self, step: &Step<'d>, sight: Sight, place: &Place) -> Value {
        let Some(node) = step.with else { return Value::Object(Object::new([])) };
        if node.as_str().is_some() {
            return self.evaluator.value(node, sight, place, self.found).unwrap_or(Value::Null);
        }
        let members = map_entries(Some(node)).map(|(name, _, value)| {
            let value = self.text(value, sight, &format!("the input `{name}`"), place).unwrap_or(Value::Null);
            let text = match value.to_text() {
                Ok(text) => Value::text(&*text),
                Err(unknown) => Value::Unknown(unknown),
            };
            (Arc::from(name), text)
        });
        Value::Object(Object::new(members.collect::<Vec<_>>()))
    }

    /// The outputs of an action, `None` when they are not known: one of ours is run, the steps of a local composite action
    /// follow those of the job, and of all others nothing is here.
    fn used(
        &mut self,
        step: &Step<'d>,
        uses: &str,
        with: &Value,
        inside: &Place,
        course: Course<'_>,
        (simulated, variables): (&mut Vec<SimulatedStep>, &mut Vec<String>),
    ) -> Option<Value> {
        let library = self.library;
        let folder = local_action(uses);
        let known = folder.and_then(|folder| library.actions.get_key_value(folder));
        let action = known.and_then(|(_, action)| action.as_ref());
        if let Some(name) = own_action(uses, action) {
            return self.run_in_process(name, with);
        }
        let site = step.uses?;
        let Some((folder, action)) = known.zip(action).map(|((folder, _), action)| (folder.as_str(), action)) else {
            if let Some(folder) = folder.filter(|_| known.is_none()) {
                let message = format!("there is no action in ./{folder}");
                let help = "GitHub looks for an action.yml there when the step starts: it fails, unless a step before makes one";
                let diagnostic = Diagnostic::warning(Code::WorkflowCall, message).at(site.source(), first_line(site));
                self.evaluator.once(site, diagnostic.help(help), self.found);
            }
            return None;
        };
        self.check_action_inputs(step, uses, action);
        if action.using != "composite" {
            return None;
        }
        if course.chain.contains(&folder) || course.chain.len() + 1 >= MAX_ACTIONS {
            let message = match course.chain.contains(&folder) {
                true => format!("actions use each other in a circle: {} → {folder}", course.chain.join(" → ")),
                false => format!("composite actions nest deeper than {MAX_ACTIONS}"),
            };
            let diagnostic = Diagnostic::error(Code::WorkflowCall, message).at(site.source(), first_line(site));
            self.evaluator.once(site, diagnostic.help("the runner refuses it when the step starts"), self.found);
            return None;
        }
        let mut place = Place::new(Status::succeeding());
        for name in ["github", "strategy", "matrix", "job", "runner", "env"] {
            place.set(name, inside.get(name).cloned().unwrap_or(Value::Null));
        }
        let inputs = self.action_inputs(action, with, &place);
        let place = place.with("inputs", inputs);
        let mut chain = course.chain;
        chain.push(folder);
        let course = Course { step: Sight::ActionStep, condition: Sight::ActionCondition, chain, ..course };
        let passed = self.course(&action.steps, &place, &course, simulated);
        variables.extend(passed.variables);
        Some(self.outputs(&action.outputs, Sight::ActionStep, &place.with("steps", passed.context)))
    }

    /// What an action sees: what it is given, and the defaults of the rest. All of it is text.
    fn action_inputs(&mut self, action: &Action<'d>, with: &Value, place: &Place) -> Value {
        let given = match with {
            Value::Object(given) => given,
            // Nobody knows which are given.
            _ => return Value::unknown("inputs"),
        };
        let mut members: Vec<(Arc<str>, Value)> = Vec::with_capacity(action.inputs.len());
        for input in &action.inputs {
            let value = match (given.get(input.name), input.default) {
                (Some(given), _) => given.clone(),
                (None, Some(default)) => {
                    let what = format!("the default of `{}`", input.name);
                    match self.text(default, Sight::ActionDefault, &what, place).unwrap_or(Value::Null).to_text() {
                        Ok(text) => Value::text(&*text),
                        Err(unknown) => Value::Unknown(unknown),
                    }
                }
                (None, None) => Value::text(""),
            };
            members.push((input.name.into(), value));
        }
        // The runner hands on what is not declared as well.
        members.extend(given.iter().map(|(name, value)| (name.into(), value.clone())));
        Value::Object(Object::new(members))
    }

    /// GitHub only warns of an input that is not declared, and does not miss one that is required.
    fn check_action_inputs(&mut self, step: &Step<'d>, uses: &str, action: &Action<'d>) {
        let given: Vec<(&str, NodeRef<'d>)> = map_entries(step.with).map(|(name, site, _)| (name, site)).collect();
        let same = |name: &str, other: &str| name.eq_ignore_ascii_case(other);
        for (name, site) in &given {
            if action.inputs.iter().any(|input| same(input.name, name)) {
                continue;
            }
            let known = action.inputs.iter().map(|input| input.name);
            let diagnostic =
                Diagnostic::warning(Code::ActionInputs, format!("the action {uses} declares no input `{name}`"))
                    .at(site.source(), site.site());
            let diagnostic = match suggestion(name, known.clone()) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None if action.inputs.is_empty() => diagnostic.help("it declares none"),
                None => diagnostic.help(format!("its inputs: {}", known.collect::<Vec<_>>().join(", "))),
            };
            self.evaluator.once(*site, diagnostic, self.found);
        }
        let (Some(site), false) = (step.uses, step.with.is_some_and(|with| with.as_str().is_some())) else { return };
        let is_given = |name: &str| given.iter().any(|(known, _)| same(known, name));
        let missing = action.inputs.iter().filter(|input| input.required && input.default.is_none());
        let missing: Vec<&str> = missing.map(|input| input.name).filter(|name| !is_given(name)).collect();
        if !missing.is_empty() {
            let message = format!("the step lacks {}, which {uses} calls required", in_quotes(&missing));
            let diagnostic = Diagnostic::warning(Code::ActionInputs, message).at(site.source(), first_line(site));
            let help = "GitHub does not enforce it: the action sees an empty text";
            self.evaluator.once(site, diagnostic.help(help), self.found);
        }
    }

    /// Outputs of an action of ours are had by running it.
    fn run_in_process(&mut self, name: &str, with: &Value) -> Option<Value> {
        let Value::Object(with) = with else { return None };
        let mut inputs: Vec<(String, String)> = Vec::with_capacity(with.len());
        for (name, value) in with.iter() {
            inputs.push((name.to_owned(), value.to_text().ok()?.into_owned()));
        }
        match self.actions.run(name, &inputs)? {
            Ok(outputs) => {
                let members = outputs.into_iter().map(|(name, value)| (Arc::from(name), Value::text(value)));
                Some(Value::Object(Object::new(members.collect::<Vec<_>>())))
            }
            Err(problems) => {
                problems.into_iter().for_each(|problem| self.found.push(problem));
                None
            }
        }
    }
}

/// What later steps see of a step.
fn step_context(id: &str, outputs: Option<Value>, is_skipped: bool) -> Value {
    let state = |name: &str| match is_skipped {
        true => Value::text("skipped"),
        false => Value::unknown(format!("steps.{id}.{name}")),
    };
    let outputs = outputs.unwrap_or_else(|| Value::unknown(format!("steps.{id}.outputs")));
    let members = [("outputs", outputs), ("outcome", state("outcome")), ("conclusion", state("conclusion"))];
    Value::Object(Object::new(members.map(|(name, value)| (name.into(), value))))
}

/// What GitHub calls a step in its log.
fn title(name: &Value, uses: Option<&str>, run: &Value) -> String {
    if let Value::Str(name) = name
        && !name.is_empty()
    {
        return name.to_string();
    }
    let script = || match run {
        Value::Str(script) => script.trim().lines().next().unwrap_or_default().to_owned(),
        _ => "…".to_owned(),
    };
    format!("Run {}", uses.map_or_else(script, str::to_owned))
}

/// Variables that a script may set for later steps: what it assigns, if it mentions the file for them at all. A script can
/// compute names too; those are not seen.
fn variables_set(script: &str) -> Vec<String> {
    if !script.contains("GITHUB_ENV") {
        return vec![];
    }
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let mut names: HashSet<&str> = HashSet::new();
    for (at, _) in script.match_indices('=').chain(script.match_indices("<<")) {
        let before = &script[..at];
        let name = before.rfind(|character| !is_name(character)).map_or(before, |at| {
            let other = before[at..].chars().next().map_or(0, char::len_utf8);
            &before[at + other..]
        });
        if name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
            names.insert(name);
        }
    }
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    names.sort_unstable();
    names
}

/// Makes variables unknown that a script may have set.
fn forget(place: &mut Place, variables: &[String]) {
    if variables.is_empty() {
        return;
    }
    let unknown = variables.iter().map(|name| (Arc::from(name.as_str()), Value::unknown(format!("env.{name}"))));
    let unknown = Value::Object(Object::new(unknown.collect::<Vec<_>>()));
    let all = overlaid(place.get("env"), &unknown);
    place.set("env", all);
}

/// The name of an action of ours: one of a repository called srtx, or one here whose steps run `srtx-gh action`.
fn own_action<'u>(uses: &'u str, local: Option<&Action<'_>>) -> Option<&'u str> {
    match (local_action(uses), local) {
        (Some(folder), Some(action)) => {
            let name = folder.rsplit('/').next()?;
            let runs_it = |step: &Step<'_>| {
                let script = step.run.and_then(NodeRef::scalar_text).unwrap_or_default();
                script.contains("SRTX_GH") && script.trim_end().ends_with(&format!("action {name}"))
            };
            action.steps.iter().any(runs_it).then_some(name)
        }
        // A shipped workflow that is looked at without its actions.
        (Some(_), None) => uses.strip_prefix("$/actions/").filter(|name| !name.contains('/')),
        (None, _) => {
            let (path, _) = uses.split_once('@')?;
            let (repository, name) = path.split_once("/actions/")?;
            repository.ends_with("/srtx").then_some(name)
        }
    }
}

fn in_quotes(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_scripts_are_found_however_they_are_written() {
        for (script, names) in [
            ("echo A=1 >> $GITHUB_ENV", &["A"][..]),
            ("echo \"A_1=x=y\" >> \"$GITHUB_ENV\"", &["A_1", "x"]),
            ("{\n  echo 'B<<EOF'\n  cat f\n  echo EOF\n} >> $GITHUB_ENV", &["B"]),
            ("cat >> $GITHUB_ENV <<EOF\nC=1\néD=2\nEOF", &["C", "D"]),
            ("A=1; echo A >> $GITHUB_OUTPUT", &[]),
            ("echo = 1=2 >> $GITHUB_ENV", &[]),
        ] {
            assert_eq!(variables_set(script), names, "{script}");
        }
    }
}
