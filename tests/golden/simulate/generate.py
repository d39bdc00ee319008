#!/usr/bin/env python3
"""Writes the workflows of this folder: a sweep of eight lanes that forwards every field of a point by hand, as people
write it. Kept beside its result, so that the workflow can be changed without typing forty fields eight times.

    python3 tests/golden/simulate/generate.py
"""

import json
from pathlib import Path

HERE = Path(__file__).resolve().parent
SPACE = "fromJson(needs.setup.outputs.search-space-config)"

# name, type, default of the template (None: required)
COMMON = [
    ("exp-name", "string", None), ("runner", "string", None), ("image", "string", None), ("model", "string", None),
    ("model-prefix", "string", None), ("framework", "string", None), ("precision", "string", None),
    ("isl", "string", "''"), ("osl", "string", "''"), ("max-model-len", "string", "''"),
    ("spec-decoding", "string", "none"), ("disagg", "boolean", "false"), ("run-eval", "boolean", "false"),
    ("eval-only", "boolean", "false"), ("eval-conc", "string", "''"), ("random-range-ratio", "string", "'0.8'"),
    ("scenario-type", "string", "fixed-seq-len"), ("script-suffix", "string", "''"), ("router", "string", "'{}'"),
    ("kv-offloading", "string", "none"), ("kv-offload-backend", "string", "'{}'"), ("duration", "string", "'1800'"),
    ("trace-source", "string", "''"), ("max-num-seqs", "string", "''"), ("total-cpu-dram-gb", "string", "'0'"),
    ("cold-start", "boolean", "false"), ("timeout-minutes", "number", "480"), ("priority", "number", "0"),
    ("ref", "string", "''"), ("attempt", "string", "'1'"), ("profile", "boolean", "false"), ("tags", "string", "'[]'"),
]
SINGLE = [
    ("tp", "string", "'1'"), ("ep", "string", "'1'"), ("dp-attn", "boolean", "false"), ("conc", "string", "''"),
    ("pp", "string", "'1'"), ("dcp", "string", "'1'"), ("gpu-memory", "string", "'0.9'"), ("numa", "boolean", "false"),
]
MULTI = [
    ("conc-list", "string", "'[]'"), ("prefill-num-worker", "string", "'1'"), ("prefill-tp", "string", "'1'"),
    ("prefill-ep", "string", "'1'"), ("prefill-dp-attn", "boolean", "false"),
    ("prefill-additional-settings", "string", "'[]'"), ("decode-num-worker", "string", "'1'"),
    ("decode-tp", "string", "'1'"), ("decode-ep", "string", "'1'"), ("decode-dp-attn", "boolean", "false"),
    ("decode-additional-settings", "string", "'[]'"), ("prefill-hardware", "string", "''"),
    ("decode-hardware", "string", "''"),
]
JSON_FIELDS = {"router", "kv-offload-backend", "tags", "conc-list", "prefill-additional-settings", "decode-additional-settings"}
BARE_TRUTHS = {"disagg", "cold-start", "profile", "numa", "dp-attn", "prefill-dp-attn", "decode-dp-attn"}


def path(name):
    for side in ("prefill", "decode"):
        if name.startswith(f"{side}-"):
            return f"matrix.config.{side}.{name[len(side) + 1:]}"
    return "matrix.config.conc" if name == "conc-list" else f"matrix.config.{name}"


