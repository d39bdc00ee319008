//! The schema of master configs, and how several files become one map.

use std::rc::Rc;

use hashbrown::HashMap;

use super::Rules;
use super::checks;
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::schema::{Field, Fields, Object, Path, Rule, Type, validate};
use crate::core::yaml::{Document, Kind, NodeRef, Value};

/// One entry of a master config file: valid, and as written.
#[derive(Debug, Clone, Copy)]
pub struct Config<'d> {
    /// The config key.
    pub key: &'d str,
    /// Its mapping.
    pub node: NodeRef<'d>,
}

impl Config<'_> {
    /// Whether it describes multi-node jobs.
    pub fn is_multinode(self) -> bool {
        is_multinode(self.node)
    }
}

/// The mode follows from the truth of the raw value, before it is validated.
fn is_multinode(node: NodeRef<'_>) -> bool {
    node.get("multinode").is_some_and(|value| Value::of(value).is_truthy())
}

/// Merges master files in order and validates every entry. `None` when any is refused.
pub fn merge_masters<'d>(documents: &[&'d Document], rules: Rules, found: &mut Diagnostics) -> Option<Vec<Config<'d>>> {
    let errors_before = found.error_count();
    let schemas = [master_type(rules, false), master_type(rules, true)];
    let of_unknown_kind = config_type(rules, false, "a config");
    let mut merged: Vec<Config<'d>> = Vec::new();
    let mut seen: HashMap<&'d str, (usize, NodeRef<'d>)> = HashMap::new();
    for (file, document) in documents.iter().enumerate() {
        let Some(root) = mapping_root(document, MASTER_ROOT, found) else { continue };
        if documents[..file].iter().any(|earlier| earlier.source().name() == document.source().name()) {
            found.push(given_twice(root));
            continue;
        }
        for (key, node) in root.entries() {
            let Some(name) = config_key(key, found) else { continue };
            if let Some((_, first)) = seen.get(name).filter(|(earlier, _)| *earlier != file) {
                found.push(repeated_key(name, key, *first));
                continue;
            }
            seen.insert(name, (file, key));
            let schema = match node.get("multinode") {
                Some(_) => &schemas[usize::from(is_multinode(node))],
                None => &of_unknown_kind,
            };
            validate(node, schema, &Path::ROOT.key(name), key.site(), found);
            merged.push(Config { key: name, node });
        }
    }
    (found.error_count() == errors_before).then_some(merged)
}

const MASTER_ROOT: &str = "config keys at the start of their lines, and the fields of each indented below";

/// The top mapping of a file; anything else is reported, with what the file should hold.
pub(super) fn mapping_root<'d>(document: &'d Document, content: &str, found: &mut Diagnostics) -> Option<NodeRef<'d>> {
    let root = document.root().filter(|root| !root.is_null());
    let name = document.source().name();
    let (message, place) = match root {
        Some(root) if matches!(root.kind(), Kind::Map) => return Some(root),
        Some(root) => (format!("{name} holds {}, expected a mapping of keys to values", root.type_name()), root.span()),
        None => (format!("{name} holds nothing, expected a mapping of keys to values"), 0..0),
    };
    let diagnostic = Diagnostic::error(Code::NotAMapping, message).at(document.source(), place);
    let lacks_blank = root.and_then(NodeRef::scalar_text).is_some_and(|text| text.contains(':'));
    found.push(match lacks_blank {
        true => diagnostic.help("write a blank behind the `:` of a key"),
        false => diagnostic.help(format!("check that this is the right file; it should hold {content}")),
    });
    None
}

fn config_key<'d>(key: NodeRef<'d>, found: &mut Diagnostics) -> Option<&'d str> {
    let Some(name) = key.as_str() else {
        let text = key.scalar_text().unwrap_or_default();
        found.push(
            Diagnostic::error(
                Code::NonTextKey,
                format!("the config key `{text}` is {}, expected a text", key.type_name()),
            )
            .at(key.source(), key.site())
            .path(text)
            .help(format!("quote the key: \"{text}\"")),
        );
        return None;
    };
    if name.contains('*') {
        found.push(
            Diagnostic::error(
                Code::WildcardKey,
                format!("the config key `{name}` holds `*`, which selects keys by pattern"),
            )
            .at(key.source(), key.site())
            .path(name)
            .help("rename it without the `*`"),
        );
        return None;
    }
    Some(name)
}

