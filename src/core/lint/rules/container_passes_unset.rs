//! Variables that a container is given with the value that they have, and that have none.

use super::super::contract::{Values, is_knob, is_read_elsewhere, own_variables, passed_to_container};
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic};
use crate::core::schema::suggestion;

pub(super) const RULE: Rule = Rule { code: Code::ContainerPassesUnset, name: "container-passes-unset", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let contract = repository.contract();
    if contract.launchers.is_empty() {
        return;
    }
    let own = own_variables(repository, contract);
    for (index, script) in repository.scripts.iter().enumerate() {
        let Some(shell) = script.shell().filter(|_| contract.ties[index].in_scope) else { continue };
        let values = Values::of(shell);
        let commands = shell.commands.iter().filter_map(|command| passed_to_container(command, &values));
        for (name, span) in commands.flat_map(|passed| passed.as_they_are) {
            let is_set = contract.is_exported_to(index, name)
                || own[index].set.contains(name)
                || own[index].completed.contains(name)
                || is_knob(name)
                || is_read_elsewhere(name)
                // Whoever reads it is told already.
                || contract.unset(repository).iter().any(|one| one.name == name);
            if is_set {
                continue;
            }
            let message = format!("`{name}` is passed on, and nothing exports it");
            let diagnostic = Diagnostic::warning(Code::ContainerPassesUnset, message).at(script.source, span.range());
            let names = contract.exports.places.iter().map(|place| place.name);
            found.push(match suggestion(name, names) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`, which is exported?")),
                None => diagnostic.help("remove it, or export it in the workflow"),
            });
        }
    }
}
