#!/usr/bin/env python3
"""Measures expression evaluation beside GitHub's own evaluator for Node. Needs node, npm and python3.

    benches/expr.py [--rounds N] [--check]

The same expressions over the same contexts, N times each: by the npm package in one process, and by `srtx-gh expr batch`
in one run. An evaluation is all of it: reading the case from the file, parsing, evaluating, printing the result. Starting
up, measured with an empty list, is subtracted from both. Two lists: in one each text comes N times, as in a matrix, where
srtx-gh parses it twice and the package each time; in the other no text comes twice, as blanks around its first dot and at
its ends differ, and both parse every one. Processor time counts, since machines are shared; the time that passed is shown
beside. --check exits 1 when the target is missed by the texts that come again.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = "@actions/expressions@0.3.61"
TARGET = 20
REPEATS = 5

CONTEXTS = {
    "github": {"event_name": "workflow_dispatch", "ref": "refs/heads/main", "run_id": "16234567890", "actor": "octocat"},
    "inputs": {"test-name": "", "dry-run": False, "runner": "cluster:b200"},
    "needs": {
        "plan": {"result": "success", "outputs": {"count": "42", "points": '[{"key":"a","tp":8},{"key":"b","tp":4}]'}},
        "bench": {"result": "failure", "outputs": {}},
    },
    "matrix": {
        "point": {
            "key": "0123456789abcdef",
            "image": "example/server:v1.2.3",
            "model": "deepseek-r1",
            "conc": [4, 8, 16, 32, 64],
            "tp": 8,
            "spec-decoding": "none",
            "prefill": {"num-worker": 2, "tp": 4},
            "disagg": False,
        }
    },
    "labels": [{"name": "bug"}, {"name": "sweep"}, {"name": "full"}],
}

# What workflows of benchmark sweeps are made of.
EXPRESSIONS = [
    "github.ref",
    "matrix.point.prefill.num-worker",
    "inputs.runner || 'cluster:h200'",
    "github.event_name == 'workflow_dispatch' && inputs.dry-run != true",
    "needs.plan.result == 'success' && needs.plan.outputs.count != '0'",
    "contains(needs.*.result, 'failure')",
    "contains(labels.*.name, 'sweep') || startsWith(github.ref, 'refs/tags/')",
    "join(matrix.point.conc, ' ')",
    "toJSON(matrix.point)",
    "fromJSON(needs.plan.outputs.points)[1].tp",
    "format('{0} | {1} | tp{2} | conc {3}', matrix.point.model, matrix.point.image, matrix.point.tp, join(matrix.point.conc, 'x'))",
    "case(matrix.point.disagg, 'disagg', matrix.point.tp > 4, 'large', 'small')",
    "matrix.point.spec-decoding != 'none' && format('-{0}', matrix.point.spec-decoding) || ''",
    "!(matrix.point.disagg || inputs.test-name) && 3 < 4",
]

# The contexts become the package's own data once; each evaluation parses its text, as a runner does for each field.
EVALUATOR = """
import fs from 'node:fs'
import {Lexer, Parser, Evaluator} from '@actions/expressions'
import {reviver} from '@actions/expressions/data/reviver'
import {replacer} from '@actions/expressions/data/replacer'
import {kindStr} from '@actions/expressions/data/expressiondata'
const file = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))
const contexts = JSON.parse(JSON.stringify(file.contexts), reviver)
const names = contexts.pairs().map(pair => pair.key)
const lines = []
for (const {expression} of file.cases) {
  const tree = new Parser(new Lexer(expression).lex().tokens, names, []).parse()
  const value = new Evaluator(tree, contexts).evaluate()
  lines.push(`{"kind":"${kindStr(value.kind)}","value":${JSON.stringify(value, replacer)}}\\n`)
}
process.stdout.write(lines.join(''))
"""


def build():
    subprocess.run(["cargo", "build", "--release", "--quiet", "--bin", "srtx-gh"], cwd=ROOT, check=True)
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "srtx-gh"


def install(folder):
    command = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(folder), PACKAGE]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    script = folder / "evaluate.mjs"
    script.write_text(EVALUATOR, encoding="utf-8")
    return script


def spread(text, number):
    """The same expression, with blanks at four places that no other number below 12 ** 4 has."""
    before, left, right, after = (" " * (number // 12**place % 12) for place in range(4))
    return before + text.replace(".", f"{left}.{right}", 1) + after


def cases(folder, rounds, distinct=False):
    path = folder / f"cases-{rounds}-{distinct}.json"
    texts = [spread(text, number) if distinct else text for number in range(rounds) for text in EXPRESSIONS]
    listed = [{"expression": text} for text in texts]
    path.write_text(json.dumps({"contexts": CONTEXTS, "cases": listed}), encoding="utf-8")
    return path


def run(command):
    """Processor time and time of one run in seconds, and what it printed."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    passed, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (used, passed), done.stdout


def median(commands):
    """Of each command. They take turns, so that all meet the same neighbours on the machine."""
    runs = [[run(command)[0] for command in commands] for _ in range(REPEATS)]
    return [tuple(statistics.median(times) for times in zip(*of_one)) for of_one in zip(*runs)]


def compare(ours, theirs):
    """Both must have computed the same, or their times mean nothing."""
    parsed = [[json.loads(line) for line in text.splitlines()] for text in (ours, theirs)]
    for text, a, b in zip(EXPRESSIONS * 2, *parsed, strict=True):
        if a != b:
            sys.exit(f"{text}: {a} and {b} differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.rounds > 12**4:
        sys.exit(f"there are {12**4} ways to tell a text from the others")
    binary = build()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        script = install(folder)
        tools = {"srtx-gh": [str(binary), "expr", "batch"], PACKAGE: ["node", str(script)]}
        ratios = {}
        for kind, distinct in (("texts that come again", False), ("all texts distinct", True)):
            empty, once, many = (str(cases(folder, rounds, distinct)) for rounds in (0, 2, args.rounds))
            compare(*(run(command + [once])[1] for command in tools.values()))
            times = median([command + [path] for command in tools.values() for path in (empty, many)])
            ratios[kind] = report(kind, tools, times, args.rounds * len(EXPRESSIONS))
    sys.exit(1 if args.check and ratios["texts that come again"] < TARGET else 0)


def report(kind, tools, times, evaluations):
    """Prints both tools and gives how much less processor time ours takes."""
    print(f"{kind}, {evaluations} evaluations:")
    each = []
    for name, (start_used, start_passed), (used, passed) in zip(tools, times[::2], times[1::2]):
        each.append(((used - start_used) / evaluations * 1e6, (passed - start_passed) / evaluations * 1e6))
        print(
            f"  {name:27}  {each[-1][0]:6.2f} us of processor time an evaluation, {each[-1][1]:6.2f} us passed "
            f"(start {start_used * 1000:.0f} ms)"
        )
    used, passed = (theirs / ours for ours, theirs in zip(*each))
    print(f"  {'ratio':27}  {used:6.1f} times less processor time (target {TARGET}), {passed:.1f} times faster")
    return used


main()