fn given_twice(root: NodeRef<'_>) -> Diagnostic {
    let key = root.entries().next().map(|(key, _)| key);
    let message = format!("{} is given twice, so its keys stand in two files", root.source().name());
    Diagnostic::error(Code::KeyInTwoFiles, message)
        .at(root.source(), key.map_or(0..0, NodeRef::site))
        .path(key.and_then(NodeRef::scalar_text).unwrap_or_default())
        .help("give each file once")
}

fn repeated_key(name: &str, again: NodeRef<'_>, first: NodeRef<'_>) -> Diagnostic {
    let place = first.source().position(first.site().start);
    let message = format!("the config key `{name}` stands in {} too, on line {}", first.source().name(), place.line);
    Diagnostic::error(Code::KeyInTwoFiles, message)
        .at(again.source(), again.site())
        .path(name)
        .related(first.source(), first.site(), "first")
        .help("rename or remove one of the two")
}

// ---------------------------------------------------------------------------------------------------------------------
// The schema

const SPEC_DECODING: Type = Type::Choice(&["mtp", "draft_model", "none"]);
const KV_OFFLOADING: Type = Type::Choice(&["none", "dram"]);

/// The schema of one config of a rule set and node kind.
pub fn master_type(rules: Rules, multinode: bool) -> Type {
    config_type(rules, multinode, if multinode { "a multi-node config" } else { "a single-node config" })
}

fn config_type(rules: Rules, multinode: bool, title: &'static str) -> Type {
    let one_node = Type::Exactly {
        value: false,
        help: "prefill and decode are separate on several nodes only: remove disagg, or set multinode: true",
    };
    let mut fields = vec![
        Field::required("image", Type::TEXT, "container image of the server"),
        Field::required("model", Type::TEXT, "Hugging Face id of the model, or the name a cluster stages it under"),
        Field::required("model-prefix", Type::TEXT, "short name of the model, first part of experiment names"),
        Field::required("precision", Type::TEXT, "weight precision, for example fp8"),
        Field::required("framework", Type::TEXT, "inference engine, for example sglang or dynamo-vllm"),
        Field::required("runner", Type::TEXT, "runner label of the jobs"),
        Field::required(
            "multinode",
            Type::Exactly { value: multinode, help: "write true or false" },
            "whether a job spans several nodes",
        ),
        Field::optional(
            "disagg",
            if multinode { Type::BOOLEAN } else { one_node },
            "whether prefill and decode run on separate workers",
        ),
        Field::nullable("router", component("a router", true), "request router of the deployment"),
    ];
    let mut config_rules = vec![
        Rule { code: Code::AgenticRunner, check: checks::agentic_runner },
        Rule { code: Code::DeclaredTwice, check: checks::declared_twice },
    ];
    if multinode {
        fields.push(Field::nullable("kv-p2p-transfer", Type::NAME, "how KV caches move between workers"));
        config_rules.push(Rule { code: Code::TransferMissing, check: checks::transfer_missing });
    } else {
        config_rules.push(Rule { code: Code::TransferSingleNode, check: checks::transfer_on_single_node });
    }
    if rules == Rules::R2026_09 {
        config_rules.push(Rule { code: Code::AggregateShape, check: checks::aggregate_shape });
    }
    fields.push(Field::required("scenarios", scenarios(rules, multinode), "what is measured"));
    object(title, fields, config_rules)
}

fn object(title: &'static str, fields: Vec<Field>, rules: Vec<Rule>) -> Type {
    Type::Object(Rc::new(Object { title, fields, rules, takes_underscores: true, open: false }))
}

fn component(title: &'static str, version_required: bool) -> Type {
    let version = Type::Text { min_chars: 1, without_prefix: Some("image:") };
    let about = "version of the component itself, not of its image";
    let version = match version_required {
        true => Field::required("version", version, about),
        false => Field::nullable("version", version, about),
    };
    object(title, vec![Field::required("name", Type::NAME, "name of the component"), version], vec![])
}

fn scenarios(rules: Rules, multinode: bool) -> Type {
    let fields = vec![
        Field::nullable("fixed-seq-len", Type::list(fixed_item(rules, multinode), 0), "requests of fixed lengths"),
        Field::nullable("agentic-coding", Type::list(agentic_item(rules), 0), "replayed agent trajectories"),
    ];
    object("`scenarios`", fields, vec![Rule { code: Code::NoScenario, check: checks::no_scenario }])
}

