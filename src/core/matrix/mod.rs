//! The job matrix: from validated configs and runners to rows, and from rows to points.
//!
//! In: [`Inputs`] and [`Options`]. Out: [`Row`]s in the order and with the fields of the incumbent's generator, or
//! diagnostics. Expansion, eval marking and reduction are one file each.

mod arrived;
mod concurrency;
pub mod diff;
mod dram;
mod equality;
mod evals;
mod evals_newer;
mod expand;
mod json;
mod names;
mod nodes;
mod outputs;
mod point;
mod row;
mod select;
mod shard;
mod table;
mod trim;

use std::sync::Arc;

pub use arrived::check_point;
pub use json::{ascii_json_text, spaced_json, write_rows};
pub use names::SEQUENCES;
pub use outputs::{Output, OutputLimits, Plan, documented_outputs};
pub use point::{IDENTITY_FIELDS, Lane, Point, points, points_to_compare};
pub use row::{Entry, Row, Scenario};
pub use select::fnmatch;
pub use shard::{ShardLimits, cut};
pub use table::render_table;

use super::config::{Config, Rules, Runners};
use super::diag::{Diagnostic, Diagnostics, Source};
use super::num::Num;

/// What the matrix is made from.
pub struct Inputs<'d, 'i> {
    /// Configs in merged order.
    pub configs: &'i [Config<'d>],
    /// Labels and hardware facts.
    pub runners: &'i Runners<'d>,
    /// Where recipes that rows name are found.
    pub recipes: &'i dyn Recipes,
}

/// Finds recipe files by the path that a config names.
pub trait Recipes {
    /// The text of the recipe, if the checkout has it.
    fn recipe(&self, path: &str) -> Option<Arc<Source>>;
}

/// A checkout without recipes.
pub struct NoRecipes;

impl Recipes for NoRecipes {
    fn recipe(&self, _path: &str) -> Option<Arc<Source>> {
        None
    }
}

/// What is asked of the matrix.
#[derive(Debug, Clone)]
pub struct Options {
    /// The rule set.
    pub rules: Rules,
    /// Which configs, and what only one of the two verbs knows.
    pub selection: Selection,
    /// Leaves out eval marking.
    pub no_evals: bool,
    /// Keeps rows that run an evaluation, and only that.
    pub evals_only: bool,
    /// Evaluates whatever can be evaluated, and only that.
    pub all_evals: bool,
    /// Replaces labels by those of their runners that contain this text.
    pub runner_node_filter: Option<String>,
    /// Scenarios to expand; all of them unless given.
    pub scenario_types: Option<Vec<Scenario>>,
    /// Names of length pairs to expand; all of them unless given.
    pub seq_lens: Option<Vec<String>>,
    /// The factor between the rungs of a ladder.
    pub step: Num,
    /// Lowest concurrency.
    pub min_conc: Option<Num>,
    /// Highest concurrency.
    pub max_conc: Option<Num>,
    /// Highest tensor parallel size; entries above are dropped.
    pub max_tp: Option<Num>,
    /// Highest expert parallel size; entries above are clamped.
    pub max_ep: Option<Num>,
    /// Concurrencies to keep.
    pub conc: Option<Vec<Num>>,
    /// One concurrency for each shape.
    pub trim_conc: bool,
    /// One throughput row and one evaluation for each shape.
    pub smoke: bool,
    /// Experiment names to keep.
    pub exp_names: Option<Vec<String>>,
}

/// Which configs are expanded.
#[derive(Debug, Clone)]
pub enum Selection {
    /// All that pass the filters.
    FullSweep(Filters),
    /// Those with these keys or patterns.
    TestConfig(Vec<String>),
}

/// The filters of a full sweep. What is not given filters nothing.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    /// Starts of config keys.
    pub model_prefix: Option<Vec<String>>,
    /// Values of `precision`.
    pub precision: Option<Vec<String>>,
    /// Values of `framework`.
    pub framework: Option<Vec<String>>,
    /// Runner labels.
    pub runner_type: Option<Vec<String>>,
    /// Single-node configs.
    pub single_node: bool,
    /// Multi-node configs.
    pub multi_node: bool,
}

impl Options {
    /// The options of a verb without any flag.
    pub fn new(rules: Rules, selection: Selection) -> Self {
        Self {
            rules,
            selection,
            no_evals: false,
            evals_only: false,
            all_evals: false,
            runner_node_filter: None,
            scenario_types: None,
            seq_lens: None,
            step: Num::Int(2),
            min_conc: None,
            max_conc: None,
            max_tp: None,
            max_ep: None,
            conc: None,
            trim_conc: false,
            smoke: false,
            exp_names: None,
        }
    }

    fn is_test_config(&self) -> bool {
        matches!(self.selection, Selection::TestConfig(_))
    }
}

/// Why there is no matrix.
#[derive(Debug)]
pub enum Refusal {
    /// The command line does not fit the rows.
    Usage(String),
    /// The input is wrong; the diagnostics say where.
    Input,
}

/// The rows that the options ask for.
///
/// # Errors
/// [`Refusal::Input`] when anything is wrong with the input, with all of it in `found`; [`Refusal::Usage`] when a name
/// on the command line does not fit the rows.
pub fn generate<'d>(
    inputs: &Inputs<'d, '_>,
    options: &Options,
    found: &mut Diagnostics,
) -> Result<Vec<Row<'d>>, Refusal> {
    let errors_before = found.error_count();
    let rows = expand::expand(inputs, options, found);
    if found.error_count() > errors_before {
        return Err(Refusal::Input);
    }
    let rows = match &options.exp_names {
        Some(names) => select::rows_by_name(rows, names).map_err(Refusal::Usage)?,
        None => rows,
    };
    reduce(rows, options).map_err(|diagnostic| {
        found.push(diagnostic);
        Refusal::Input
    })
}

/// Eval marking, then smoke or trim, then the filter on evaluations.
fn reduce<'d>(mut rows: Vec<Row<'d>>, options: &Options) -> Result<Vec<Row<'d>>, Diagnostic> {
    if !options.no_evals {
        match options.rules {
            Rules::R2026_08 => {
                evals::mark(&mut rows, options.evals_only || options.all_evals)?;
                if options.all_evals {
                    rows = evals::all_evals(rows)?;
                }
            }
            Rules::R2026_09 => {
                rows = evals_newer::mark(rows, !options.all_evals)?;
                if options.all_evals {
                    rows = evals_newer::all_evals(rows)?;
                }
                evals_newer::deduplicate(&mut rows);
            }
        }
    }
    if options.smoke {
        return trim::smoke(rows);
    }
    let only_evals = !options.no_evals && (options.evals_only || options.all_evals);
    if options.all_evals && options.trim_conc {
        // Rows of different suites must not merge, and here all of them are evaluations.
        rows = evals::only_evals(rows);
    }
    if options.trim_conc {
        rows = trim::trim(rows)?;
    }
    Ok(if only_evals { evals::only_evals(rows) } else { rows })
}
