//! Laws of the comparison, and the pairs that a reviewer expects.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::core::config::{Rules, load_runners, merge_masters};
use crate::core::diag::{Diagnostics, Source};
use crate::core::matrix::{Filters, Inputs, NoRecipes, Options, Selection, generate, points_to_compare};
use crate::core::yaml::{Document, Schema, parse};

const RUNNERS: &str =
    "labels: {r: [r_0], 'cluster:r': [r_0]}\nclusters: {r: {gpus-per-node: 8, available-cpu-dram-mib: 1000}}\n";

fn document(text: &str) -> Document {
    parse(&Source::new("f.yaml", text), Schema::V11, &mut Diagnostics::new()).unwrap()
}

/// The difference of two master configs, handed on while they are there.
fn with_diff<T>(base: &str, head: &str, use_it: impl FnOnce(&Diff<'_, '_>) -> T) -> T {
    let (base, head, runners) = (document(base), document(head), document(RUNNERS));
    let points = |master| {
        let mut found = Diagnostics::new();
        let configs = merge_masters(&[master], Rules::R2026_09, &mut found).unwrap_or_else(|| panic!("{found:?}"));
        let runners = load_runners(&runners, Rules::R2026_09, &mut found).unwrap();
        let options = Options::new(Rules::R2026_09, Selection::FullSweep(Filters::default()));
        let inputs = Inputs { configs: &configs, runners: &runners, recipes: &NoRecipes };
        points_to_compare(generate(&inputs, &options, &mut found).unwrap(), &mut found)
    };
    use_it(&diff(&points(&base), &points(&head)))
}

/// `2 added, 1 removed; a>b: config-key,image`, in short what a difference is.
fn told(base: &str, head: &str) -> String {
    with_diff(base, head, |diff| {
        let mut text = format!("+{} -{}", diff.added.len(), diff.removed.len());
        let mut changes: Vec<(String, usize)> = Vec::new();
        for change in &diff.changed {
            let keys = [change.before, change.after].map(|point| point.row.entry.config.key);
            let line = format!("{}>{}: {}", keys[0], keys[1], change.fields.join(","));
            match changes.iter_mut().find(|(known, _)| *known == line) {
                Some((_, count)) => *count += 1,
                None => changes.push((line, 1)),
            }
        }
        changes.iter().for_each(|(line, count)| {
            let _ = write!(text, "; {count} {line}");
        });
        text
    })
}

fn single(key: &str, image: &str, entries: &[&str]) -> String {
    format!(
        "{key}: {{image: {image}, model: m, model-prefix: p, runner: r, precision: fp8, framework: sglang, multinode: false, \
         scenarios: {{fixed-seq-len: [{{isl: 1024, osl: 1024, search-space: [{}]}}]}}}}\n",
        entries.join(", ")
    )
}

fn multi(key: &str, lists: &[(&str, &str)]) -> String {
    let entries: Vec<String> = lists
        .iter()
        .map(|(list, recipe)| {
            format!(
                "{{conc-list: [{list}], prefill: {{num-worker: 1, tp: 4, ep: 1, dp-attn: false, \
                 additional-settings: ['CONFIG_FILE={recipe}']}}, decode: {{num-worker: 2, tp: 8, ep: 1, dp-attn: false}}}}"
            )
        })
        .collect();
    single(key, "i", &[&entries.join(", ")])
        .replace("multinode: false", "multinode: true, disagg: true, kv-p2p-transfer: nixl")
}

const LADDER: &str = "{tp: 8, conc-list: [4, 8, 16]}";

#[test]
fn what_stays_the_same_is_no_change_wherever_it_stands() {
    let (a, b) = (single("a", "i", &[LADDER]), single("b", "j", &[LADDER]));
    assert_eq!(told(&format!("{a}{b}"), &format!("# moved\n{b}{a}")), "+0 -0");
}

#[test]
fn a_rung_of_its_own_job_comes_and_goes_as_a_point() {
    let head = single("a", "i", &["{tp: 8, conc-list: [4, 8, 32]}"]);
    assert_eq!(told(&single("a", "i", &[LADDER]), &head), "+1 -1");
}

#[test]
fn a_list_that_one_job_measures_changes_with_its_own_recipe() {
    let base = multi("a", &[("4, 8", "one"), ("16", "two")]);
    assert_eq!(told(&base, &multi("a", &[("32", "two"), ("4", "one")])), "+0 -0; 2 a>a: conc");
    let renamed = told(&base, &multi("b", &[("32", "two"), ("4, 8", "one")]));
    assert_eq!(renamed, "+0 -0; 1 a>b: config-key,conc; 1 a>b: config-key");
    let replaced = told(&base, &multi("a", &[("4", "three"), ("16", "two")]));
    assert_eq!(replaced, "+0 -0; 1 a>a: prefill.additional-settings,conc,srt-recipe");
}

