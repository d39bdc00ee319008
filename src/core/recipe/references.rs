//! Where master configs name recipes: `CONFIG_FILE=` settings and `srt-recipe`.

use std::ops::Range;

use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::yaml::{Document, Kind, NodeRef};

/// The folders that mean the same tree of recipes.
const ROOTS: [&str; 2] = ["benchmarks/multi_node/srt-slurm-recipes/", "recipes/"];

/// A place of a config that names a recipe.
#[derive(Debug, Clone, Copy)]
pub struct Reference<'d> {
    /// The config, a top-level key of its file.
    pub config: &'d str,
    /// The value that holds it.
    pub node: NodeRef<'d>,
    /// The path, as written.
    pub path: &'d str,
    /// The selector behind it.
    pub selector: Option<&'d str>,
}

/// All references of a master config file, in its order.
pub fn references(document: &Document) -> Vec<Reference<'_>> {
    let mut found = Vec::new();
    let Some(root) = document.root() else { return found };
    for (key, value) in root.entries() {
        if let Some(config) = key.as_str() {
            collect(config, value, &mut found);
        }
    }
    found
}

fn collect<'d>(config: &'d str, node: NodeRef<'d>, found: &mut Vec<Reference<'d>>) {
    // What an alias stands for is seen where it is anchored.
    if node.is_alias() {
        return;
    }
    match node.kind() {
        Kind::List => {
            for item in node.items() {
                match item.as_str().and_then(|text| text.strip_prefix("CONFIG_FILE=")) {
                    Some(reference) => found.push(of(config, item, reference)),
                    None => collect(config, item, found),
                }
            }
        }
        Kind::Map => {
            for (key, value) in node.written_entries() {
                match value.as_str().filter(|_| key.as_str() == Some("srt-recipe")) {
                    Some(reference) => found.push(of(config, value, reference)),
                    None => collect(config, value, found),
                }
            }
        }
        _ => {}
    }
}

fn of<'d>(config: &'d str, node: NodeRef<'d>, reference: &'d str) -> Reference<'d> {
    let (path, selector) = super::split_reference(reference);
    Reference { config, node, path, selector }
}

/// The path below the tree of recipes.
fn below_root(path: &str) -> &str {
    let path = path.strip_prefix("./").unwrap_or(path);
    ROOTS.iter().find_map(|root| path.strip_prefix(root)).unwrap_or(path)
}

/// Whether a path of a config means a file, which may be named from another folder.
pub fn names_file(reference: &str, file: &str) -> bool {
    let tail = below_root(reference);
    let file = file.strip_prefix("./").unwrap_or(file);
    !tail.is_empty() && file.strip_suffix(tail).is_some_and(|above| above.is_empty() || above.ends_with('/'))
}

