//! From configs to rows: which entries are visited, and what each of them makes.

use super::concurrency;
use super::dram;
use super::names::{SEQUENCES, python_str, sequence, worker_tag};
use super::nodes;
use super::row::{Entry, Row, Scenario};
use super::{Inputs, Options, Selection};
use crate::core::config::{Config, Rules};
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::num::Num;
use crate::core::schema::{Path, lax_bool};
use crate::core::yaml::{NodeRef, Value};

/// Replay time of an agentic job, in seconds.
const AGENTIC_SECONDS: i64 = 3600;
/// What a request may need beyond its lengths, in tokens.
const MODEL_LENGTH_MARGIN: i64 = 256;

/// All rows of the selected entries, in config order. Everything that is wrong goes to `found`.
pub(super) fn expand<'d>(inputs: &Inputs<'d, '_>, options: &Options, found: &mut Diagnostics) -> Vec<Row<'d>> {
    let mut expansion = Expansion { inputs, options, found, rows: Vec::new() };
    for config in selected_configs(inputs, options, expansion.found) {
        expansion.config(config);
    }
    expansion.rows
}

fn selected_configs<'d>(inputs: &Inputs<'d, '_>, options: &Options, found: &mut Diagnostics) -> Vec<Config<'d>> {
    match &options.selection {
        Selection::FullSweep(filters) => {
            for label in filters.runner_type.iter().flatten().filter(|label| !inputs.runners.has_label(label)) {
                found.push(unknown_runner_type(inputs, label));
            }
            let field_is = |config: &Config<'_>, name: &str, wanted: &Option<Vec<String>>| match wanted {
                None => true,
                Some(wanted) => {
                    let value = config.node.get(name).and_then(NodeRef::as_str).unwrap_or_default();
                    wanted.iter().any(|one| one == value)
                }
            };
            let kept = inputs.configs.iter().copied().filter(|config| {
                let prefixes = filters.model_prefix.as_ref();
                prefixes.is_none_or(|prefixes| prefixes.iter().any(|prefix| config.key.starts_with(prefix.as_str())))
                    && field_is(config, "precision", &filters.precision)
                    && field_is(config, "framework", &filters.framework)
                    && field_is(config, "runner", &filters.runner_type)
            });
            kept.collect()
        }
        Selection::TestConfig(keys) => super::select::configs_by_key(inputs, keys, found),
    }
}

fn unknown_runner_type(inputs: &Inputs<'_, '_>, label: &str) -> Diagnostic {
    let mut known: Vec<&str> = inputs.runners.labels().collect();
    known.sort_unstable();
    let file = inputs.runners.document().source().name();
    let diagnostic = Diagnostic::error(Code::UnknownRunnerType, format!("--runner-type {label} is no label in {file}"))
        .in_file(file);
    match crate::core::schema::suggestion(label, known.iter().copied()) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help(format!("labels: {}", known.join(", "))),
    }
}

struct Expansion<'a, 'd, 'i> {
    inputs: &'a Inputs<'d, 'i>,
    options: &'a Options,
    found: &'a mut Diagnostics,
    rows: Vec<Row<'d>>,
}

impl<'d> Expansion<'_, 'd, '_> {
    fn config(&mut self, config: Config<'d>) {
        let Some(runners) = self.runners_for(config) else { return };
        for scenario in [Scenario::FixedSeqLen, Scenario::AgenticCoding] {
            if self.options.wants(scenario) {
                self.scenario(config, scenario, &runners);
            }
        }
    }

