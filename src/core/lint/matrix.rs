//! What stands in the matrix of a job: as written, or the rows of the configs, or what rows may hold at all.

use super::repository::{Repository, WorkflowFile};
use super::shape::{Known, Shape};
use crate::core::matrix::Row;
use crate::core::workflow::Job;
use crate::core::yaml::{Kind, NodeRef, Value};

/// Fields of rows and points, whatever the configs hold, with their shape in rows of one node and of several.
const FIELDS: &[(&str, Shape, Shape)] = {
    use Shape::{List, Map, Scalar, Unknown};
    &[
        ("image", Scalar, Scalar),
        ("model", Scalar, Scalar),
        ("model-prefix", Scalar, Scalar),
        ("precision", Scalar, Scalar),
        ("framework", Scalar, Scalar),
        ("runner", Scalar, Scalar),
        ("isl", Scalar, Scalar),
        ("osl", Scalar, Scalar),
        ("tp", Scalar, Unknown),
        ("pp", Scalar, Unknown),
        ("ep", Scalar, Unknown),
        ("dcp-size", Scalar, Unknown),
        ("pcp-size", Scalar, Unknown),
        ("attn-dp-size", Scalar, Unknown),
        ("dp-attn", Scalar, Unknown),
        ("conc", Scalar, List),
        ("max-model-len", Scalar, Scalar),
        ("spec-decoding", Scalar, Scalar),
        ("srt-recipe", Scalar, Scalar),
        ("prefill", Unknown, Map),
        ("decode", Unknown, Map),
        ("kv-offloading", Scalar, Scalar),
        ("kv-offload-backend", Map, Map),
        ("kv-p2p-transfer", Scalar, Scalar),
        ("router", Map, Map),
        ("total-cpu-dram-gb", Scalar, Scalar),
        ("duration", Scalar, Scalar),
        ("exp-name", Scalar, Scalar),
        ("disagg", Scalar, Scalar),
        ("scenario-type", Scalar, Scalar),
        ("run-eval", Scalar, Scalar),
        ("eval-only", Scalar, Scalar),
        ("eval-framework", Scalar, Scalar),
        ("eval-suite", Scalar, Scalar),
        ("eval-conc", Scalar, Scalar),
        ("node-count", Scalar, Scalar),
        ("config-key", Scalar, Scalar),
        ("key", Scalar, Scalar),
        ("fingerprint", Scalar, Scalar),
        ("lane", Scalar, Scalar),
        ("runs-on", List, List),
        ("source", Map, Map),
        ("recipe-fingerprint", Scalar, Scalar),
        ("priority", Scalar, Scalar),
        ("queue-token", Scalar, Scalar),
        ("skip-queue-pr", Scalar, Scalar),
    ]
};

/// How many fields must be known for the rest to be taken for mistakes.
const ENOUGH_FIELDS: usize = 3;

/// A reference to the matrix inside of a job: the steps behind `matrix`, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct MatrixUse {
    /// The job, as an index.
    pub(super) job: usize,
    /// The site, as an index into the file's.
    pub(super) site: usize,
    /// The steps behind `matrix.`, in lower case.
    pub(super) path: Vec<String>,
    /// Its bytes in the text of the site.
    pub(super) span: std::ops::Range<usize>,
}

/// Every reference to a matrix in a workflow.
pub(super) fn matrix_uses(file: &WorkflowFile<'_>) -> Vec<MatrixUse> {
    let mut uses = Vec::new();
    for (index, site) in file.sites.iter().enumerate() {
        let Some(job) = site.job else { continue };
        for expression in site.expressions() {
            let mut inside = 0..0;
            for node in expression.nodes() {
                // Of `matrix.a.b` the nodes `matrix.a` and `matrix` come behind it.
                let span = node.span();
                if span.start >= inside.start && span.end <= inside.end {
                    continue;
                }
                let Some(reference) = node.reference() else { continue };
                let mut steps = reference.split('.').map(str::to_ascii_lowercase);
                if steps.next().as_deref() == Some("matrix") {
                    inside = span.clone();
                    uses.push(MatrixUse { job, site: index, path: steps.collect(), span });
                }
            }
        }
    }
    uses
}

