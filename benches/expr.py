#!/usr/bin/env python3
"""Measures expression evaluation beside GitHub's own evaluator for Node. Needs node, npm and python3.

    benches/expr.py [--rounds N] [--check]

The same expressions, over the same contexts, parsed and evaluated N times each: by the npm package in one process, and
by `srtx-gh expr batch` in one run. Both print each result. Starting up, measured with an empty list, is subtracted from
both and shown beside. --check exits 1 when the target is missed.
"""

import argparse
import json
import os
import pathlib
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


def cases(folder, rounds):
    path = folder / f"cases-{rounds}.json"
    listed = [{"expression": text} for text in EXPRESSIONS] * rounds
    path.write_text(json.dumps({"contexts": CONTEXTS, "cases": listed}), encoding="utf-8")
    return path


def run(command):
    """Seconds of one run, and what it printed."""
    start = time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return time.perf_counter() - start, done.stdout


def median(command):
    return statistics.median(run(command)[0] for _ in range(REPEATS))


def compare(ours, theirs):
    """Both must have computed the same, or their times mean nothing."""
    parsed = [[json.loads(line) for line in text.splitlines()] for text in (ours, theirs)]
    for text, a, b in zip(EXPRESSIONS, *parsed):
        if a != b:
            sys.exit(f"{text}: {a} and {b} differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    binary = build()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        script = install(folder)
        empty, once, many = (cases(folder, rounds) for rounds in (0, 1, args.rounds))
        tools = [("srtx-gh", [str(binary), "expr", "batch"]), (PACKAGE, ["node", str(script)])]
        compare(*(run(command + [str(once)])[1] for _, command in tools))
        evaluations = args.rounds * len(EXPRESSIONS)
        each = []
        for name, command in tools:
            start, whole = median(command + [str(empty)]), median(command + [str(many)])
            each.append((whole - start) / evaluations)
            print(
                f"{name:27}  {each[-1] * 1e6:7.2f} us an evaluation  "
                f"({evaluations} in {whole:.2f} s, start {start * 1000:.0f} ms of it)"
            )
    ratio = each[1] / each[0]
    print(f"{'ratio':27}  {ratio:7.1f} times faster (target {TARGET})")
    sys.exit(1 if args.check and ratio < TARGET else 0)


main()