#[test]
fn a_renamed_key_is_known_again_also_when_more_changes() {
    let base = single("a", "i", &[LADDER]);
    assert_eq!(told(&base, &single("b", "i", &[LADDER])), "+0 -0; 3 a>b: config-key");
    assert_eq!(told(&base, &single("b", "j", &[LADDER])), "+0 -0; 3 a>b: config-key,image");
    assert_eq!(told(&base, &single("b", "j", &["{tp: 8, conc-list: [4, 8]}"])), "+0 -1; 2 a>b: config-key,image");
    // Another precision is another config.
    assert_eq!(told(&base, &single("b", "i", &[LADDER]).replace("fp8", "fp4")), "+3 -3");
    // The one that is wholly the same, not the one that comes first.
    let two = format!("{}{}", single("b", "j", &[LADDER]), single("c", "i", &[LADDER]));
    assert_eq!(told(&base, &two), "+3 -0; 3 a>c: config-key");
    // An entry that moves to a config that is already there.
    let split = ["{tp: 8, conc-list: [4]}", "{tp: 4, conc-list: [4]}"];
    let before = format!("{}{}", single("a", "i", &split), single("b", "i", &["{tp: 2, conc-list: [4]}"]));
    let after =
        format!("{}{}", single("a", "i", &split[..1]), single("b", "i", &[split[1], "{tp: 2, conc-list: [4]}"]));
    assert_eq!(told(&before, &after), "+0 -0; 1 a>b: config-key");
}

#[test]
fn an_eval_mark_that_moves_is_a_change_of_the_mark() {
    let long =
        |list: &str| single("a", "i", &[&format!("{{tp: 8, conc-list: [{list}]}}")]).replace("isl: 1024", "isl: 8192");
    // The median of three is 32, of four 64.
    let marks = told(&long("16, 32, 64"), &long("16, 32, 64, 128"));
    assert_eq!(marks, "+1 -0; 1 a>a: run-eval,eval-framework,eval-suite");
}

#[test]
fn rows_that_share_a_key_are_compared_one_by_one() {
    let entries = |image: &str| {
        let same = "{tp: 8, conc-list: [4], router: {name: x, version: '1'}}, {tp: 8, conc-list: [4], router: {name: y, version: '1'}}";
        single("a", image, &[same])
    };
    assert_eq!(told(&entries("i"), &entries("i")), "+0 -0");
    assert_eq!(told(&entries("i"), &entries("j")), "+0 -0; 2 a>a: image");
}

#[test]
fn gpus_and_hours_follow_from_topology_and_duration() {
    let agentic = "a: {image: i, model: m, model-prefix: p, runner: 'cluster:r', precision: fp8, framework: sglang, multinode: \
                   false, scenarios: {agentic-coding: [{search-space: [{tp: 4, pp: 2, kv-offloading: none, conc-list: [1]}]}]}}\n";
    let head = format!("{agentic}{}", multi("b", &[("4", "one")]));
    with_diff("{}\n", &head, |diff| {
        let report = Report::new(diff, &str::to_owned);
        assert_eq!((report.added_total, report.gpu_hours), (Total { points: 2, gpus: 8 + 4 + 16 }, Some(8.0)));
        assert_eq!(report.headline(), "2 points added");
    });
    with_diff(&head, &head.replace("tp: 4, pp: 2", "tp: 2"), |diff| {
        assert_eq!(Report::new(diff, &str::to_owned).gpu_hours, Some(2.0 - 8.0));
    });
    with_diff(&multi("b", &[("4", "one")]), "{}\n", |diff| {
        assert_eq!(Report::new(diff, &str::to_owned).gpu_hours, None);
    });
}

fn masters() -> impl Strategy<Value = String> {
    let entry = ("[248]", proptest::collection::vec(1..6_u8, 1..4), 0..3_u8);
    let config = ("[a-d]", "[ij]", proptest::collection::vec(entry, 0..4), any::<bool>());
    proptest::collection::vec(config, 0..4).prop_map(|configs| {
        let mut seen = Vec::new();
        let mut text = "{}\n".to_owned();
        for (key, image, entries, is_multi) in configs {
            if seen.contains(&key) {
                continue;
            }
            let join = |list: &[u8]| list.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
            let config = if is_multi {
                let lists: Vec<(String, String)> =
                    entries.iter().map(|(_, list, recipe)| (join(list), format!("r{recipe}"))).collect();
                multi(&key, &lists.iter().map(|(list, recipe)| (&**list, &**recipe)).collect::<Vec<_>>())
            } else {
                let entries: Vec<String> =
                    entries.iter().map(|(tp, list, _)| format!("{{tp: {tp}, conc-list: [{}]}}", join(list))).collect();
                single(&key, &image, &entries.iter().map(String::as_str).collect::<Vec<_>>())
            };
            if seen.is_empty() {
                text.clear();
            }
            text.push_str(&config);
            seen.push(key);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_point_is_counted_once(base in masters(), head in masters()) {
        with_diff(&base, &head, |diff| {
            let of = |points: Vec<&Point<'_>>| {
                let mut places: Vec<*const Point<'_>> = points.into_iter().map(std::ptr::from_ref).collect();
                places.sort_unstable();
                let all = places.len();
                places.dedup();
                assert_eq!(all, places.len(), "a point is in two pairs");
                places.len()
            };
            let before = of(diff.removed.iter().copied().chain(diff.changed.iter().map(|change| change.before)).collect());
            let after = of(diff.added.iter().copied().chain(diff.changed.iter().map(|change| change.after)).collect());
            // What is left is on both sides, unchanged.
            prop_assert_eq!(diff.base.len() - before, diff.head.len() - after);
            prop_assert!(diff.changed.iter().all(|change| !change.fields.is_empty()));
            Ok(())
        })?;
        // The other way round, what came goes.
        let there = with_diff(&base, &head, |diff| (diff.added.len(), diff.removed.len(), diff.changed.len()));
        let back = with_diff(&head, &base, |diff| (diff.removed.len(), diff.added.len(), diff.changed.len()));
        prop_assert_eq!(there, back);
        prop_assert_eq!(told(&base, &base), "+0 -0");
    }
}