def forwarded(name, lane):
    special = {
        "eval-only": "true" if lane["evals"] else "${{ github.event_name == 'workflow_dispatch' && inputs.eval-only || false }}",
        "run-eval": "true" if lane["evals"] else "${{ matrix.config.run-eval || false }}",
        "ref": "${{ github.event_name == 'workflow_dispatch' && inputs.ref || '' }}",
        "duration": "${{ github.event_name == 'workflow_dispatch' && inputs.duration || matrix.config.duration || '1800' }}",
        "attempt": "'1'",
        "timeout-minutes": "${{ matrix.config.timeout-minutes || 480 }}",
        "priority": "${{ matrix.config.priority || 0 }}",
        "random-range-ratio": "${{ matrix.config.random-range-ratio || '0.8' }}",
        "scenario-type": "agentic-coding" if lane["length"] == "agentic" else "fixed-seq-len",
        "spec-decoding": "${{ matrix.config.spec-decoding || 'none' }}",
        "kv-offloading": "${{ matrix.config.kv-offloading || 'none' }}",
    }
    if name in special:
        return special[name]
    if name in JSON_FIELDS:
        return f"${{{{ toJson({path(name)}) }}}}"
    if name in BARE_TRUTHS:
        return f"${{{{ {path(name)} || false }}}}"
    return f"${{{{ {path(name)} }}}}"


LANES = [
    {"id": f"sweep-{kind.replace('_', '-')}-{length}", "kind": kind, "length": length, "evals": False,
     "list": f"{kind}['{length}']"}
    for kind in ("single_node", "multi_node") for length in ("1k1k", "8k1k", "agentic")
] + [
    {"id": "sweep-evals", "kind": "single_node", "length": "evals", "evals": True, "list": "evals"},
    {"id": "sweep-multi-node-evals", "kind": "multi_node", "length": "evals", "evals": True, "list": "multi_node_evals"},
]

HEAD = """\
name: Run Sweep
run-name: ${{ github.event_name == 'workflow_dispatch' && inputs.title || format('Sweep of {0}', github.ref_name) }}

concurrency:
  group: sweep-${{ github.event.pull_request.number || github.sha }}
  cancel-in-progress: ${{ github.event_name == 'pull_request' }}

on:
  push:
    branches:
      - main
    paths:
      - "perf-changelog.yaml"
      - "configs/**"
      - "!configs/**.md"
  pull_request:
    branches: [main, "release/**"]
    types: [synchronize, ready_for_review, labeled, unlabeled]
    paths:
      - "perf-changelog.yaml"
      - "configs/**"
  workflow_dispatch:
    inputs:
      title: {description: Title of the run, type: string, default: Sweep by hand}
      scope:
        description: What to sweep
        type: choice
        options: [all, single-node, multi-node, evals]
        default: all
      eval-only: {description: Run evals only, type: boolean, default: false}
      skip-agentic: {description: Leave the agentic lanes out, type: boolean, default: true}
      duration: {description: Seconds of each agentic point, type: string, default: "900"}
      ref: {description: The ref to check out, type: string}

env:
  RESULTS_DIR: results
  HAS_LABEL: ${{ contains(github.event.pull_request.labels.*.name, 'full-sweep-enabled') }}

jobs:
  check-newest:
    if: github.event_name == 'push'
    runs-on: ubuntu-latest
    outputs:
      is-newest: ${{ steps.check.outputs.is-newest }}
    steps:
      - id: check
        run: git log -1 --format=%H origin/main

  labels:
    if: >-
      github.event_name == 'pull_request' &&
      github.event.pull_request.draft == false &&
      (github.event.action != 'labeled' || endsWith(github.event.label.name, '-enabled'))
    runs-on: ubuntu-latest
    outputs:
      full: ${{ contains(github.event.pull_request.labels.*.name, 'full-sweep-enabled') }}
      evals: ${{ contains(github.event.pull_request.labels.*.name, 'evals-enabled') }}
      any: >-
        ${{ contains(github.event.pull_request.labels.*.name, 'full-sweep-enabled')
        || contains(github.event.pull_request.labels.*.name, 'sweep-enabled')
        || contains(github.event.pull_request.labels.*.name, 'evals-enabled') }}
    steps:
      - run: echo "Labels decide what is swept."

  setup:
    needs: [check-newest, labels]
    if: >-
      !cancelled() &&
      (needs.labels.outputs.any == 'true' || github.event_name == 'workflow_dispatch' ||
      (github.event_name == 'push' && !contains(github.event.head_commit.message, '[skip-sweep]')))
    runs-on: ubuntu-latest
    outputs:
      search-space-config: ${{ steps.plan.outputs.search-space-config }}
    env:
      TRIM: ${{ needs.labels.outputs.full != 'true' && github.event_name == 'pull_request' && '--trim-conc' || '' }}
    steps:
      - uses: actions/checkout@v4
        with:
          ref: ${{ inputs.ref }}
          fetch-depth: 0
      - id: plan
        env:
          SCOPE: ${{ inputs.scope || 'all' }}
        run: python3 utils/process_changelog.py $TRIM --scope "$SCOPE" >> "$GITHUB_OUTPUT"
"""


