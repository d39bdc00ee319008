//! A refusal as data for programs and as diagnostics for people.

use super::{Mismatch, Refusal};
use crate::core::diag::{Code, Diagnostic};
use crate::core::recipe::{Data, Entry, RecipeFile, Tree, Variant};

/// How many other candidates a diagnostic lists.
const SHOWN: usize = 8;
/// Longer values are cut in sentences.
const LONGEST: usize = 80;
/// The comparisons before and behind the topology, in their order. What is not listed is an argument of the topology.
const BEFORE: [&str; 5] = ["FRAMEWORK", "engine", "model", "image", "precision"];
const BEHIND: [&str; 19] = [
    "gpus",
    "nodes",
    "workers",
    "roles",
    "benchmark type",
    "benchmark MODEL",
    "SPEC_DECODING",
    "AgentX client",
    "USE_CHAT_TEMPLATE",
    "ISL",
    "OSL",
    "RANDOM_RANGE_RATIO",
    "CONC",
    "KV_OFFLOADING",
    "TOTAL_CPU_DRAM_GB",
    "ATOM TP",
    "PP_SIZE",
    "DCP_SIZE",
    "PCP_SIZE",
];

impl<'d> Refusal<'d> {
    /// What `bind` prints: `rejected` or `matched`; `None` where the environment is wrong.
    pub fn to_tree(&self, file: &str, candidates: &[Variant<'d>]) -> Option<Tree<'d>> {
        let null = || Tree::new(Data::Null);
        let (name, rows) = match self {
            Self::NoMatch(mismatches) => {
                let row = |(candidate, mismatch): (&Variant<'d>, &Mismatch<'d>)| {
                    Tree::map(vec![
                        Entry::new("candidate", Tree::text(candidate.selector.clone().unwrap_or_default())),
                        Entry::new("field", Tree::text(mismatch.field.clone().into_owned())),
                        Entry::new("recipe", mismatch.recipe.clone().unwrap_or_else(null)),
                        Entry::new("matrix", mismatch.matrix.clone().unwrap_or_else(null)),
                    ])
                };
                ("rejected", candidates.iter().zip(mismatches).map(row).collect())
            }
            Self::Several(fitting) => {
                let row = |&index: &usize| Tree::text(reference(file, &candidates[index]));
                ("matched", fitting.iter().map(row).collect())
            }
            Self::Environment(_) => return None,
        };
        Some(Tree::map(vec![Entry::new(name, Tree::list(rows))]))
    }

    /// The field in which the nearest candidate differs.
    pub fn nearest_field(&self) -> Option<&str> {
        match self {
            Self::NoMatch(mismatches) => furthest(mismatches).map(|(_, mismatch)| &*mismatch.field),
            _ => None,
        }
    }

    /// What people read: the nearest candidate with both values, and what the others differ in.
    pub fn diagnostics(self, file: &RecipeFile<'d>, candidates: &[Variant<'d>]) -> Vec<Diagnostic> {
        match self {
            Self::Environment(found) => found,
            Self::Several(fitting) => vec![several(file, candidates, &fitting)],
            Self::NoMatch(mismatches) => vec![no_match(file, candidates, &mismatches)],
        }
    }
}

/// `FILE:SELECTOR`, or the file alone where it is flat.
pub fn reference(file: &str, candidate: &Variant<'_>) -> String {
    candidate.selector.as_ref().map_or_else(|| file.to_owned(), |selector| format!("{file}:{selector}"))
}

fn several(file: &RecipeFile<'_>, candidates: &[Variant<'_>], fitting: &[usize]) -> Diagnostic {
    let name = file.source().name();
    let names: Vec<&str> = fitting.iter().map(|&index| selector(&candidates[index])).collect();
    let message = format!("{} variants of {name} fit the point: {}", fitting.len(), names.join(", "));
    let mut diagnostic = Diagnostic::error(Code::BoundTwice, message);
    let places = fitting.iter().filter_map(|&index| candidates[index].place.clone());
    for (at, (source, span)) in places.take(SHOWN).enumerate() {
        diagnostic = if at == 0 {
            diagnostic.labelled(source, span, "fits")
        } else {
            diagnostic.related(source, span, "fits as well")
        };
    }
    diagnostic.help("make them differ in topology, concurrency or offload, remove one, or name one by its selector")
}