fn fixed_item(rules: Rules, multinode: bool) -> Type {
    let entry = if multinode { multinode_fixed_entry(rules) } else { single_fixed_entry(rules) };
    let mut fields = vec![
        Field::required("isl", Type::INTEGER, "input tokens per request"),
        Field::required("osl", Type::INTEGER, "output tokens per request"),
        Field::required("search-space", Type::list(entry, 0), "the topologies and concurrencies to measure"),
    ];
    let mut item_rules = Vec::new();
    if rules == Rules::R2026_09 {
        let about = "whether a job without power data fails (isl 8192 and osl 1024 only)";
        fields.push(Field::optional("require-power", Type::Boolean { strict: true }, about));
        item_rules.push(Rule { code: Code::RequirePower, check: checks::require_power });
    }
    object("a fixed-seq-len scenario", fields, item_rules)
}

fn agentic_item(rules: Rules) -> Type {
    let fields = vec![
        Field::required(
            "search-space",
            Type::list(agentic_entry(rules), 0),
            "the topologies and concurrencies to measure",
        ),
        Field::optional("dram-utilization", Type::Fraction, "share of a node's memory that KV offloading may use"),
    ];
    let item_rules = vec![Rule { code: Code::DramUtilizationMissing, check: checks::dram_utilization_missing }];
    object("an agentic-coding scenario", fields, item_rules)
}

fn concurrency_fields() -> Vec<Field> {
    vec![
        Field::nullable("conc-start", Type::INTEGER, "lowest concurrency of a ladder"),
        Field::nullable("conc-end", Type::INTEGER, "highest concurrency of a ladder, always measured"),
        Field::nullable("conc-list", Type::list(Type::INTEGER, 0), "the concurrencies themselves"),
    ]
}

fn concurrency_rules() -> [Rule; 2] {
    [
        Rule { code: Code::ConcurrencyChoice, check: checks::concurrency_choice },
        Rule { code: Code::ConcurrencyValues, check: checks::concurrency_values },
    ]
}

fn parallel_sizes(rules: Rules) -> Vec<Field> {
    let mut fields = vec![
        Field::optional("pp", Type::SIZE, "pipeline parallel size, 1 unless given"),
        Field::optional("dcp-size", Type::SIZE, "decode context parallel size, 1 unless given; divides tp"),
        Field::optional("pcp-size", Type::SIZE, "prefill context parallel size, 1 unless given"),
    ];
    if rules == Rules::R2026_09 {
        fields.push(Field::nullable("attn-dp-size", Type::SIZE, "attention data parallel size; divides tp"));
    }
    fields
}

fn size_rules(rules: Rules) -> Vec<Rule> {
    let mut size_rules = vec![Rule { code: Code::DcpDividesTp, check: checks::dcp_divides_tp }];
    if rules == Rules::R2026_09 {
        size_rules.push(Rule { code: Code::AttnDpSize, check: checks::attn_dp_size });
    }
    size_rules
}

fn srt_recipe() -> Field {
    Field::nullable("srt-recipe", Type::NAME, "srt-slurm recipe (FILE[:SELECTOR]) that runs the point natively")
}

fn single_fixed_entry(rules: Rules) -> Type {
    let mut fields = vec![Field::required("tp", Type::INTEGER, "tensor parallel size")];
    fields.extend(parallel_sizes(rules));
    fields.extend([
        Field::nullable("ep", Type::INTEGER, "expert parallel size, 1 unless given"),
        Field::optional("spec-decoding", SPEC_DECODING, "speculative decoding, none unless given"),
        Field::nullable("dp-attn", Type::BOOLEAN, "whether attention is data parallel"),
        Field::nullable("router", component("a router", true), "request router of the deployment"),
    ]);
    fields.extend(concurrency_fields());
    if rules == Rules::R2026_09 {
        fields.push(srt_recipe());
    }
    let mut entry_rules = concurrency_rules().to_vec();
    entry_rules.extend(size_rules(rules));
    object("a single-node entry", fields, entry_rules)
}

fn multinode_fixed_entry(rules: Rules) -> Type {
    let mut fields = vec![Field::optional("spec-decoding", SPEC_DECODING, "speculative decoding, none unless given")];
    fields.extend(worker_fields(rules, true));
    fields.extend([
        Field::nullable("router", component("a router", true), "request router of the deployment"),
        Field::nullable("kv-p2p-transfer", Type::NAME, "how KV caches move between workers"),
    ]);
    fields.extend(concurrency_fields());
    let mut entry_rules = concurrency_rules().to_vec();
    if rules == Rules::R2026_09 {
        entry_rules.push(Rule { code: Code::EntryTopology, check: checks::fixed_workers });
    }
    entry_rules.push(Rule { code: Code::HardwarePair, check: checks::hardware_pair });
    object("a multi-node entry", fields, entry_rules)
}

