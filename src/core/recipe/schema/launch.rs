//! Rules of what surrounds the job of a schema 2 recipe: Dynamo's source, set-up, evaluation, profiling by nsys.

use super::view::{Given, View};
use crate::core::recipe::Tree;

pub(super) fn check(view: &mut View<'_, '_, '_>) {
    dynamo_source(view);
    dynamo_sidecar(view);
    host_setup(view);
    post_eval(view);
    nsys(view);
    for (index, pattern) in texts(view, "health_check.extra_fatal_log_patterns") {
        if !is_regular_expression(pattern) {
            let path = format!("health_check.extra_fatal_log_patterns.{index}");
            view.broken(&path, format!("`{pattern}` is no regular expression"), "escape what is meant as it stands");
        }
    }
    let interval = "reporting.status.logging-stream-interval";
    if view.num(interval).value().is_some_and(|seconds| seconds <= 0.0) {
        view.broken(interval, "the interval must be above 0", "give seconds");
    }
}

/// The texts of a list, each with its index.
fn texts<'t>(view: &View<'t, '_, '_>, path: &str) -> Vec<(usize, &'t str)> {
    let items = view.get(path).and_then(Tree::as_list).unwrap_or_default();
    items.iter().enumerate().filter_map(|(index, item)| Some((index, item.as_str()?))).collect()
}

fn dynamo_source(view: &mut View<'_, '_, '_>) {
    let path = "dynamo.source";
    if view.get(path).and_then(Tree::as_map).is_none() {
        return;
    }
    let below = |key: &str| format!("{path}.{key}");
    for key in ["git", "rev", "pypi", "wheel"] {
        if view.text(&below(key)).value().is_some_and(|text| text.trim().is_empty()) {
            view.broken(&below(key), format!("`{key}` is blank"), "give a value, or remove the key");
        }
    }
    let from_git = view.has(&below("git")) || view.has(&below("rev"));
    let sources = [from_git, view.has(&below("pypi")), view.has(&below("wheel"))];
    match sources.iter().filter(|given| **given).count() {
        1 => {}
        0 => view.broken(path, "dynamo.source names no source", "give git with rev, pypi or wheel"),
        _ => view.broken(path, "dynamo.source names several sources", "keep one of git with rev, pypi and wheel"),
    }
    if view.is_on("dynamo.top_of_tree") {
        view.broken("dynamo.top_of_tree", "top_of_tree and dynamo.source exclude each other", "keep one of them");
    }
    if from_git {
        git(view, path);
    } else {
        for key in ["sha", "patches"] {
            let given = view.get(&below(key)).is_some_and(|tree| !tree.is_null() && !tree.is_empty_list());
            if given {
                view.broken(&below(key), format!("`{key}` is for a git source"), "remove it");
            }
        }
    }
}

/// A revision that stays the same, and a commit that is one.
pub(super) fn git(view: &mut View<'_, '_, '_>, path: &str) {
    let below = |key: &str| format!("{path}.{key}");
    match view.text(&below("rev")) {
        Given::Absent => view.broken(&below("rev"), "a git source needs `rev`", "name the commit or tag"),
        Given::Value(rev) if matches!(rev, "main" | "master" | "HEAD") => {
            view.broken(&below("rev"), format!("the rev `{rev}` moves"), "name a commit or a tag");
        }
        _ => {}
    }
    if let Given::Value(sha) = view.text(&below("sha")) {
        let is_hex = sha.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if !is_hex || !(4..=40).contains(&sha.len()) {
            view.broken(&below("sha"), format!("`{sha}` is no commit"), "give 4 to 40 hex digits in lower case");
        }
    }
}

fn dynamo_sidecar(view: &mut View<'_, '_, '_>) {
    super::telemetry::port(view, "dynamo.sidecar_port");
    for key in ["dynamo.sidecar_startup_timeout", "dynamo.sidecar_context_length"] {
        if view.int(key).value().is_some_and(|value| value < 1) {
            view.broken(key, format!("{key} must be 1 or more"), "give such a number");
        }
    }
    if view.text("dynamo.sidecar_binary").value().is_some_and(|text| text.trim().is_empty()) {
        view.broken("dynamo.sidecar_binary", "dynamo.sidecar_binary is blank", "give a path, or remove the key");
    }
}

fn host_setup(view: &mut View<'_, '_, '_>) {
    for key in ["commands", "teardown"] {
        for (index, command) in texts(view, &format!("host_setup.{key}")) {
            if command.trim().is_empty() {
                view.broken(&format!("host_setup.{key}.{index}"), "the command is blank", "remove it");
            }
        }
    }
    if view.int("host_setup.timeout_seconds").value().is_some_and(|seconds| seconds < 1) {
        view.broken("host_setup.timeout_seconds", "timeout_seconds must be 1 or more", "give seconds");
    }
}

