//! Rules of the services of a schema 2 recipe.

use super::launch::{git, is_regular_expression};
use super::rules_v2::Job;
use super::telemetry::port;
use super::v2::SERVICE_OPTIONS;
use super::view::{Given, View};
use crate::core::recipe::Tree;

/// Services that may run elsewhere, or on a node of their own.
const INFRASTRUCTURE: [&str; 3] = ["etcd", "nats", "mooncake-master"];
/// Placements on one node of the job.
const SINGLE_NODES: [&str; 3] = ["head", "infra", "dedicated"];

pub(super) fn check(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    let services = view.get("services").and_then(Tree::as_list).unwrap_or_default();
    for (index, _) in services.iter().enumerate().filter(|(_, service)| service.as_map().is_some()) {
        Service { path: format!("services.{index}") }.check(view, index);
    }
    etcd_and_nats_agree(view, services.len());
    stores_need_a_master(view, services.len());
    job_scoped_ports(view, job);
}

struct Service {
    path: String,
}

impl Service {
    fn below(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    fn check(&self, view: &mut View<'_, '_, '_>, index: usize) {
        self.name(view, index);
        let kind = view.text(&self.below("type")).or("generic");
        let node = view.text(&self.below("placement.node")).or("head");
        if let Some(kind) = kind {
            self.by_type(view, kind, node);
            self.options(view, kind);
        }
        self.commands(view);
        self.counts(view);
        self.placement(view, node);
        self.readiness(view);
        self.metrics(view);
        self.terminal(view);
    }

    fn name(&self, view: &mut View<'_, '_, '_>, index: usize) {
        let path = self.below("name");
        let Given::Value(name) = view.text(&path) else { return };
        if name.trim().is_empty() {
            view.broken(&path, "the name of a service is blank", "give it a name");
        }
        if (0..index).any(|earlier| view.text(&format!("services.{earlier}.name")) == Given::Value(name)) {
            view.broken(&path, format!("a service before this one is named `{name}`"), "give each a name of its own");
        }
    }

    fn by_type(&self, view: &mut View<'_, '_, '_>, kind: &str, node: Option<&str>) {
        if kind == "generic" && !view.has(&self.below("command")) && !view.has(&self.below("external")) {
            view.broken(&self.below("command"), "a generic service needs a command", "give its words");
        }
        if view.has(&self.below("external")) && !INFRASTRUCTURE.contains(&kind) {
            let message = format!("a service of type {kind} cannot be external");
            view.broken(&self.below("external"), message, "only etcd, nats and mooncake-master can");
        }
        let path = self.below("placement.node");
        if node == Some("dedicated") && !INFRASTRUCTURE.contains(&kind) {
            let message = format!("a service of type {kind} has no dedicated node");
            view.broken(&path, message, "only etcd, nats and mooncake-master can");
        }
        if let Some(node) = node.filter(|node| matches!(kind, "etcd" | "nats") && !SINGLE_NODES.contains(node)) {
            view.broken(&path, format!("{kind} runs on head, infra or dedicated, found {node}"), "choose one of them");
        }
    }

    fn options(&self, view: &mut View<'_, '_, '_>, kind: &str) {
        let Some((_, known)) = SERVICE_OPTIONS.iter().find(|(name, _)| *name == kind) else { return };
        let options = view.get(&self.below("options")).and_then(Tree::as_map);
        for key in options.iter().flat_map(|map| map.entries()).filter_map(|entry| entry.key.as_str()) {
            if !known.contains(&key) {
                let help = match known.is_empty() {
                    true => "it has none".to_owned(),
                    false => format!("it has {}", known.join(", ")),
                };
                let message = format!("a service of type {kind} has no option `{key}`");
                view.broken(&self.below(&format!("options.{key}")), message, help);
            }
        }
        let payload = self.below("options.max_payload_mb");
        if kind == "nats" && view.get(&payload).is_some() && view.int(&payload).value().is_none_or(|size| size <= 0) {
            view.broken(&payload, "max_payload_mb must be an integer above 0", "give MiB");
        }
        if kind == "mooncake-donor" && !view.has(&self.below("options.size")) {
            view.broken(&self.below("options.size"), "a mooncake-donor needs options.size", "say how much it gives");
        }
    }

    fn commands(&self, view: &mut View<'_, '_, '_>) {
        for key in ["command", "build_command"] {
            let path = self.below(key);
            if view.get(&path).is_some_and(Tree::is_empty_list) {
                view.broken(&path, format!("`{key}` is empty"), "give its words, or remove the key");
            }
        }
        let args = view.get(&self.below("args")).and_then(Tree::as_list).unwrap_or_default();
        for (index, _) in
            args.iter().enumerate().filter(|(_, arg)| arg.as_str().is_some_and(|text| text.trim().is_empty()))
        {
            view.broken(&self.below(&format!("args.{index}")), "the argument is blank", "remove it");
        }
        let source = self.below("source");
        if view.get(&source).and_then(Tree::as_map).is_some() {
            if view.text(&self.below("source.git")).value().is_some_and(|text| text.trim().is_empty()) {
                view.broken(&self.below("source.git"), "`git` is blank", "name the repository");
            }
            git(view, &source);
            let node = view.text(&self.below("placement.node")).or("head");
            if node.is_some_and(|node| !SINGLE_NODES.contains(&node)) {
                view.broken(&source, "a service is built on one node only", "place it on head, infra or dedicated");
            }
        }
    }

    fn counts(&self, view: &mut View<'_, '_, '_>) {
        for key in ["nodes", "cpus_per_task", "build_timeout_seconds"] {
            let path = self.below(key);
            if view.int(&path).value().is_some_and(|count| count <= 0) {
                view.broken(&path, format!("`{key}` must be above 0"), "give a larger number");
            }
        }
    }

    fn placement(&self, view: &mut View<'_, '_, '_>, node: Option<&str>) {
        let pool = self.below("placement.pool");
        let per_worker = view.text(&self.below("placement.per")) == Given::Value("worker");
        if view.has(&pool) && view.has(&self.below("placement.node")) {
            view.broken(&self.below("placement"), "placement has node and pool", "keep one of them");
        }
        if let Given::Value(name) = view.text(&pool) {
            let count = view.get("services").and_then(Tree::as_list).map_or(0, <[Tree<'_>]>::len);
            let is_pool = |at: usize| {
                view.text(&format!("services.{at}.name")) == Given::Value(name)
                    && view.has(&format!("services.{at}.nodes"))
            };
            if !(0..count).any(is_pool) {
                view.broken(&pool, format!("no service `{name}` has nodes"), "name a service that has");
            }
        }
        let is_elsewhere = view.text(&self.below("placement.node")).value().is_some_and(|node| node != "workers");
        if view.has(&self.below("nodes")) && is_elsewhere {
            let message = "a service with nodes is placed on its own workers";
            view.broken(&self.below("nodes"), message, "write placement: {node: workers}, or remove nodes");
        }
        if !per_worker {
            return;
        }
        let per = self.below("placement.per");
        if node.is_some_and(|node| !matches!(node, "prefill" | "decode" | "agg" | "workers")) {
            view.broken(&per, "per worker needs a placement on workers", "place it on prefill, decode, agg or workers");
        }
        if view.has(&pool) || view.has(&self.below("nodes")) {
            view.broken(&per, "per worker excludes pool and nodes", "remove one of them");
        }
        if view.has(&self.below("readiness")) && !view.has(&self.below("readiness.log")) {
            view.broken(&per, "a service per worker is ready by its log", "use readiness.log");
        }
    }

    fn readiness(&self, view: &mut View<'_, '_, '_>) {
        let path = self.below("readiness");
        if view.get(&path).and_then(Tree::as_map).is_none() {
            return;
        }
        let below = |key: &str| format!("{path}.{key}");
        let probes = ["port", "tcp", "http", "log", "file"].into_iter().filter(|key| view.has(&below(key))).count();
        if probes != 1 {
            let message = format!("readiness has {probes} probes, expected one of port, tcp, http, log and file");
            view.broken(&path, message, "keep exactly one");
        }
        for key in ["port", "tcp.port", "http.port"] {
            port(view, &below(key));
        }
        if view.text(&below("http.path")).value().is_some_and(|path| !path.starts_with('/')) {
            view.broken(&below("http.path"), "the path must begin with /", "put a / in front");
        }
        if view.int(&below("http.status")).value().is_some_and(|status| !(100..=599).contains(&status)) {
            view.broken(&below("http.status"), "the status must be 100 to 599", "give an HTTP status");
        }
        if let Given::Value(pattern) = view.text(&below("log.pattern"))
            && !is_regular_expression(pattern)
        {
            let message = format!("`{pattern}` is no regular expression");
            view.broken(&below("log.pattern"), message, "escape what is meant as it stands");
        }
        for key in ["timeout_seconds", "interval_seconds"] {
            if view.int(&below(key)).value().is_some_and(|seconds| seconds <= 0) {
                view.broken(&below(key), format!("`{key}` must be above 0"), "give seconds");
            }
        }
    }

    fn metrics(&self, view: &mut View<'_, '_, '_>) {
        let path = self.below("metrics");
        let Some(tree) = view.get(&path) else { return };
        let single = tree.as_map().is_some();
        let count = if single { 1 } else { tree.as_list().map_or(0, <[Tree<'_>]>::len) };
        let item = |index: usize| if single { path.clone() } else { format!("{path}.{index}") };
        for index in 0..count {
            port(view, &format!("{}.port", item(index)));
            let at = format!("{}.path", item(index));
            if view.text(&at).value().is_some_and(|path| !path.starts_with('/')) {
                view.broken(&at, "the path must begin with /", "put a / in front");
            }
            let name = |index: usize| view.text(&format!("{}.name", item(index))).value();
            if count > 1 && (0..index).any(|earlier| name(earlier) == name(index)) {
                let message = "two metrics of one service have the same name";
                view.broken(&item(index), message, "give each a name of its own");
            }
        }
    }

    fn terminal(&self, view: &mut View<'_, '_, '_>) {
        let path = self.below("terminal");
        if !view.is_on(&path) {
            return;
        }
        if view.text("benchmark.type").or("manual").is_some_and(|kind| kind != "manual") {
            view.broken(&path, "a terminal service needs benchmark.type manual", "remove one of the two");
        }
        if view.has(&self.below("external")) {
            view.broken(&path, "an external service cannot end the job", "remove one of the two");
        }
    }
}

/// The two run side by side: on a node of their own, or both not.
fn etcd_and_nats_agree(view: &mut View<'_, '_, '_>, count: usize) {
    let is = |index: &usize, kind: &str| view.text(&format!("services.{index}.type")) == Given::Value(kind);
    let place = |kind: &str| {
        let index = (0..count).find(|index| is(index, kind))?;
        let path = format!("services.{index}.placement.node");
        let is_dedicated = view.text(&path).or("head")? == "dedicated";
        Some((path, is_dedicated))
    };
    if let (Some((_, etcd)), Some((path, nats))) = (place("etcd"), place("nats"))
        && etcd != nats
    {
        let message = "etcd and nats share a dedicated node, and only one of them asks for it";
        view.broken(&path, message, "place both on dedicated, or neither");
    }
}

fn stores_need_a_master(view: &mut View<'_, '_, '_>, count: usize) {
    let is = |index: usize, kind: &str| view.text(&format!("services.{index}.type")) == Given::Value(kind);
    if (0..count).any(|index| is(index, "mooncake-master")) {
        return;
    }
    for index in (0..count).filter(|index| is(*index, "mooncake-store")).collect::<Vec<_>>() {
        let message = "a mooncake-store needs a service of type mooncake-master";
        view.broken(&format!("services.{index}.type"), message, "add the master");
    }
}

fn job_scoped_ports(view: &mut View<'_, '_, '_>, job: &Job<'_>) {
    let path = "job_scoped_ports";
    if !view.is_on(path) {
        return;
    }
    let connector_is_null = view.get("engine.connector").is_some_and(Tree::is_null);
    let only_agg = view.has("roles.agg") && !job.is_disaggregated;
    let fits = job.engine == Some("vllm")
        && connector_is_null
        && view.text("frontend.type").or("dynamo") == Some("dynamo")
        && only_agg
        && !job.has_sidecar
        && !view.has("engine.failover")
        && !view.has("engine.mooncake_kv_store");
    if !fits {
        let message = "job_scoped_ports needs vllm with connector null, the dynamo frontend, only the agg role, and no sidecar, \
                       failover or mooncake store";
        view.broken(path, message, "remove it, or use that layout");
    }
}