    /// The values of `runner` in rows: the label, or the runners that the node filter leaves. `None` skips the config.
    fn runners_for(&self, config: Config<'d>) -> Option<Vec<&'d str>> {
        let label = config.node.get("runner").and_then(NodeRef::as_str).unwrap_or_default();
        let Some(filter) = &self.options.runner_node_filter else { return Some(vec![label]) };
        let behind = self.inputs.runners.runners_of(label).into_iter().flatten();
        let label_itself = self.options.is_test_config().then_some(label);
        let mut kept: Vec<&'d str> = Vec::new();
        for name in label_itself.into_iter().chain(behind).filter(|name| name.contains(filter.as_str())) {
            // Only test-config removes repeated names.
            if !self.options.is_test_config() || !kept.contains(&name) {
                kept.push(name);
            }
        }
        (!kept.is_empty()).then_some(kept)
    }

    fn scenario(&mut self, config: Config<'d>, scenario: Scenario, runners: &[&'d str]) {
        let Some(list) = config.node.get("scenarios").and_then(|node| node.get(scenario.name())) else { return };
        if list.is_null() && scenario == Scenario::FixedSeqLen {
            let config_path = Path::ROOT.key(config.key);
            self.found.push(
                Diagnostic::error(Code::WrongType, "fixed-seq-len is nothing (null), and the matrix reads a list")
                    .at(list.source(), key_site(config, scenario).unwrap_or_else(|| list.site()))
                    .path(config_path.key("scenarios").key(scenario.name()).to_string())
                    .help("remove the key, or give a list"),
            );
            return;
        }
        for (item, item_node) in list.items().enumerate() {
            if scenario == Scenario::FixedSeqLen && !self.options.wants_lengths(item_node) {
                continue;
            }
            let space = item_node.get("search-space");
            for (index, node) in space.into_iter().flat_map(NodeRef::items).enumerate() {
                let entry = Entry { config, scenario, item, item_node, index, node };
                if !self.options.wants_node_kind(config.is_multinode()) {
                    continue;
                }
                if let Err(diagnostic) = self.entry(&entry, runners) {
                    // What is wrong with the scenario shows in each of its entries.
                    self.found.push_new(diagnostic);
                }
            }
        }
    }

