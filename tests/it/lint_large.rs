//! A tree as large as a real one, with faults of every rule of `lint`, and the same tree put right.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value as Json;

use super::support::{repository, run};

/// The faults that no rule finds, and why: a line goes away with the rule that finds it, and none is added.
const MISSED: [(&str, &str); 4] = [
    (".github/workflows/benchmark-single.yml:83", "a script makes names `*_NODES`, of which it may be one"),
    (".github/workflows/canary.yml:72", "one output of the job may well tell whether another is empty"),
    (
        "benchmarks/single_node/fixed_seq_len/dsv31_fp8_b200_mtp.sh:12",
        "what benchmark scripts export may be meant for an engine",
    ),
    ("runners/launch_gb300-atoll.sh:36", "a name with INTERVAL reads like a setting for people, who may leave it out"),
];

/// Rules whose place is that of a neighbour: a field that is missing has none, nor has a number of jobs.
const NEAR_ONLY: [u64; 2] = [4, 23];
const NEAR: u64 = 3;

type Place = (String, u64);

struct Fault {
    number: u64,
    place: Place,
    /// Other places where it may be told.
    also: Vec<Place>,
}

impl Fault {
    fn is_at(&self, (file, line): &Place) -> bool {
        let is_near = NEAR_ONLY.contains(&self.number) && *file == self.place.0 && line.abs_diff(self.place.1) <= NEAR;
        is_near || std::iter::once(&self.place).chain(&self.also).any(|place| (&place.0, &place.1) == (file, line))
    }
}

fn large() -> PathBuf {
    repository().join("tests/golden/lint-trees/large")
}

fn place(of: &Json) -> Place {
    (of["file"].as_str().unwrap().to_owned(), of["line"].as_u64().unwrap())
}

fn faults() -> Vec<Fault> {
    let text = std::fs::read_to_string(large().join("faults.json")).unwrap();
    let all: Vec<Json> = serde_json::from_str(&text).unwrap();
    let also = |fault: &Json| fault["also"].as_array().into_iter().flatten().map(place).collect();
    all.iter()
        .map(|fault| Fault { number: fault["number"].as_u64().unwrap(), place: place(fault), also: also(fault) })
        .collect()
}

#[test]
fn each_fault_of_the_large_tree_is_found_at_its_line_and_nothing_else() {
    let faults = faults();
    let output = run(&large().join("faulty"), "lint --format json");
    let findings = output.json().as_array().unwrap().clone();
    let others: Vec<&Json> =
        findings.iter().filter(|one| !faults.iter().any(|fault| fault.is_at(&place(one)))).collect();
    assert!(others.is_empty(), "{others:#?}");
    let is_missed = |fault: &&Fault| !findings.iter().any(|one| fault.is_at(&place(one)));
    let missed: BTreeSet<String> =
        faults.iter().filter(is_missed).map(|fault| format!("{}:{}", fault.place.0, fault.place.1)).collect();
    let known: BTreeSet<String> = MISSED.iter().map(|(place, _)| (*place).to_owned()).collect();
    assert_eq!(missed, known);
}

#[test]
fn nothing_is_found_in_the_large_tree_when_it_is_put_right() {
    let output = run(&large().join("corrected"), "lint --format json");
    assert_eq!((output.stdout.as_str(), output.exit), ("[]\n", 0));
}
