//! The runner file: labels, and what the nodes behind them have.

use std::rc::Rc;

use hashbrown::HashMap;

use super::Rules;
use super::master::{Config, mapping_root};
use crate::core::diag::{Code, Diagnostic, Diagnostics};
use crate::core::schema::{Field, Fields, Object, Path, Rule, Type, Violation, suggestion, validate};
use crate::core::yaml::{Document, NodeRef, Value};

/// The prefix of labels that name one cluster.
const CLUSTER_PREFIX: &str = "cluster:";

/// Labels and hardware facts, in file order.
#[derive(Debug)]
pub struct Runners<'d> {
    document: &'d Document,
    labels: Vec<(&'d str, NodeRef<'d>)>,
    hardware: Vec<Hardware<'d>>,
}

/// What the nodes of a label have.
#[derive(Debug, Clone)]
pub struct Hardware<'d> {
    /// The runner label.
    pub label: String,
    /// The record in the file.
    pub node: NodeRef<'d>,
    /// The dotted path of the record.
    pub path: String,
}

impl<'d> Hardware<'d> {
    /// A raw value of the record.
    pub fn get(&self, name: &str) -> Option<Value<'d>> {
        self.node.get(name).map(Value::of)
    }
}

impl<'d> Runners<'d> {
    /// The file that it was read from.
    pub fn document(&self) -> &'d Document {
        self.document
    }

    /// The runners of a label in file order, or `None` if there is no such label.
    pub fn runners_of(&self, label: &str) -> Option<impl Iterator<Item = &'d str> + use<'d>> {
        let (_, node) = self.labels.iter().find(|(name, _)| *name == label)?;
        Some(node.items().filter_map(NodeRef::as_str))
    }

    /// Whether a label exists.
    pub fn has_label(&self, label: &str) -> bool {
        self.labels.iter().any(|(name, _)| *name == label)
    }

    /// All labels in file order.
    pub fn labels(&self) -> impl Iterator<Item = &'d str> {
        self.labels.iter().map(|(name, _)| *name)
    }

    /// The hardware record of a label.
    pub fn hardware_of(&self, label: &str) -> Option<&Hardware<'d>> {
        self.hardware.iter().find(|record| record.label == label)
    }

    /// All hardware records in file order.
    pub fn hardware(&self) -> &[Hardware<'d>] {
        &self.hardware
    }
}

/// The rule set that the form of a runner file speaks for: `clusters` came with 2026-09.
pub fn detect_rules(document: &Document) -> Rules {
    match document.root() {
        Some(root) if root.get("clusters").is_some() && root.get("hardware").is_none() => Rules::R2026_09,
        _ => Rules::R2026_08,
    }
}

/// The schema of the runner file.
pub fn runners_type(rules: Rules) -> Type {
    let labels = Type::MapOf(Rc::new(Type::list(Type::TEXT, 1)));
    let count = Type::Integer { strict: false, min: Some(1) };
    let gpus = Field::required("gpus-per-node", count.clone(), "GPUs of one node");
    let dram = "host memory of one node that a job may use, in MiB";
    let object = |title, fields, rules, open| {
        Type::Object(Rc::new(Object { title, fields, rules, takes_underscores: false, open }))
    };
    let (name, record, about) = match rules {
        Rules::R2026_08 => {
            let fields = vec![Field::required("available-cpu-dram-mib", count, dram), gpus];
            ("hardware", object("a hardware record", fields, vec![], false), "facts about the nodes behind a label")
        }
        Rules::R2026_09 => {
            let fields = vec![gpus, Field::optional("available-cpu-dram-mib", count, dram)];
            ("clusters", object("a cluster", fields, vec![], true), "facts about the nodes of a cluster, by its name")
        }
    };
    let file_rules = match rules {
        Rules::R2026_08 => vec![],
        Rules::R2026_09 => vec![
            Rule { code: Code::ClusterLabels, check: cluster_labels },
            Rule { code: Code::RunnerInTwoClusters, check: runner_in_two_clusters },
        ],
    };
    let fields = vec![
        Field::required("labels", labels, "runner labels, and the runners behind each"),
        Field::optional(name, Type::MapOf(Rc::new(record)), about),
    ];
    let title = match rules {
        Rules::R2026_08 => "a runner file (rules 2026-08)",
        Rules::R2026_09 => "a runner file (rules 2026-09)",
    };
    object(title, fields, file_rules, false)
}