def condition(lane):
    lines = ["needs.setup.result == 'success' && !cancelled()"]
    if lane["evals"]:
        lines.append("(github.event_name != 'pull_request' || contains(github.event.pull_request.labels.*.name, 'evals-enabled') ||\n"
                     "      contains(github.event.pull_request.labels.*.name, 'full-sweep-enabled'))")
    else:
        lines.append("(github.event_name != 'pull_request' || contains(github.event.pull_request.labels.*.name, 'sweep-enabled') ||\n"
                     "      contains(github.event.pull_request.labels.*.name, 'full-sweep-enabled'))")
        lines.append("!(github.event_name == 'workflow_dispatch' && (inputs.eval-only || inputs.scope == 'evals'))")
    if lane["length"] == "agentic":
        lines.append("!(github.event_name == 'workflow_dispatch' && inputs.skip-agentic)")
    lines.append(f"toJson({SPACE}.{lane['list']}) != 'null'")
    lines.append(f"toJson({SPACE}.{lane['list']}) != '[]'")
    return " &&\n      ".join(lines)


def job(lane, anchors):
    multi = lane["kind"] == "multi_node"
    template = "benchmark-multinode-tmpl.yml" if multi else "benchmark-tmpl.yml"
    label = f"{'multi' if multi else 'single'}-node {lane['length']}"
    text = f"""
  {lane['id']}:
    needs: setup
    if: >-
      {condition(lane)}
    uses: ./.github/workflows/{template}
    name: {label} /
    strategy:
      fail-fast: false
      matrix:
        config: ${{{{ {SPACE}.{lane['list']} }}}}
    secrets: inherit
"""
    anchor = "multi-node-inputs" if multi and lane["length"] in ("1k1k", "8k1k") else ""
    if anchor in anchors:
        return text + f"    with: *{anchor}\n"
    text += f"    with: &{anchor}\n" if anchor else "    with:\n"
    anchors |= {anchor} if anchor else set()
    for name, _, _ in COMMON + (MULTI if multi else SINGLE):
        text += f"      {name}: {forwarded(name, lane)}\n"
    return text


def collect():
    text = ""
    for name, lanes, prefix in (
        ("collect-results", [l for l in LANES if not l["evals"]], "bmk"),
        ("collect-evals", [l for l in LANES if l["evals"]], "eval"),
    ):
        results = " ||\n      ".join(f"needs.{lane['id']}.result == 'success'" for lane in lanes)
        needs = "".join(f"      - {lane['id']}\n" for lane in lanes)
        text += f"""
  {name}:
    needs:
{needs}    if: >-
      always() && (
      {results})
    runs-on: ubuntu-latest
    env:
      PREFIX: {prefix}
      FAILED: ${{{{ contains(needs.*.result, 'failure') }}}}
    steps:
      - run: python3 utils/collect.py "$RESULTS_DIR" "$PREFIX"
"""
    return text + """
  notify-failure:
    needs: [collect-results, collect-evals]
    if: failure() && github.event_name == 'push'
    runs-on: ubuntu-latest
    steps:
      - run: echo "A sweep on main failed."

  trigger-ingest:
    needs: [check-newest, collect-results, collect-evals]
    if: >-
      always() && github.event_name == 'push' && github.ref == 'refs/heads/main' &&
      needs.collect-results.result != 'skipped' && needs.check-newest.outputs.is-newest == 'true'
    runs-on: ubuntu-latest
    steps:
      - run: echo "${{ github.run_id }}"
"""