/// `prefill` and `decode`, and from 2026-09 on `worker` and `num-nodes` of an aggregate deployment.
fn worker_fields(rules: Rules, required: bool) -> Vec<Field> {
    let (prefill, decode) =
        ("prefill workers of a disaggregated deployment", "decode workers of a disaggregated deployment");
    if rules == Rules::R2026_08 {
        let field = if required { Field::required } else { Field::nullable };
        return vec![field("prefill", worker(rules, false), prefill), field("decode", worker(rules, false), decode)];
    }
    vec![
        Field::nullable("prefill", worker(rules, false), prefill),
        Field::nullable("decode", worker(rules, false), decode),
        Field::nullable("worker", worker(rules, true), "workers of an aggregate deployment"),
        Field::nullable("num-nodes", Type::SIZE, "nodes of an aggregate deployment"),
    ]
}

fn worker(rules: Rules, aggregate: bool) -> Type {
    let about = "number of workers";
    let mut fields = vec![
        match aggregate {
            true => Field::optional("num-worker", Type::SIZE, about),
            false => Field::required("num-worker", Type::INTEGER, about),
        },
        Field::required("tp", Type::INTEGER, "tensor parallel size"),
    ];
    fields.extend(parallel_sizes(rules));
    fields.extend([
        Field::required("ep", Type::INTEGER, "expert parallel size"),
        Field::required("dp-attn", Type::BOOLEAN, "whether attention is data parallel"),
        Field::nullable("hardware", Type::NAME, "runner label of the worker's nodes"),
        Field::nullable(
            "additional-settings",
            Type::list(Type::TEXT, 0),
            "NAME=value settings, CONFIG_FILE= names the recipe",
        ),
    ]);
    object("a worker", fields, size_rules(rules))
}

fn agentic_entry(rules: Rules) -> Type {
    let mut fields = vec![Field::nullable("tp", Type::INTEGER, "tensor parallel size of a single-node entry")];
    fields.extend(parallel_sizes(rules));
    fields.extend([
        Field::nullable("ep", Type::INTEGER, "expert parallel size, 1 unless given"),
        Field::nullable("dp-attn", Type::BOOLEAN, "whether attention is data parallel"),
        Field::optional("spec-decoding", SPEC_DECODING, "speculative decoding, none unless given"),
    ]);
    fields.extend(worker_fields(rules, false));
    fields.extend([
        Field::nullable("kv-offloading", KV_OFFLOADING, "where KV caches are offloaded to"),
        Field::nullable("kv-offload-backend", component("a kv-offload-backend", false), "what offloads them"),
        Field::nullable("router", component("a router", true), "request router of the deployment"),
        Field::nullable("kv-p2p-transfer", Type::NAME, "how KV caches move between workers"),
    ]);
    fields.extend(concurrency_fields());
    if rules == Rules::R2026_09 {
        fields.push(srt_recipe());
    }
    let topology = match rules {
        Rules::R2026_08 => checks::agentic_topology,
        Rules::R2026_09 => checks::agentic_topology_newer,
    };
    let mut entry_rules = concurrency_rules().to_vec();
    entry_rules.extend([
        Rule { code: Code::OffloadBackend, check: checks::offload_backend },
        Rule { code: Code::EntryTopology, check: topology },
        Rule { code: Code::HardwarePair, check: checks::hardware_pair },
    ]);
    entry_rules.extend(size_rules(rules));
    object("an agentic entry", fields, entry_rules)
}

/// Where a search-space entry stands in its config.
#[derive(Debug, Clone, Copy)]
pub(super) struct EntryPlace {
    scenario: &'static str,
    item: usize,
    index: usize,
}

impl EntryPlace {
    /// The steps from the config to the entry, or to something in it.
    pub(super) fn steps(self, below: &str) -> String {
        let Self { scenario, item, index } = self;
        let dot = if below.is_empty() { "" } else { "." };
        format!("scenarios.{scenario}[{item}].search-space[{index}]{dot}{below}")
    }
}

/// The search-space entries of a config in source order.
pub(super) fn entries_of<'d>(config: Fields<'d>) -> Vec<(EntryPlace, Fields<'d>)> {
    let mut entries = Vec::new();
    let Some(scenarios) = config.given("scenarios").map(|node| config.inside(node)) else { return entries };
    for scenario in ["fixed-seq-len", "agentic-coding"] {
        for (item, node) in scenarios.given(scenario).into_iter().flat_map(NodeRef::items).enumerate() {
            let space = config.inside(node).given("search-space");
            for (index, entry) in space.into_iter().flat_map(NodeRef::items).enumerate() {
                entries.push((EntryPlace { scenario, item, index }, config.inside(entry)));
            }
        }
    }
    entries
}