/// What a reference such as `matrix.config` stands for.
pub(super) enum MatrixVector<'r, 'd> {
    /// Values as they are written, an item for each leg.
    Written(Vec<NodeRef<'d>>),
    /// Rows of the configs. `decided` tells whether it is known how many nodes they are for.
    Rows {
        rows: Vec<&'r Row<'d>>,
        lane: Option<bool>,
        /// How many steps of a reference lead to a row: 1 for `matrix.config.tp`, 0 for `matrix.tp`.
        depth: usize,
    },
    /// The matrix is written out, and has no such vector.
    Missing(Vec<&'d str>),
}

impl<'r, 'd> MatrixVector<'r, 'd> {
    /// What `matrix.<vector>` is in a job; `None` where nobody knows.
    pub(super) fn of(
        repository: &'r Repository<'d>,
        file: &'r WorkflowFile<'d>,
        job: &Job<'d>,
        vector: &str,
    ) -> Option<Self> {
        let matrix = job.strategy?.matrix?;
        let is_dynamic = |node: NodeRef<'_>| node.as_str().is_some_and(|text| text.contains("${{"));
        if is_dynamic(matrix) {
            return Self::rows(repository, file, job, None);
        }
        let include = matrix.get("include");
        if include.is_some_and(is_dynamic) {
            return match matrix.entries().len() {
                1 => Self::rows(repository, file, job, None),
                _ => None,
            };
        }
        let mut written: Vec<NodeRef<'d>> = Vec::new();
        let mut names: Vec<&'d str> = Vec::new();
        for (key, value) in matrix.entries() {
            let name = key.scalar_text().unwrap_or_default();
            match name {
                "include" => {
                    for (name, value) in value.items().flat_map(NodeRef::entries) {
                        let name = name.scalar_text().unwrap_or_default();
                        names.push(name);
                        if name.eq_ignore_ascii_case(vector) {
                            written.push(value);
                        }
                    }
                    if value.items().any(is_dynamic) {
                        return None;
                    }
                }
                "exclude" => {}
                _ => {
                    names.push(name);
                    if name.eq_ignore_ascii_case(vector) {
                        if is_dynamic(value) {
                            return Self::rows(repository, file, job, Some(vector));
                        }
                        written.extend(value.items());
                    }
                }
            }
        }
        if names.iter().any(|name| name.eq_ignore_ascii_case(vector)) {
            return Some(Self::Written(written));
        }
        names.dedup();
        Some(Self::Missing(names))
    }

    fn rows(
        repository: &'r Repository<'d>,
        file: &'r WorkflowFile<'d>,
        job: &Job<'d>,
        vector: Option<&str>,
    ) -> Option<Self> {
        let index = file.workflow.jobs.iter().position(|other| other.id == job.id)?;
        let JobRows { rows, is_multinode, .. } = JobRows::of_vector(repository, file, index, vector)?;
        Some(Self::Rows { rows, lane: is_multinode, depth: usize::from(vector.is_some()) })
    }

    /// The shape of a value below it. `path` is what stands behind `matrix`.
    pub(super) fn shape(&self, path: &[&str]) -> Option<Known> {
        let (shape, because) = match self {
            Self::Missing(_) => return None,
            Self::Written(items) => {
                let (item, value) = items
                    .iter()
                    .find_map(|item| Some((*item, follow(*item, path.get(1..)?)?)).filter(is_collection))?;
                let line = item.source().position(value.site().start).line;
                (shape_of_node(value), format!("line {line} gives {}", preview(value)))
            }
            Self::Rows { rows, lane, depth } => {
                let Some((field, below)) = path.get(*depth..)?.split_first() else {
                    return Some(Known { shape: Shape::Map, because: "a whole row".to_owned() });
                };
                let found = |row: &&&'r Row<'d>| {
                    let value = below.iter().try_fold(row.get(field)?, |value, step| value.get(step))?;
                    Some(shape_of_value(value)).filter(|shape| *shape != Shape::Unknown)
                };
                let shapes: Vec<Shape> = rows.iter().filter_map(|row| found(&row)).collect();
                let collections = shapes.iter().filter(|shape| shape.is_collection()).count();
                match shapes.iter().find(|shape| shape.is_collection()) {
                    Some(shape) if lane.is_some() || collections == shapes.len() => {
                        let shape = *shape;
                        (
                            shape,
                            format!("{collections} of {} rows of the configs have {} there", rows.len(), shape.noun()),
                        )
                    }
                    Some(_) => return None,
                    None if shapes.is_empty() => {
                        let field = FIELDS.iter().find(|(name, ..)| name == field).filter(|_| below.is_empty())?;
                        let shape = match lane {
                            Some(true) => field.2,
                            Some(false) => field.1,
                            None if field.1 == field.2 => field.1,
                            None => Shape::Unknown,
                        };
                        (shape, format!("the field `{}` of a row is {}", field.0, shape.noun()))
                    }
                    None => (Shape::Scalar, String::new()),
                }
            }
        };
        Some(Known { shape, because })
    }
}

/// A job whose matrix is rows of the configs, and what it reads of them.
pub(super) struct JobRows<'r, 'd> {
    /// The fields that it reads, each once, in lower case.
    pub(super) fields: Vec<&'r str>,
    /// Whether it passes whole rows on.
    pub(super) takes_whole: bool,
    /// Whether its rows are for several nodes, where the fields tell.
    pub(super) is_multinode: Option<bool>,
    /// Whether its rows replay agents, where the fields tell.
    pub(super) is_agentic: Option<bool>,
    /// The rows of the configs that it may get; none where there are no configs.
    pub(super) rows: Vec<&'r Row<'d>>,
}

impl<'r, 'd> JobRows<'r, 'd> {
    /// The rows of a job; `None` where its matrix is something else.
    pub(super) fn of(repository: &'r Repository<'d>, file: &'r WorkflowFile<'d>, index: usize) -> Option<Self> {
        let matrix = file.workflow.jobs.get(index)?.strategy?.matrix?;
        let is_dynamic = |node: NodeRef<'_>| node.as_str().is_some_and(|text| text.contains("${{"));
        if is_dynamic(matrix) || matrix.get("include").is_some_and(is_dynamic) && matrix.entries().len() == 1 {
            return Self::of_vector(repository, file, index, None);
        }
        let mut vectors =
            matrix.entries().filter(|(_, value)| is_dynamic(*value)).filter_map(|(key, _)| key.scalar_text());
        vectors.find_map(|vector| Self::of_vector(repository, file, index, Some(vector)))
    }

    /// Whether the fields that the job reads of `matrix.<vector>` are those of rows, and of which.
    fn of_vector(
        repository: &'r Repository<'d>,
        file: &'r WorkflowFile<'d>,
        index: usize,
        vector: Option<&str>,
    ) -> Option<Self> {
        let depth = usize::from(vector.is_some());
        let mut fields: Vec<&'r str> = Vec::new();
        let mut takes_whole = false;
        for used in file.matrix_uses().iter().filter(|used| used.job == index) {
            let of_vector =
                vector.is_none_or(|vector| used.path.first().is_some_and(|v| v.eq_ignore_ascii_case(vector)));
            match used.path.get(depth) {
                Some(field) if of_vector && !fields.contains(&field.as_str()) => fields.push(field),
                None => takes_whole = true,
                _ => {}
            }
        }
        let known = fields.iter().filter(|field| is_field(field)).count();
        if known < ENOUGH_FIELDS || known * 2 <= fields.len() {
            return None;
        }
        let has = |wanted: &[&str]| wanted.iter().any(|field| fields.contains(field));
        let either = |yes: bool, no: bool| (yes != no).then_some(yes);
        let is_multinode = either(has(&["prefill", "decode"]), has(&["tp", "ep"]));
        let is_agentic = either(has(&["kv-offloading", "duration", "total-cpu-dram-gb"]), has(&["isl", "osl"]));
        let fits = |row: &&Row<'d>| {
            is_multinode.is_none_or(|multi| row.is_multinode() == multi)
                && is_agentic.is_none_or(|agentic| row.is_agentic() == agentic)
        };
        let rows = repository.rows().iter().filter(fits).collect();
        Some(Self { fields, takes_whole, is_multinode, is_agentic, rows })
    }

    /// Whether every row has the field; without configs, whether rows of that kind always do.
    pub(super) fn is_everywhere(&self, field: &str) -> bool {
        const ALWAYS: [&str; 8] =
            ["image", "model", "model-prefix", "precision", "framework", "runner", "spec-decoding", "exp-name"];
        if !self.rows.is_empty() {
            return self.rows.iter().all(|row| row.get(field).is_some_and(|value| *value != Value::Null));
        }
        let always =
            |fields: &[&str], kind: Option<bool>, wanted: bool| kind == Some(wanted) && fields.contains(&field);
        ALWAYS.contains(&field)
            || field == "conc"
            || always(&["tp", "pp", "ep", "dp-attn", "dcp-size", "pcp-size"], self.is_multinode, false)
            || always(&["prefill", "decode"], self.is_multinode, true)
            || always(&["isl", "osl", "max-model-len"], self.is_agentic, false)
            || always(&["kv-offloading", "total-cpu-dram-gb", "duration", "scenario-type"], self.is_agentic, true)
    }
}

/// Whether rows may hold a field of this name, whatever the configs are.
pub(super) fn is_field(name: &str) -> bool {
    FIELDS.iter().any(|(field, ..)| *field == name)
}

/// The names of all fields that rows may hold.
pub(super) fn field_names() -> impl Iterator<Item = &'static str> + Clone {
    FIELDS.iter().map(|(field, ..)| *field)
}

