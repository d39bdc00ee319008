//! How many nodes a multi-node job takes (rules 2026-09).

use super::Inputs;
use super::dram::footprint;
use super::row::{Entry, Row};
use crate::core::diag::{Code, Diagnostic};
use crate::core::num::Num;
use crate::core::recipe::node_count_of;
use crate::core::schema::lax_int;
use crate::core::yaml::{NodeRef, Value};

/// The nodes of a row: `num-nodes` of an aggregate entry; else what its recipe says; else what its workers need.
pub(super) fn node_count<'d>(row: &Row<'d>, inputs: &Inputs<'d, '_>) -> Result<Value<'d>, Diagnostic> {
    let entry = row.entry;
    if entry.given("worker").is_some() {
        return Ok(entry.given("num-nodes").unwrap_or(Value::Null));
    }
    let prefill_nodes = override_of(&entry, "PREFILL_NODES")?;
    let decode_nodes = override_of(&entry, "DECODE_NODES")?;
    if let Some(reference) = recipe_reference(&entry)?
        && let Some(count) = recipe_nodes(reference, inputs)
    {
        return Ok(Value::Int(count));
    }
    let mut total = Num::Int(0);
    for (role, overridden) in [("prefill", prefill_nodes), ("decode", decode_nodes)] {
        let count = match overridden {
            Some(count) => count,
            None => worker_nodes(row, role, inputs)?,
        };
        total = total.plus(&count);
    }
    Ok(total.into_value())
}

fn recipe_nodes(reference: &str, inputs: &Inputs<'_, '_>) -> Option<i64> {
    let (path, selector) = match reference.split_once(':') {
        Some((path, selector)) => (path, (!selector.is_empty()).then_some(selector)),
        None => (reference, None),
    };
    let source = inputs.recipes.recipe(path)?;
    node_count_of(&source, selector)
}

/// `NAME=value` settings of an entry's workers: the value and the node it stands in.
fn settings<'d>(entry: &Entry<'d>, name: &str) -> impl Iterator<Item = (&'d str, NodeRef<'d>, String)> {
    let roles = ["prefill", "decode", "worker"].into_iter();
    let prefix = format!("{name}=");
    let node = entry.node;
    roles.flat_map(move |role| {
        let prefix = prefix.clone();
        let list = node.get(role).and_then(|worker| worker.get("additional-settings"));
        list.into_iter().flat_map(NodeRef::items).enumerate().filter_map(move |(index, item)| {
            let value = item.as_str()?.strip_prefix(&prefix)?;
            Some((value, item, format!("{role}.additional-settings[{index}]")))
        })
    })
}

/// The recipe that `CONFIG_FILE=` names, if any. Two different ones are an error.
pub(super) fn recipe_reference<'d>(entry: &Entry<'d>) -> Result<Option<&'d str>, Diagnostic> {
    let mut chosen: Option<(&'d str, NodeRef<'d>)> = None;
    for (value, item, below) in settings(entry, "CONFIG_FILE") {
        match chosen {
            Some((earlier, first)) if earlier != value => {
                let message = format!("CONFIG_FILE is `{value}` here and `{earlier}` before");
                return Err(refused(entry, item, &below, message)
                    .related(first.source(), first.site(), "before")
                    .help("name one recipe for all workers of the entry"));
            }
            _ => chosen = Some((value, item)),
        }
    }
    Ok(chosen.map(|(value, _)| value))
}

fn override_of(entry: &Entry<'_>, name: &str) -> Result<Option<Num>, Diagnostic> {
    let mut chosen: Option<(Num, NodeRef<'_>)> = None;
    for (value, item, below) in settings(entry, name) {
        let digits = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
        let number = digits.then(|| value.parse::<i64>().ok()).flatten().filter(|number| *number > 0).map(Num::Int);
        let Some(number) = number else {
            let message = format!("{name} is `{value}`, expected a number of nodes above 0");
            return Err(refused(entry, item, &below, message).help(format!("write {name}=1 or more, or remove it")));
        };
        if let Some((earlier, first)) = chosen.filter(|(earlier, _)| *earlier != number) {
            let message = format!("{name} is {number} here and {earlier} before");
            return Err(refused(entry, item, &below, message)
                .related(first.source(), first.site(), "before")
                .help("keep one of the two"));
        }
        chosen = Some((number, item));
    }
    Ok(chosen.map(|(number, _)| number))
}

fn refused(entry: &Entry<'_>, item: NodeRef<'_>, below: &str, message: String) -> Diagnostic {
    Diagnostic::error(Code::NodeCount, message).at(item.source(), item.site()).path(entry.path(below))
}

/// `ceil(num-worker · tp · pp · pcp-size / gpus-per-node)`
fn worker_nodes(row: &Row<'_>, role: &'static str, inputs: &Inputs<'_, '_>) -> Result<Num, Diagnostic> {
    let entry = row.entry;
    let worker = entry.node.get(role);
    let number = worker.and_then(|worker| worker.get("num-worker")).map_or(Value::Int(0), Value::of);
    let number = entry.number(&format!("{role}.num-worker"), &number)?;
    let gpus = number.times(&footprint(&entry, role)?);
    let per_node = gpus_per_node(row, role, inputs)?;
    let (Some(gpus), Some(per_node)) = (gpus.as_integer(), per_node.as_integer()) else { return Ok(Num::Int(0)) };
    let rounded_up = (gpus + &per_node - 1) / per_node;
    Ok(i64::try_from(&rounded_up).map_or(Num::Big(rounded_up), Num::Int))
}

/// From the worker's `hardware` label, or the runner of the row: its own record, or what all records of its family say.
fn gpus_per_node(row: &Row<'_>, role: &str, inputs: &Inputs<'_, '_>) -> Result<Num, Diagnostic> {
    let entry = row.entry;
    let hardware = entry.node.get(role).and_then(|worker| worker.get("hardware")).and_then(NodeRef::as_str);
    let config_runner = entry.config.node.get("runner").and_then(NodeRef::as_str).unwrap_or_default();
    let labels = match hardware {
        Some(label) => vec![label],
        None => vec![row.text("runner"), config_runner],
    };
    let count = |node: NodeRef<'_>| node.get("gpus-per-node").and_then(lax_int);
    if let Some(record) = labels.iter().find_map(|label| inputs.runners.hardware_of(label)) {
        return count(record.node).ok_or_else(|| unknown(&entry, role, labels[0]));
    }
    let family_counts = labels.iter().find_map(|label| {
        let records = inputs.runners.hardware().iter().filter(|record| family(&record.label) == family(label));
        let counts: Vec<Num> = records.filter_map(|record| count(record.node)).collect();
        let agree = counts.windows(2).all(|pair| pair[0] == pair[1]);
        counts.into_iter().next().filter(|_| agree)
    });
    family_counts.ok_or_else(|| unknown(&entry, role, labels[0]))
}

/// `gb200` of `cluster:gb200-nv`, `gb200` and `gb200-nv_00`.
fn family(label: &str) -> &str {
    let label = label.strip_prefix("cluster:").unwrap_or(label);
    label.split('-').next().unwrap_or(label)
}

fn unknown(entry: &Entry<'_>, role: &str, label: &str) -> Diagnostic {
    entry
        .error(Code::HardwareUnknown, role, format!("the GPUs per node of `{label}` are not known"))
        .help("add a cluster with gpus-per-node for this label or its family to the runner file")
}