/// Validates a runner file. `None` when it is refused.
pub fn load_runners<'d>(document: &'d Document, rules: Rules, found: &mut Diagnostics) -> Option<Runners<'d>> {
    let content = match rules {
        Rules::R2026_08 => "`labels` and `hardware`",
        Rules::R2026_09 => "`labels` and `clusters`",
    };
    let root = mapping_root(document, content, found)?;
    if !validate(root, &runners_type(rules), &Path::ROOT, 0..0, found) {
        return None;
    }
    let named = |key: &str| {
        root.get(key)
            .into_iter()
            .flat_map(NodeRef::entries)
            .filter_map(|(name, value)| name.as_str().map(|name| (name, value)))
            .collect::<Vec<_>>()
    };
    let hardware = match rules {
        Rules::R2026_08 => {
            let record = |(name, node): (&str, NodeRef<'d>)| Hardware {
                label: name.to_owned(),
                node,
                path: format!("hardware.{name}"),
            };
            named("hardware").into_iter().map(record).collect()
        }
        Rules::R2026_09 => named("clusters")
            .into_iter()
            .map(|(name, node)| Hardware {
                label: format!("{CLUSTER_PREFIX}{name}"),
                node,
                path: format!("clusters.{name}"),
            })
            .collect(),
    };
    Some(Runners { document, labels: named("labels"), hardware })
}

/// Warns of runners that configs name and no label lists.
pub fn warn_unlisted_runners(configs: &[Config<'_>], runners: &Runners<'_>, found: &mut Diagnostics) {
    let file = runners.document().source().name();
    // Many configs share a runner, and nearness is the slow part.
    let mut near: HashMap<&str, Option<&str>> = HashMap::new();
    for config in configs {
        let Some(runner) = config.node.get("runner") else { continue };
        let Some(name) = runner.as_str().filter(|name| !runners.has_label(name)) else { continue };
        let diagnostic = Diagnostic::warning(
            Code::UnlistedRunner,
            format!("{file} has no label `{name}`, the runner of this config"),
        )
        .at(runner.source(), runner.site())
        .path(Path::ROOT.key(config.key).key("runner").to_string());
        let near = *near.entry(name).or_insert_with(|| suggestion(name, runners.labels()));
        found.push(match near {
            Some(near) => diagnostic
                .help(format!("did you mean `{near}`? If not, add the label: jobs for it would wait for ever")),
            None => diagnostic.help("add the label, or correct the name: jobs for it would wait for ever"),
        });
    }
}

fn entries<'d>(file: Fields<'d>, key: &str) -> Vec<(&'d str, NodeRef<'d>, NodeRef<'d>)> {
    let map = file.get(key).into_iter().flat_map(NodeRef::entries);
    map.filter_map(|(name, value)| Some((name.as_str()?, name, value))).collect()
}

fn cluster_labels<'d>(file: Fields<'d>, found: &mut Vec<Violation<'d>>) {
    let (labels, clusters) = (entries(file, "labels"), entries(file, "clusters"));
    for (name, key, _) in &clusters {
        if !labels.iter().any(|(label, ..)| label.strip_prefix(CLUSTER_PREFIX) == Some(name)) {
            let message = format!("the cluster `{name}` has no label `{CLUSTER_PREFIX}{name}`");
            found.push(
                Violation::new(message, format!("add `{CLUSTER_PREFIX}{name}: […]` with its runners to labels"))
                    .at(Some(*key))
                    .below(format!("clusters.{name}")),
            );
        }
    }
    for (label, key, _) in &labels {
        let Some(name) = label.strip_prefix(CLUSTER_PREFIX) else { continue };
        if !clusters.iter().any(|(cluster, ..)| *cluster == name) {
            let message = format!("the label `{label}` names a cluster that `clusters` does not have");
            let help = format!("add `{name}: {{ gpus-per-node: … }}` to clusters, or correct the label");
            found.push(Violation::new(message, help).at(Some(*key)).below(format!("labels.{label}")));
        }
    }
}

fn runner_in_two_clusters<'d>(file: Fields<'d>, found: &mut Vec<Violation<'d>>) {
    let mut first: HashMap<&str, &str> = HashMap::new();
    for (label, _, list) in entries(file, "labels") {
        if !label.starts_with(CLUSTER_PREFIX) {
            continue;
        }
        for (index, runner) in list.items().enumerate() {
            let Some(name) = runner.as_str() else { continue };
            let other = *first.entry(name).or_insert(label);
            if other != label {
                let message = format!("the runner `{name}` stands in `{other}` and in `{label}`");
                let violation = Violation::new(message, "keep it in the cluster that it belongs to");
                found.push(violation.at(Some(runner)).below(format!("labels.{label}[{index}]")));
            }
        }
    }
}