fn no_match(file: &RecipeFile<'_>, candidates: &[Variant<'_>], mismatches: &[Mismatch<'_>]) -> Diagnostic {
    let name = file.source().name();
    let furthest =
        mismatches.iter().enumerate().max_by_key(|(index, mismatch)| (progress(mismatch), usize::MAX - index));
    let Some((nearest, mismatch)) = furthest else {
        return Diagnostic::error(Code::NotBound, format!("{name} has no variants that a point could be bound to"))
            .in_file(name)
            .help("add an `override_*` section for the topology of the point");
    };
    let selector = selector(&candidates[nearest]);
    let difference = mismatch.sentence();
    let message = match candidates.len() {
        1 => format!("{name}: {selector} does not fit the point: {difference}"),
        count => {
            format!("none of the {count} variants of {name} fits the point; the nearest, {selector}: {difference}")
        }
    };
    let diagnostic = Diagnostic::error(Code::NotBound, message).path(&*mismatch.field);
    let place = mismatch.recipe.as_ref().and_then(Tree::place).or_else(|| candidates[nearest].place.clone());
    let mut diagnostic = match place {
        Some((source, span)) => diagnostic.at(source, span),
        None => diagnostic.in_file(name),
    };
    let others = candidates.iter().zip(mismatches).enumerate().filter(|(index, _)| *index != nearest);
    for (_, (candidate, mismatch)) in others.take(SHOWN) {
        diagnostic = diagnostic.help(format!("{}: {}", self::selector(candidate), mismatch.sentence()));
    }
    if candidates.len() > SHOWN + 1 {
        diagnostic = diagnostic.help(format!("and {} more variants", candidates.len() - SHOWN - 1));
    }
    diagnostic
}

fn selector<'c>(candidate: &'c Variant<'_>) -> &'c str {
    candidate.selector.as_deref().unwrap_or("the recipe")
}

/// The candidate that came furthest, and what it differs in; the first of several.
fn furthest<'m, 'd>(mismatches: &'m [Mismatch<'d>]) -> Option<(usize, &'m Mismatch<'d>)> {
    mismatches.iter().enumerate().max_by_key(|(index, mismatch)| (progress(mismatch), usize::MAX - index))
}

/// How far the comparisons of a candidate came.
fn progress(mismatch: &Mismatch<'_>) -> usize {
    let at = |fields: &[&str]| fields.iter().position(|field| *field == mismatch.field);
    let malformed = mismatch.field == "variant" || mismatch.field.starts_with("roles.");
    match (at(&BEFORE), at(&BEHIND)) {
        _ if malformed => 0,
        (Some(at), _) => 1 + at,
        (None, None) => 1 + BEFORE.len(),
        (None, Some(at)) => 2 + BEFORE.len() + at,
    }
}

impl Mismatch<'_> {
    /// `CONC is 4 in the recipe and 8 in the point`
    pub fn sentence(&self) -> String {
        let field = &self.field;
        let recipe = self.recipe.as_ref().map(shown);
        let matrix = self.matrix.as_ref().map(shown);
        let values = match (recipe, matrix) {
            (Some(recipe), Some(matrix)) => format!("{field} is {recipe} in the recipe and {matrix} in the point"),
            (Some(recipe), None) => format!("{field} is {recipe} in the recipe"),
            (None, Some(matrix)) => format!("{field} is {matrix} in the point, and the recipe has none"),
            (None, None) => field.clone().into_owned(),
        };
        match &self.reason {
            Some(reason) => format!("{values} ({reason})"),
            None => values,
        }
    }
}

fn shown(value: &Tree<'_>) -> String {
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let _ = crate::core::recipe::write_json(&mut out, value, None);
    let text = String::from_utf8(out).unwrap_or_default();
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}