    fn entry(&mut self, entry: &Entry<'d>, runners: &[&'d str]) -> Result<(), Diagnostic> {
        match (entry.scenario, entry.config.is_multinode()) {
            (Scenario::FixedSeqLen, false) => self.single_fixed(entry, runners),
            (Scenario::FixedSeqLen, true) => self.multi_fixed(entry, runners),
            (Scenario::AgenticCoding, multinode) => {
                check_node_kind(entry, multinode)?;
                // Computed first: its errors surface even when the filters leave no point.
                let dram = dram::budget(entry, self.inputs.runners)?;
                let values = concurrency::agentic(entry, self.options)?;
                match multinode {
                    false => self.single_agentic(entry, runners, &dram, &values),
                    true => self.multi_agentic(entry, runners, &dram, &values),
                }
            }
        }
    }

    fn single_fixed(&mut self, entry: &Entry<'d>, runners: &[&'d str]) -> Result<(), Diagnostic> {
        let zero = Num::Int(0);
        if let Some(max) = &self.options.max_tp
            && (*max <= zero || entry.number("tp", &entry.get("tp").unwrap_or(Value::Null))? > *max)
        {
            return Ok(());
        }
        let mut ep = entry.given("ep").unwrap_or(Value::Int(1));
        if let Some(max) = &self.options.max_ep {
            if *max <= zero {
                return Ok(());
            }
            if let Some(given) = entry.given("ep")
                && entry.number("ep", &given)? > *max
            {
                ep = max.clone().into_value();
            }
        }
        let values = concurrency::single_fixed(entry, self.options)?;
        if values.is_empty() {
            return Ok(());
        }
        let mut row = self.base(entry);
        let (isl, osl) = lengths(entry);
        let name = self.fixed_name(entry, &isl, &osl);
        row.push("isl", isl);
        row.push("osl", osl);
        self.push_require_power(&mut row);
        self.push_sizes(&mut row);
        row.push("conc", Value::Null);
        row.push("max-model-len", model_length(entry)?);
        row.push("ep", ep);
        row.push("dp-attn", entry.given("dp-attn").unwrap_or(Value::Bool(false)));
        row.push("spec-decoding", spec_decoding(entry));
        self.push_srt_recipe(&mut row);
        row.push("exp-name", Value::text(name));
        row.push("disagg", disagg(entry.config));
        row.push("run-eval", Value::Bool(false));
        push_components(&mut row);
        for conc in values {
            for &runner in runners {
                self.emit(&row, runner, conc.clone(), None)?;
            }
        }
        Ok(())
    }

    fn multi_fixed(&mut self, entry: &Entry<'d>, runners: &[&'d str]) -> Result<(), Diagnostic> {
        let Some(values) = concurrency::multi_fixed(entry, self.options)? else { return Ok(()) };
        let mut row = self.base(entry);
        let (isl, osl) = lengths(entry);
        let name = self.fixed_name(entry, &isl, &osl);
        let (prefill, decode) = workers(entry);
        row.push("isl", isl);
        row.push("osl", osl);
        self.push_require_power(&mut row);
        row.push("spec-decoding", spec_decoding(entry));
        row.push("prefill", prefill);
        row.push("decode", decode);
        row.push("conc", Value::Null);
        row.push("max-model-len", model_length(entry)?);
        row.push("exp-name", Value::text(name));
        row.push("disagg", disagg(entry.config));
        row.push("run-eval", Value::Bool(false));
        push_components(&mut row);
        for &runner in runners {
            self.emit(&row, runner, Value::List(values.clone()), None)?;
        }
        Ok(())
    }

    fn single_agentic(
        &mut self,
        entry: &Entry<'d>,
        runners: &[&'d str],
        dram: &Value<'static>,
        values: &[Value<'d>],
    ) -> Result<(), Diagnostic> {
        let mut row = self.base(entry);
        self.push_sizes(&mut row);
        row.push("ep", entry.given("ep").unwrap_or(Value::Int(1)));
        row.push("dp-attn", entry.given("dp-attn").unwrap_or(Value::Bool(false)));
        row.push("spec-decoding", spec_decoding(entry));
        row.push("conc", Value::Null);
        self.push_srt_recipe(&mut row);
        row.push("kv-offloading", entry.given("kv-offloading").unwrap_or(Value::text("none")));
        row.push("total-cpu-dram-gb", dram.clone());
        row.push("duration", Value::Int(AGENTIC_SECONDS));
        row.push("exp-name", Value::Null);
        row.push("scenario-type", Value::text(Scenario::AgenticCoding.name()));
        push_components(&mut row);
        for conc in values {
            let name = self.single_agentic_name(entry, conc);
            for &runner in runners {
                self.emit(&row, runner, conc.clone(), Some(name.clone()))?;
            }
        }
        Ok(())
    }

    fn multi_agentic(
        &mut self,
        entry: &Entry<'d>,
        runners: &[&'d str],
        dram: &Value<'static>,
        values: &[Value<'d>],
    ) -> Result<(), Diagnostic> {
        let (prefill, decode) = workers(entry);
        let offloading = entry.given("kv-offloading").unwrap_or(Value::text("none"));
        let start = format!("{}_{}_{}", model_prefix(entry), worker_tag('p', &prefill), worker_tag('d', &decode));
        let end = offload_suffix(entry, &offloading);
        let mut row = self.base(entry);
        row.push("spec-decoding", spec_decoding(entry));
        row.push("prefill", prefill);
        row.push("decode", decode);
        row.push("conc", Value::Null);
        row.push("kv-offloading", offloading);
        row.push("total-cpu-dram-gb", dram.clone());
        row.push("duration", Value::Int(AGENTIC_SECONDS));
        row.push("exp-name", Value::Null);
        row.push("disagg", disagg(entry.config));
        row.push("scenario-type", Value::text(Scenario::AgenticCoding.name()));
        push_components(&mut row);
        for &runner in runners {
            for conc in values {
                let name = format!("{start}_conc{}{end}", python_str(conc));
                self.emit(&row, runner, Value::List(vec![conc.clone()]), Some(name))?;
            }
        }
        Ok(())
    }

    /// One row of an entry: what all of its rows share, and what is its own.
    fn emit(
        &mut self,
        shared: &Row<'d>,
        runner: &'d str,
        conc: Value<'d>,
        name: Option<String>,
    ) -> Result<(), Diagnostic> {
        let mut row = shared.copy_with_room();
        row.set("runner", Value::text(runner));
        row.set("conc", conc);
        if let Some(name) = name {
            row.set("exp-name", Value::text(name));
        }
        if row.is_multinode() {
            check_transfer(&row)?;
            if self.is_newer() {
                let count = nodes::node_count(&row, self.inputs)?;
                row.push("node-count", count);
            }
        }
        self.rows.push(row);
        Ok(())
    }

    fn base(&self, entry: &Entry<'d>) -> Row<'d> {
        let mut row = Row::new(*entry);
        for name in ["image", "model", "model-prefix", "precision", "framework"] {
            row.push(name, entry.config.node.get(name).map_or(Value::Null, Value::of));
        }
        row.push("runner", Value::Null);
        row
    }

    fn push_sizes(&self, row: &mut Row<'d>) {
        let entry = row.entry;
        row.push("tp", entry.get("tp").unwrap_or(Value::Null));
        for name in ["pp", "dcp-size", "pcp-size"] {
            row.push(name, entry.get(name).unwrap_or(Value::Int(1)));
        }
        if let Some(size) = entry.given("attn-dp-size").filter(|_| self.is_newer()) {
            row.push("attn-dp-size", size);
        }
    }

    fn push_srt_recipe(&self, row: &mut Row<'d>) {
        if let Some(recipe) = row.entry.given("srt-recipe").filter(|_| self.is_newer()) {
            row.push("srt-recipe", recipe);
        }
    }

    fn push_require_power(&self, row: &mut Row<'d>) {
        let required = row.entry.item_node.get("require-power").map(Value::of);
        if self.is_newer() && required == Some(Value::Bool(true)) {
            row.push("require-power", Value::Bool(true));
        }
    }

    fn is_newer(&self) -> bool {
        self.options.rules == Rules::R2026_09
    }

    fn fixed_name(&self, entry: &Entry<'d>, isl: &Value<'_>, osl: &Value<'_>) -> String {
        let mut name = format!("{}_{}", model_prefix(entry), sequence(isl, osl));
        let size = |value: Option<Value<'_>>| value.filter(|v| *v != Value::Null).map(|v| python_str(&v));
        if let Some(size) = size(entry.get("attn-dp-size")) {
            name.push_str(&format!("_adp{size}"));
        }
        for (role, tag) in [("prefill", "_prefilladp"), ("decode", "_decodeadp")] {
            let worker = entry.node.get(role).or_else(|| entry.node.get("worker"));
            let of_worker = worker.and_then(|worker| worker.get("attn-dp-size")).map(Value::of);
            if let Some(size) = size(of_worker) {
                name.push_str(&format!("{tag}{size}"));
            }
        }
        name
    }

    fn single_agentic_name(&self, entry: &Entry<'d>, conc: &Value<'_>) -> String {
        let text = |value: Option<Value<'_>>| value.map(|value| python_str(&value)).unwrap_or_default();
        let mode = text(entry.given("kv-offloading"));
        let offload = if mode == "none" { "kvnone".to_owned() } else { format!("kv{mode}-{}", backend_name(entry)) };
        let mut name =
            format!("{}_tp{}_conc{}_{offload}", model_prefix(entry), text(entry.get("tp")), python_str(conc));
        let spec = text(Some(spec_decoding(entry)));
        if spec != "none" {
            name.push_str(&format!("_spec-{spec}"));
        }
        if let Some(size) = entry.given("attn-dp-size").filter(|_| self.is_newer()) {
            name.push_str(&format!("_adp{}", python_str(&size)));
        }
        name
    }
}

/// Component metadata stands behind the fields of the row itself.
fn push_components(row: &mut Row<'_>) {
    let entry = row.entry;
    let backend = row.is_agentic().then(|| component(&entry, "kv-offload-backend")).flatten();
    if let Some(backend) = backend {
        row.push("kv-offload-backend", backend);
    }
    for name in ["router", "kv-p2p-transfer"] {
        if let Some(value) = component(&entry, name) {
            row.push(name, value);
        }
    }
}

fn key_site(config: Config<'_>, scenario: Scenario) -> Option<std::ops::Range<usize>> {
    Some(config.node.get("scenarios")?.entry(scenario.name())?.0.site())
}

/// The schema of agentic entries does not tie the topology to the node kind of the config.
fn check_node_kind(entry: &Entry<'_>, multinode: bool) -> Result<(), Diagnostic> {
    let single = entry.given("tp").is_some();
    if single != multinode {
        return Ok(());
    }
    let (below, message) = match multinode {
        true => ("tp", "a single-node entry (tp) in a config with multinode: true"),
        false => ("prefill", "a multi-node entry (prefill and decode) in a config with multinode: false"),
    };
    Err(entry
        .error(Code::WrongNodeKind, below, message)
        .help("set multinode to what the entry is, or change the entry"))
}

fn check_transfer(row: &Row<'_>) -> Result<(), Diagnostic> {
    let disagg = row.entry.config.node.get("disagg").and_then(lax_bool).unwrap_or(false);
    if !disagg || row.get("kv-p2p-transfer").is_some() {
        return Ok(());
    }
    let message = "the entry hides the kv-p2p-transfer of the config with null, and a disaggregated job needs one";
    Err(row
        .entry
        .error(Code::InvalidRow, "kv-p2p-transfer", message)
        .help("remove the null, or name the transfer here"))
}

/// The entry's value if the key stands there, even null; else the config's. Null is no value.
fn component<'d>(entry: &Entry<'d>, name: &str) -> Option<Value<'d>> {
    let node = entry.node.get(name).or_else(|| entry.config.node.get(name))?;
    (!node.is_null()).then(|| Value::of(node))
}

fn lengths<'d>(entry: &Entry<'d>) -> (Value<'d>, Value<'d>) {
    let length = |name| entry.item_node.get(name).map_or(Value::Null, Value::of);
    (length("isl"), length("osl"))
}

fn model_length(entry: &Entry<'_>) -> Result<Value<'static>, Diagnostic> {
    let mut total = Num::Int(MODEL_LENGTH_MARGIN);
    for name in ["isl", "osl"] {
        let node = entry.item_node.get(name);
        let value = node.map_or(Value::Null, Value::of);
        let number = Num::of(&value).ok_or_else(|| {
            let path = entry.path("");
            let item = path.split(".search-space").next().unwrap_or_default();
            let text = node.and_then(NodeRef::scalar_text).unwrap_or_default();
            Diagnostic::error(
                Code::NumberNeeded,
                format!("{name} is the text `{text}`, and the matrix computes with it"),
            )
            .at(entry.node.source(), node.map_or(entry.node.site(), NodeRef::site))
            .path(format!("{item}.{name}"))
            .help("write the number without quotes")
        })?;
        total = total.plus(&number);
    }
    Ok(total.into_value())
}

fn spec_decoding<'d>(entry: &Entry<'d>) -> Value<'d> {
    entry.get("spec-decoding").unwrap_or(Value::text("none"))
}