fn is_collection(found: &(NodeRef<'_>, NodeRef<'_>)) -> bool {
    shape_of_node(found.1).is_collection()
}

/// The value at the end of a path of keys; `None` where there is none.
pub(super) fn follow<'d>(node: NodeRef<'d>, path: &[&str]) -> Option<NodeRef<'d>> {
    path.iter().try_fold(node, |node, step| {
        node.entries()
            .find(|(key, _)| key.scalar_text().is_some_and(|key| key.eq_ignore_ascii_case(step)))
            .map(|(_, value)| value)
    })
}

fn shape_of_node(node: NodeRef<'_>) -> Shape {
    match node.kind() {
        Kind::List => Shape::List,
        Kind::Map => Shape::Map,
        Kind::Str(text) if text.contains("${{") => Shape::Unknown,
        _ => Shape::Scalar,
    }
}

fn shape_of_value(value: &Value<'_>) -> Shape {
    match value {
        Value::List(_) => Shape::List,
        Value::Map(_) => Shape::Map,
        // Absent as much as anything.
        Value::Null => Shape::Unknown,
        _ => Shape::Scalar,
    }
}

/// The start of a value, on one line.
fn preview(node: NodeRef<'_>) -> String {
    const CHARACTERS: usize = 40;
    let text = node.source().text()[node.span()].split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(CHARACTERS) {
        Some((at, _)) => format!("`{}…`", &text[..at]),
        None => format!("`{text}`"),
    }
}