def template(multi):
    name = "multi-node" if multi else "single-node"
    text = f"name: Template - {name}\non:\n  workflow_call:\n    inputs:\n"
    fields = COMMON + (MULTI if multi else SINGLE)
    for field, kind, default in fields:
        text += f"      {field}:\n        type: {kind}\n"
        text += "        required: true\n" if default is None else f"        default: {default}\n"
    text += "env:\n"
    for field, _, _ in fields:
        value = f"join(fromJson(inputs.{field}), ' ')" if field == "conc-list" else f"inputs.{field}"
        text += f"  {field.upper().replace('-', '_')}: ${{{{ {value} }}}}\n"
    concs = "join(fromJson(inputs.conc-list), 'x')" if multi else "inputs.conc"
    text += f"""jobs:
  benchmark:
    runs-on: ${{{{ inputs.runner }}}}
    timeout-minutes: ${{{{ inputs.timeout-minutes }}}}
    name: ${{{{ inputs.exp-name }}}} ${{{{ inputs.precision }}}} ${{{{ inputs.framework }}}} | conc ${{{{ {concs} }}}}
    env:
      RESULT: ${{{{ format('{{0}}_{{1}}_{{2}}', inputs.exp-name, inputs.precision, inputs.framework) }}}}
    steps:
      - name: Launch
        if: ${{{{ !inputs.eval-only }}}}
        run: bash runners/launch_${{{{ inputs.runner }}}}.sh
      - name: Evaluate
        if: inputs.run-eval || inputs.eval-only
        run: bash runners/launch_${{{{ inputs.runner }}}}.sh
"""
    return text


def point(multi, length, n, **more):
    common = {
        "exp-name": f"dsr1_{length}", "runner": "gb200-nv" if multi else f"h200-{n}", "image": f"acme/server:v0.{n}", "model": "acme/DSR1",
        "model-prefix": "dsr1", "framework": "dynamo" if multi else "sglang", "precision": "fp8",
    }
    if length != "agentic":
        common |= {"isl": 8192 if length == "8k1k" else 1024, "osl": 1024, "max-model-len": 9416}
    if multi:
        side = {"num-worker": n, "tp": 8, "ep": 8, "dp-attn": n % 2 == 0, "additional-settings": ["A=1"], "hardware": "gb200"}
        common |= {"conc": [16 * n, 32 * n], "prefill": side, "decode": side | {"num-worker": 1}, "disagg": True}
    else:
        common |= {"tp": 8, "ep": 1, "dp-attn": n % 2 == 0, "conc": 4 * n, "pp": 1, "dcp": 1, "spec-decoding": "mtp" if n == 3 else "none"}
    return common | more


def search_space():
    return {
        "single_node": {"1k1k": [point(False, "1k1k", n) for n in (1, 2, 3)], "8k1k": [point(False, "8k1k", 1, **{"run-eval": True})],
                        "agentic": [point(False, "agentic", 4, duration=600, **{"kv-offloading": "dram", "kv-offload-backend": {"name": "hicache"}})]},
        "multi_node": {"1k1k": [point(True, "1k1k", n) for n in (1, 2)], "8k1k": []},
        "evals": [point(False, "8k1k", 5), point(False, "8k1k", 6)],
        "multi_node_evals": [point(True, "8k1k", 3, tags=["a", "b"])],
    }


def main():
    anchors = set()
    sweep = HEAD + "".join(job(lane, anchors) for lane in LANES) + collect()
    (HERE / "run-sweep.yml").write_text(sweep)
    (HERE / "benchmark-tmpl.yml").write_text(template(False))
    (HERE / "benchmark-multinode-tmpl.yml").write_text(template(True))
    (HERE / "search-space.json").write_text(json.dumps(search_space(), indent=1) + "\n")
    print(len(sweep.splitlines()), "lines")


main()