fn disagg<'d>(config: Config<'d>) -> Value<'d> {
    config.node.get("disagg").map_or(Value::Bool(false), Value::of)
}

fn model_prefix<'d>(entry: &Entry<'d>) -> &'d str {
    entry.config.node.get("model-prefix").and_then(NodeRef::as_str).unwrap_or_default()
}

fn backend_name<'d>(entry: &Entry<'d>) -> &'d str {
    let backend = entry.node.get("kv-offload-backend").and_then(|backend| backend.get("name"));
    backend.and_then(NodeRef::as_str).unwrap_or_default()
}

fn offload_suffix(entry: &Entry<'_>, mode: &Value<'_>) -> String {
    match mode.as_str() {
        Some("none") | None => String::new(),
        Some(mode) => format!("_kv{mode}-{}", backend_name(entry)),
    }
}

/// The worker objects of a multi-node row: the keys as written, then the sizes that were left out.
fn workers<'d>(entry: &Entry<'d>) -> (Value<'d>, Value<'d>) {
    let role = |name| entry.given(name);
    match role("worker") {
        None => (with_sizes(role("prefill").unwrap_or(Value::Null)), with_sizes(role("decode").unwrap_or(Value::Null))),
        Some(worker) => (with_sizes(aggregate_prefill(&worker)), with_sizes(aggregate_decode(&worker))),
    }
}

