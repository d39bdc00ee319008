//! Conditions that are texts: whatever is in them, they are true.

use super::super::{Findings, Repository, Slot};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};

pub(super) const RULE: Rule = Rule { code: Code::ConditionAlwaysTrue, name: "condition-always-true", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    for (_, site) in repository.sites().filter(|(_, site)| site.is_condition()) {
        let Ok(template) = &site.template else { continue };
        if template.as_expression().is_some() || template.parts().is_empty() {
            continue;
        }
        let text = template.text();
        // The line break that `|` leaves at the end is enough.
        let is_break =
            text.trim().starts_with("${{") && template.expressions().count() == 1 && text.trim().ends_with("}}");
        let what = if site.slot == Slot::JobIf { "job" } else { "step" };
        let message = format!("the condition is a text and so always true: the {what} runs whatever it says");
        found.push(
            Diagnostic::error(Code::ConditionAlwaysTrue, message)
                .at(site.source(), site.locate(0..text.trim_end().len()))
                .help(match is_break {
                    true => "blanks and line breaks around `${{ }}` count: write it on one line, or use `|-`",
                    false => "put all of it into one `${{ … }}`, or leave the braces out",
                }),
        );
    }
}