fn post_eval(view: &mut View<'_, '_, '_>) {
    for (index, name) in texts(view, "post_eval.passthrough_env") {
        let is_name = !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !is_name {
            let path = format!("post_eval.passthrough_env.{index}");
            view.broken(&path, format!("`{name}` is no name of a variable"), "give names without values");
        }
    }
    if view.get("post_eval.command").is_some_and(Tree::is_empty_list) {
        view.broken("post_eval.command", "the command is empty", "give its words, or remove the key");
    }
}

fn nsys(view: &mut View<'_, '_, '_>) {
    let path = "observability.nsys";
    if view.get(path).and_then(Tree::as_map).is_none() {
        return;
    }
    let below = |key: &str| format!("{path}.{key}");
    if view.int(&below("report_timeout_secs")).or(1800).is_some_and(|seconds| seconds <= 0) {
        view.broken(&below("report_timeout_secs"), "report_timeout_secs must be above 0", "give seconds");
    }
    if view.text(&below("nvtx_injection_path")).value().is_some_and(|path| !path.starts_with('/')) {
        view.broken(&below("nvtx_injection_path"), "nvtx_injection_path must be absolute", "start it with /");
    }
    let measures = view.is_on("observability.enabled")
        && view.flag(&below("enabled")).or(true) == Some(true)
        && view.text("profiling.type").or("none") == Some("none")
        && view.text(&below("capture_window")).or("measured_workload") == Some("measured_workload");
    if measures {
        measured_workload(view);
    }
}

/// nsys captures from the first request on, so the benchmark must be one with a known start.
fn measured_workload(view: &mut View<'_, '_, '_>) {
    const KNOWN: [&str; 6] = ["sa-bench", "sglang-bench", "trace-replay", "mooncake-router", "custom", "manual"];
    let Some(kind) = view.text("benchmark.type").or("manual") else { return };
    if !KNOWN.contains(&kind) {
        let message = format!("nsys cannot find the measured workload of benchmark.type {kind}");
        view.broken("observability.nsys.capture_window", message, "write including_startup, or turn nsys off");
    }
    if !matches!(kind, "trace-replay" | "mooncake-router") {
        return;
    }
    let Some(args) = view.get("benchmark.aiperf_args").and_then(Tree::as_map) else { return };
    for entry in args.entries() {
        let Some(key) = entry.key.as_str() else { continue };
        let is_warmup = key.starts_with("warmup-") || key.starts_with("num-warmup-");
        let is_off = super::coerce::boolean(&entry.value) == Some(false);
        if is_warmup && !is_off {
            let message = format!("`{key}` adds requests before the measured workload that nsys would capture");
            view.broken(&format!("benchmark.aiperf_args.{key}"), message, "remove it, or write including_startup");
        }
    }
}

/// Whether brackets are closed and nothing is repeated that is not there. Python's own compiler has the last word.
pub(super) fn is_regular_expression(pattern: &str) -> bool {
    let mut open = 0_i32;
    let mut can_repeat = false;
    let mut characters = pattern.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                if characters.next().is_none() {
                    return false;
                }
                can_repeat = true;
            }
            '[' => {
                if characters.peek() == Some(&'^') {
                    characters.next();
                }
                let mut first = true;
                loop {
                    match characters.next() {
                        None => return false,
                        Some('\\') => drop(characters.next()),
                        Some(']') if !first => break,
                        Some(_) => {}
                    }
                    first = false;
                }
                can_repeat = true;
            }
            '(' => {
                open += 1;
                can_repeat = false;
                if characters.peek() == Some(&'?') {
                    characters.next();
                }
            }
            ')' => {
                open -= 1;
                can_repeat = true;
            }
            '|' => can_repeat = false,
            '*' | '+' | '?' if !can_repeat => return false,
            '^' | '$' => can_repeat = c == '$',
            _ => can_repeat = true,
        }
        if open < 0 {
            return false;
        }
    }
    open == 0
}

#[cfg(test)]
mod tests {
    use super::is_regular_expression;

    #[test]
    fn patterns() {
        for pattern in ["", "a.*b", "[]a]+", r"\[x\]", "(a|b)?", "CUDA error: .+", "a{2,3}", "(?i)oom", "^x$", "a+?"] {
            assert!(is_regular_expression(pattern), "{pattern}");
        }
        for pattern in ["(", ")", "[a", "*a", "a|*", "\\", "(+)"] {
            assert!(!is_regular_expression(pattern), "{pattern}");
        }
    }
}