/// An aggregate worker takes the place of prefill; its number of workers stands first, 1 unless given.
fn aggregate_prefill<'d>(worker: &Value<'d>) -> Value<'d> {
    let Value::Map(entries) = worker else { return Value::Null };
    let number = worker.get("num-worker").cloned().unwrap_or(Value::Int(1));
    let rest = entries.iter().filter(|(key, _)| key.as_str() != Some("num-worker")).cloned();
    Value::Map(std::iter::once((Value::text("num-worker"), number)).chain(rest).collect())
}

fn aggregate_decode<'d>(worker: &Value<'d>) -> Value<'d> {
    let Value::Map(entries) = worker else { return Value::Null };
    let own = |key: &Value<'_>| matches!(key.as_str(), Some("num-worker" | "additional-settings"));
    let rest = entries.iter().filter(|(key, _)| !own(key)).cloned();
    Value::Map(std::iter::once((Value::text("num-worker"), Value::Int(0))).chain(rest).collect())
}

fn with_sizes<'d>(mut worker: Value<'d>) -> Value<'d> {
    if let Value::Map(entries) = &mut worker {
        for name in ["pp", "dcp-size", "pcp-size"] {
            if !entries.iter().any(|(key, _)| key.as_str() == Some(name)) {
                entries.push((Value::text(name), Value::Int(1)));
            }
        }
    }
    worker
}

impl Options {
    fn wants(&self, scenario: Scenario) -> bool {
        self.scenario_types.as_ref().is_none_or(|wanted| wanted.contains(&scenario))
    }

    fn wants_lengths(&self, item: NodeRef<'_>) -> bool {
        let Some(wanted) = &self.seq_lens else { return true };
        let is = |name: &str, number: i64| {
            let value = item.get(name).map(Value::of);
            value.as_ref().and_then(Num::of).is_some_and(|value| value == Num::Int(number))
        };
        SEQUENCES
            .iter()
            .any(|(name, isl, osl)| wanted.iter().any(|one| one == name) && is("isl", *isl) && is("osl", *osl))
    }

    fn wants_node_kind(&self, multinode: bool) -> bool {
        let Selection::FullSweep(filters) = &self.selection else { return true };
        filters.single_node == filters.multi_node || if multinode { filters.multi_node } else { filters.single_node }
    }
}
