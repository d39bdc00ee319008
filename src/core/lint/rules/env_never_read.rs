//! Variables that workflows and launchers export, and nothing reads.

use hashbrown::{HashMap, HashSet};

use super::super::contract::{Contract, Exported, Means, is_contract_name, is_read_elsewhere};
use super::super::{Findings, Repository};
use super::Rule;
use crate::core::diag::{Code, Diagnostic, Source};
use crate::core::schema::suggestion;

pub(super) const RULE: Rule = Rule { code: Code::EnvNeverRead, name: "env-never-read", check };

fn check(repository: &Repository<'_>, found: &mut Findings) {
    let contract = repository.contract();
    if contract.launchers.is_empty() {
        return;
    }
    let candidates = candidates(contract);
    let mut used = names_used(repository, contract, &candidates);
    let unused = candidates.keys().copied().filter(|name| !used.contains(name));
    let made = Contract::made_names(repository, unused);
    used.extend(made);
    let unset = contract.unset(repository);
    let missed: Vec<&str> = unset.iter().map(|one| one.name).collect();
    // Somebody reads it, under a wrong name: that is said there.
    let misspelt: HashSet<&str> = unset.iter().filter(|one| one.is_renamed).filter_map(|one| one.near).collect();
    let mut seen = HashSet::new();
    for place in &contract.exports.places {
        let is_candidate = candidates.get(place.name).is_some_and(|first| std::ptr::eq(*first, place));
        if !is_candidate || used.contains(place.name) || misspelt.contains(place.name) || !seen.insert(place.name) {
            continue;
        }
        let message = format!("`{}` is exported, and nothing in this checkout reads it", place.name);
        let diagnostic = Diagnostic::warning(Code::EnvNeverRead, message).at(place.source, place.span.clone());
        found.push(match suggestion(place.name, missed.iter().copied()) {
            Some(near) => diagnostic.help(format!("scripts read `{near}`, which nothing exports: was it meant?")),
            None => diagnostic.help("remove it, or read it where it was meant to have an effect"),
        });
    }
}

/// Exports whose readers would be in the checkout: the first place of each name.
fn candidates<'r, 'd>(contract: &'r Contract<'d>) -> HashMap<&'d str, &'r Exported<'d>> {
    let mut first = HashMap::new();
    let mut left_out: HashSet<&str> = HashSet::new();
    let launching = contract.launching_files();
    for place in &contract.exports.places {
        let is_ours = match place.means {
            Means::Workflow | Means::RunnerFile | Means::Script => match place.script {
                Some(script) => contract.launchers.contains(&script),
                None => launching.contains(place.source.name()),
            },
            Means::Elsewhere => false,
        };
        if !is_ours || is_read_elsewhere(place.name) || !is_contract_name(place.name) {
            left_out.insert(place.name);
            continue;
        }
        first.entry(place.name).or_insert(place);
    }
    // What is exported for a program as well may be meant for it everywhere.
    first.retain(|name, _| !left_out.contains(name));
    first
}

/// The candidates that any text names otherwise than to export them.
fn names_used<'d>(
    repository: &Repository<'d>,
    contract: &Contract<'d>,
    candidates: &HashMap<&'d str, &Exported<'d>>,
) -> HashSet<&'d str> {
    let mut defined: HashMap<&str, Vec<std::ops::Range<usize>>> = HashMap::new();
    for place in &contract.exports.places {
        defined.entry(place.source.name()).or_default().push(place.span.clone());
    }
    for script in &repository.scripts {
        if let Some(shell) = script.shell() {
            let spans = shell.facts.assignments.iter().map(|one| one.span.range());
            defined.entry(script.source.name()).or_default().extend(spans);
        }
    }
    defined.values_mut().for_each(|spans| spans.sort_by_key(|span| span.start));
    let mut used = HashSet::new();
    for source in repository.texts() {
        let spans = defined.get(source.name()).map_or(&[][..], Vec::as_slice);
        uses_in(source, spans, candidates, &mut used);
    }
    used
}

fn uses_in<'d>(
    source: &Source,
    defined: &[std::ops::Range<usize>],
    candidates: &HashMap<&'d str, &Exported<'d>>,
    used: &mut HashSet<&'d str>,
) {
    let text = source.text();
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut at = 0;
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
        let (start, end) = (at, at + length);
        at = end;
        let Some((&name, _)) = candidates.get_key_value(&text[start..end]) else { continue };
        if used.contains(name) || in_comment(text, start) {
            continue;
        }
        // A place where it is exported or assigned is no use, unless the same words read it: `X="$X:more"`.
        let next = defined.partition_point(|span| span.start <= start);
        let is_definition = defined[..next]
            .iter()
            .rev()
            .take(NEAR_SPANS)
            .any(|span| span.start <= start && end <= span.end && !text[..start].ends_with(['$', '{', '!']));
        if !is_definition {
            used.insert(name);
        }
    }
}

/// Spans hardly nest: the few before a place are all that may hold it.
const NEAR_SPANS: usize = 4;

fn in_comment(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..at].trim_start();
    line.starts_with('#')
}