/// The files of each config that references any, by index and in the order of the configs; a file that several reference
/// belongs to the first.
pub fn clusters<'d>(references: &[Reference<'d>], files: &[&str]) -> Vec<(&'d str, Vec<usize>)> {
    let mut clusters: Vec<(&'d str, Vec<usize>)> = Vec::new();
    let mut is_taken = vec![false; files.len()];
    for reference in references {
        for (at, file) in files.iter().enumerate() {
            if is_taken[at] || !names_file(reference.path, file) {
                continue;
            }
            is_taken[at] = true;
            match clusters.iter_mut().find(|(config, _)| *config == reference.config) {
                Some((_, members)) => members.push(at),
                None => clusters.push((reference.config, vec![at])),
            }
        }
    }
    clusters
}

/// The text of a config file in which references to files name the variants of a bundle instead, and how many did.
/// `selectors` are the files and the selector of each.
///
/// # Errors
/// Every reference that cannot be rewritten.
pub fn rewritten(
    document: &Document,
    bundle: &str,
    selectors: &[(&str, &str)],
) -> Result<(String, usize), Diagnostics> {
    let text = document.source().text();
    let mut found = Diagnostics::new();
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for reference in references(document) {
        let Some((file, selector)) = selectors.iter().find(|(file, _)| names_file(reference.path, file)) else {
            continue;
        };
        match new_reference(&reference, file, bundle, selector) {
            Ok((span, new)) => edits.push((span, new)),
            Err(message) => {
                let diagnostic = Diagnostic::error(Code::RecipeReference, message);
                let diagnostic = diagnostic.at(document.source(), reference.node.site()).path(reference.config);
                found
                    .push(diagnostic.help("put the bundle beside the files that it replaces, or rewrite this by hand"));
            }
        }
    }
    if found.has_errors() {
        return Err(found);
    }
    let count = edits.len();
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    edits.sort_by_key(|(span, _)| span.start);
    for (span, new) in edits {
        out.push_str(&text[done..span.start]);
        out.push_str(&new);
        done = span.end;
    }
    out.push_str(&text[done..]);
    Ok((out, count))
}

/// The bytes of the path and selector in the text, and what to write there.
fn new_reference(
    reference: &Reference<'_>,
    file: &str,
    bundle: &str,
    selector: &str,
) -> Result<(Range<usize>, String), String> {
    let source = reference.node.source();
    if let Some(old) = reference.selector {
        return Err(format!("`{}:{old}` selects something in a flat recipe", reference.path));
    }
    let tail = below_root(reference.path);
    let prefix = &reference.path[..reference.path.len() - tail.len()];
    let (file, bundle) = (file.trim_start_matches("./"), bundle.trim_start_matches("./"));
    let root = file.strip_suffix(tail).unwrap_or_default();
    let Some(below) = bundle.strip_prefix(root).filter(|below| !below.is_empty() && !below.starts_with('/')) else {
        return Err(format!("{bundle} does not lie below `{root}`, where {file} is"));
    };
    let site = reference.node.site();
    let written = &source.text()[site.clone()];
    let Some(at) = written.rfind(reference.path) else {
        return Err(format!("`{}` is written with escapes here", reference.path));
    };
    let start = site.start + at;
    let end = start + reference.path.len();
    // An empty selector leaves its colon behind.
    let end = if source.text()[end..site.end].starts_with(':') { end + 1 } else { end };
    Ok((start..end, format!("{prefix}{below}:{selector}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::diag::Source;
    use crate::core::yaml::{Schema, parse};

    const CONFIGS: &str = "one:\n  scenarios:\n    agentic-coding:\n      - search-space:\n        - prefill:\n            additional-settings:\n            \
                           - \"CONFIG_FILE=recipes/vllm/a.yaml\" # kept\n            - A=b\n        - srt-recipe: recipes/vllm/b.yaml\n\
                           two: {x: [CONFIG_FILE=benchmarks/multi_node/srt-slurm-recipes/vllm/a.yaml, 'CONFIG_FILE=recipes/c.yaml:override_x']}\n";

    fn configs() -> Document {
        parse(&Source::new("m.yaml", CONFIGS), Schema::V11, &mut Diagnostics::new()).unwrap()
    }

    #[test]
    fn references_are_found_and_clustered() {
        let document = configs();
        let references = references(&document);
        let shown: Vec<String> =
            references.iter().map(|r| format!("{} {} {:?}", r.config, r.path, r.selector)).collect();
        assert_eq!(
            shown,
            [
                "one recipes/vllm/a.yaml None",
                "one recipes/vllm/b.yaml None",
                "two benchmarks/multi_node/srt-slurm-recipes/vllm/a.yaml None",
                "two recipes/c.yaml Some(\"override_x\")",
            ]
        );
        let files = ["x/recipes/vllm/b.yaml", "x/recipes/c.yaml", "x/recipes/vllm/a.yaml", "other.yaml"];
        assert_eq!(clusters(&references, &files), [("one", vec![2, 0]), ("two", vec![1])]);
    }

    #[test]
    fn references_are_rewritten_in_place() {
        let document = configs();
        let (text, count) =
            rewritten(&document, "recipes/vllm/one.yaml", &[("recipes/vllm/a.yaml", "override_a")]).unwrap();
        assert_eq!(count, 2);
        let expected = CONFIGS.replace("vllm/a.yaml", "vllm/one.yaml:override_a");
        assert_eq!(text, expected);
    }

    #[test]
    fn a_bundle_elsewhere_cannot_be_named() {
        let document = configs();
        let refused = rewritten(&document, "b/one.yaml", &[("a/recipes/vllm/a.yaml", "override_a")]).unwrap_err();
        assert_eq!(refused.error_count(), 2);
    }
}
