//! srt-slurm recipes: a file, its variants, and what they resolve to.
//!
//! In: a YAML document. Out: recipes as trees of values that know their places. A file with `base` is expanded once, into
//! all variants in the order in which they are submitted.

mod consolidate;
mod dates;
mod file;
mod fix;
mod json;
mod merge;
mod nodes;
mod overrides;
mod path;
mod references;
mod schema;
mod selector;
#[cfg(test)]
mod tests;
mod tree;
mod verify;
mod zip;

pub use consolidate::{Consolidated, Sizes, consolidate, section_key};
pub use file::{RecipeFile, Selection, Variant};
pub use fix::{Mended, mended};
pub use json::{not_in_json, write_json};
pub use nodes::node_count_of;
pub use overrides::Overrides;
pub use path::is_path_below;
pub use references::{Reference, clusters, names_file, references, rewritten};
pub use schema::{Finding, Fix, Range2, SchemaChoice, check_recipe};
pub use selector::split_reference;
pub use tree::{Data, Entry, List, Map, Place, Tree};
pub use verify::{Difference, Original, Verification, differences, duplicates};
