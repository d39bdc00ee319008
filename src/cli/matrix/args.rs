//! What a matrix is asked for on the command line.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::core::config::Rules;
use crate::core::matrix::{Filters, Options, Scenario, Selection};
use crate::core::num::Num;

/// What a matrix is made from, and what is left out of it.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct InputArgs {
    /// Master config files, merged in this order [default: configs/*master*.yaml].
    #[arg(long, num_args = 1.., value_name = "F", overrides_with = "config_files")]
    pub(in crate::cli) config_files: Vec<PathBuf>,

    /// Runner labels and hardware facts.
    #[arg(long, value_name = "F", default_value = "configs/runners.yaml", overrides_with = "runner_config")]
    pub(in crate::cli) runner_config: PathBuf,

    /// Leave out eval marking.
    #[arg(long, conflicts_with = "evals_only")]
    no_evals: bool,

    /// Only jobs that run an evaluation, and only that.
    #[arg(long)]
    evals_only: bool,

    /// Evaluate whatever can be evaluated, and only that.
    #[arg(long)]
    all_evals: bool,

    /// Replace labels by those of their runners that contain this text.
    #[arg(long, value_name = "S", overrides_with = "runner_node_filter", allow_hyphen_values = false)]
    runner_node_filter: Option<String>,

    /// Scenarios to expand.
    #[arg(long, num_args = 1.., value_enum, overrides_with = "scenario_type")]
    scenario_type: Vec<ScenarioArg>,

    /// Lengths of fixed-seq-len scenarios to expand.
    #[arg(long, num_args = 1.., value_parser = ["1k1k", "8k1k"], overrides_with = "seq_lens")]
    seq_lens: Vec<String>,

    /// One concurrency for each shape (rules 2026-09).
    #[arg(long)]
    trim_conc: bool,

    /// One throughput job and one evaluation for each shape (rules 2026-09).
    #[arg(long)]
    smoke: bool,

    /// Rule set [default: by the runner file].
    ///
    /// SRTX_RULES sets it for a whole job.
    #[arg(long, value_parser = ["2026-08", "2026-09"])]
    rules: Option<String>,
}

/// The filters of a full sweep.
#[derive(Debug, Args)]
pub(in crate::cli) struct FilterArgs {
    /// Starts of config keys to keep.
    #[arg(long, num_args = 1.., value_name = "S", overrides_with = "model_prefix")]
    model_prefix: Vec<String>,

    /// Precisions to keep.
    #[arg(long, num_args = 1.., value_name = "S", overrides_with = "precision")]
    precision: Vec<String>,

    /// Frameworks to keep.
    #[arg(long, num_args = 1.., value_name = "S", overrides_with = "framework")]
    framework: Vec<String>,

    /// Runner labels to keep.
    #[arg(long, num_args = 1.., value_name = "S", overrides_with = "runner_type")]
    runner_type: Vec<String>,

    /// Factor between the rungs of a concurrency ladder.
    #[arg(long, value_name = "INT", value_parser = python_int, default_value = "2", allow_negative_numbers = true, overrides_with = "step_size")]
    step_size: Num,

    /// Lowest concurrency.
    #[arg(long, value_name = "INT", value_parser = python_int, allow_negative_numbers = true, overrides_with = "min_conc")]
    min_conc: Option<Num>,

    /// Highest concurrency.
    #[arg(long, value_name = "INT", value_parser = python_int, allow_negative_numbers = true, overrides_with = "max_conc")]
    max_conc: Option<Num>,

    /// Highest tensor parallel size of single-node fixed-seq-len entries.
    #[arg(long, value_name = "INT", value_parser = python_int, allow_negative_numbers = true, overrides_with = "max_tp")]
    max_tp: Option<Num>,

    /// Highest expert parallel size of single-node fixed-seq-len entries; larger ones are lowered to it.
    #[arg(long, value_name = "INT", value_parser = python_int, allow_negative_numbers = true, overrides_with = "max_ep")]
    max_ep: Option<Num>,

    /// Only single-node configs.
    #[arg(long)]
    single_node: bool,

    /// Only multi-node configs.
    #[arg(long)]
    multi_node: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScenarioArg {
    FixedSeqLen,
    AgenticCoding,
}

impl From<ScenarioArg> for Scenario {
    fn from(argument: ScenarioArg) -> Self {
        match argument {
            ScenarioArg::FixedSeqLen => Self::FixedSeqLen,
            ScenarioArg::AgenticCoding => Self::AgenticCoding,
        }
    }
}

/// Python's `int()`.
pub(super) fn python_int(text: &str) -> Result<Num, String> {
    crate::core::num::python_int(text).ok_or_else(|| "expected an integer".to_owned())
}

fn given<T>(values: Vec<T>) -> Option<Vec<T>> {
    (!values.is_empty()).then_some(values)
}

/// The rule set that was asked for, by the option or else by the variable. An empty variable is none: an action passes
/// every input that was not given as an empty text, so clap must not read it.
fn rules_of_environment(option: Option<String>) -> Result<Option<String>, String> {
    const VARIABLE: &str = "SRTX_RULES";
    let Some(value) = std::env::var_os(VARIABLE).filter(|_| option.is_none()) else { return Ok(option) };
    match value.to_str().map(str::trim) {
        Some("") => Ok(None),
        Some(name) if Rules::from_name(name).is_some() => Ok(Some(name.to_owned())),
        _ => Err(format!("{VARIABLE} is {}, expected 2026-08 or 2026-09", value.display())),
    }
}

/// What is asked for, checked as far as that goes without any file.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Wanted {
    pub(in crate::cli) inputs: InputArgs,
    selection: Selection,
    step: Num,
    limits: [Option<Num>; 4],
    conc: Option<Vec<Num>>,
    exp_names: Option<Vec<String>>,
}

impl Wanted {
    /// A full sweep, narrowed by filters; or why the command line is wrong.
    pub(in crate::cli) fn full_sweep(inputs: InputArgs, filters: FilterArgs) -> Result<Self, String> {
        let selection = Selection::FullSweep(Filters {
            model_prefix: given(filters.model_prefix),
            precision: given(filters.precision),
            framework: given(filters.framework),
            runner_type: given(filters.runner_type),
            single_node: filters.single_node,
            multi_node: filters.multi_node,
        });
        let limits = [filters.min_conc, filters.max_conc, filters.max_tp, filters.max_ep];
        Self { inputs, selection, step: filters.step_size, limits, conc: None, exp_names: None }.checked()
    }

    /// Some configs by key; or why the command line is wrong.
    pub(in crate::cli) fn test_config(
        inputs: InputArgs,
        config_keys: Vec<String>,
        conc: Vec<Num>,
        exp_names: Vec<String>,
    ) -> Result<Self, String> {
        let selection = Selection::TestConfig(config_keys);
        let limits = [None, None, None, None];
        Self { inputs, selection, step: Num::Int(2), limits, conc: given(conc), exp_names: given(exp_names) }.checked()
    }

    /// The same without some of the labels that `--runner-type` names; `None` when that leaves nothing to ask for.
    pub(in crate::cli) fn without_labels(&self, left_out: impl Fn(&str) -> bool) -> Option<Self> {
        let mut wanted = self.clone();
        if let Selection::FullSweep(Filters { runner_type: Some(labels), .. }) = &mut wanted.selection {
            labels.retain(|label| !left_out(label));
            if labels.is_empty() {
                return None;
            }
        }
        Some(wanted)
    }

    /// The rule set by name, unless the runner file is to decide.
    pub(super) fn rules(&self) -> Option<Rules> {
        self.inputs.rules.as_deref().and_then(Rules::from_name)
    }

    fn checked(mut self) -> Result<Self, String> {
        self.inputs.rules = rules_of_environment(self.inputs.rules.take())?;
        let [min, max, ..] = &self.limits;
        if self.step <= Num::Int(1) {
            return Err(format!("--step-size is {}, expected 2 or more", self.step));
        }
        if let (Some(min), Some(max)) = (min, max)
            && min > max
        {
            return Err(format!("--min-conc {min} is greater than --max-conc {max}"));
        }
        let inputs = &self.inputs;
        if inputs.no_evals && inputs.all_evals {
            return Err("--no-evals and --all-evals exclude each other".into());
        }
        let evals = inputs.no_evals || inputs.evals_only || inputs.all_evals;
        if inputs.smoke && (inputs.trim_conc || evals) {
            return Err("--smoke excludes --trim-conc and the options on evals".into());
        }
        if let Some(option) = self.later_option().filter(|_| inputs.rules.as_deref() == Some("2026-08")) {
            return Err(format!("{option} needs --rules 2026-09"));
        }
        Ok(self)
    }

    fn later_option(&self) -> Option<&'static str> {
        let options = [
            ("--smoke", self.inputs.smoke),
            ("--trim-conc", self.inputs.trim_conc),
            ("--exp-names", self.exp_names.is_some()),
        ];
        options.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    /// The options of the generator, now that the rule set is known; or why the command line does not fit it.
    pub(super) fn options(&self, rules: Rules) -> Result<Options, String> {
        if let Some(option) = self.later_option().filter(|_| rules == Rules::R2026_08) {
            return Err(format!("{option} needs --rules 2026-09, and the runner file is of 2026-08"));
        }
        let (inputs, [min_conc, max_conc, max_tp, max_ep]) = (&self.inputs, self.limits.clone());
        Ok(Options {
            no_evals: inputs.no_evals,
            evals_only: inputs.evals_only,
            all_evals: inputs.all_evals,
            runner_node_filter: inputs.runner_node_filter.clone(),
            scenario_types: given(inputs.scenario_type.iter().copied().map(Scenario::from).collect()),
            seq_lens: given(inputs.seq_lens.clone()),
            step: self.step.clone(),
            min_conc,
            max_conc,
            max_tp,
            max_ep,
            conc: self.conc.clone(),
            trim_conc: inputs.trim_conc,
            smoke: inputs.smoke,
            exp_names: self.exp_names.clone(),
            ..Options::new(rules, self.selection.clone())
        })
    }
}
