#!/usr/bin/env python3
"""Writes the workflows of this folder: a sweep of eleven lanes that forwards every field of a point by hand, as people
write it. Kept beside its result, so that the workflow can be changed without typing forty fields eleven times.

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
        "scenario-type": "agentic-coding" if lane["length"].startswith("agentic") else "fixed-seq-len",
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
    for kind, lengths in (("single_node", ("1k1k", "1k8k", "8k1k", "agentic")), ("multi_node", ("1k1k", "8k1k", "agentic")))
    for length in lengths
] + [
    {"id": "sweep-evals", "kind": "single_node", "length": "evals", "evals": True, "list": "evals"},
    {"id": "sweep-multi-node-evals", "kind": "multi_node", "length": "evals", "evals": True, "list": "multi_node_evals"},
    {"id": "sweep-agentic-evals", "kind": "single_node", "length": "agentic-evals", "evals": True, "list": "agentic_evals"},
    {"id": "sweep-smoke", "kind": "single_node", "length": "smoke", "evals": False, "list": "smoke"},
]

HEAD = """\
name: Run Sweep
run-name: >-
  ${{ github.event_name == 'workflow_dispatch' && inputs.title
  || format('{0} of {1}', github.event_name == 'push' && 'Sweep' || 'Trial sweep', github.ref_name) }}

concurrency:
  group: sweep-${{ github.event.pull_request.number || github.sha }}
  cancel-in-progress: ${{ github.event_name == 'pull_request' }}

permissions: &read-only
  contents: read
  actions: read

on:
  push:
    branches:
      - main
    paths: &sweep-paths
      - "perf-changelog.yaml"
      - "configs/**"
      - "!configs/**.md"
      - "runners/**"
  pull_request:
    branches: [main, "release/**"]
    types: [synchronize, ready_for_review, labeled, unlabeled]
    paths: *sweep-paths
  workflow_dispatch:
    inputs:
      title:
        description: Title of the run
        type: string
        default: Sweep by hand
      scope:
        description: What to sweep
        type: choice
        options: [all, single-node, multi-node, evals, smoke]
        default: all
      eval-only:
        description: Run evaluations only
        type: boolean
        default: false
      skip-agentic:
        description: Leave the agentic lanes out
        type: boolean
        default: true
      duration:
        description: Seconds of each agentic point
        type: string
        default: "900"
      max-parallel:
        description: How many points of a lane run at once
        type: number
        default: 64
      target:
        description: The environment that results are sent to
        type: environment
        default: staging
      ref:
        description: The ref to check out
        type: string
        required: false

env:
  RESULTS_DIR: results
  PYTHON_VERSION: "3.12"
  FULL: ${{ contains(github.event.pull_request.labels.*.name, 'full-sweep-enabled') }}
  TARGET: ${{ inputs.target || 'production' }}

defaults:
  run:
    shell: bash

jobs:
  check-newest:
    if: github.event_name == 'push'
    runs-on: &small ubuntu-latest
    timeout-minutes: &short 10
    permissions: *read-only
    outputs:
      is-newest: ${{ steps.check.outputs.is-newest }}
    steps:
      - &checkout
        name: Check out
        uses: actions/checkout@v4
        with:
          ref: ${{ inputs.ref }}
          fetch-depth: 0
      - name: Compare with the tip of main
        id: check
        env:
          SHA: ${{ github.sha }}
        run: |
          tip=$(git rev-parse origin/main)
          if [ "$tip" = "$SHA" ]; then
            echo "is-newest=true" >> "$GITHUB_OUTPUT"
          else
            echo "is-newest=false" >> "$GITHUB_OUTPUT"
          fi

  labels:
    if: >-
      github.event_name == 'pull_request' &&
      github.event.pull_request.draft == false &&
      (github.event.action != 'labeled' || endsWith(github.event.label.name, '-enabled')
      || endsWith(github.event.label.name, '-only'))
    runs-on: *small
    timeout-minutes: *short
    permissions: {}
    outputs:
      full: ${{ contains(github.event.pull_request.labels.*.name, 'full-sweep-enabled') }}
      evals: ${{ contains(github.event.pull_request.labels.*.name, 'evals-only') }}
      any: >-
        ${{ contains(github.event.pull_request.labels.*.name, 'sweep-enabled')
        || contains(github.event.pull_request.labels.*.name, 'full-sweep-enabled')
        || contains(github.event.pull_request.labels.*.name, 'agentic-enabled')
        || contains(github.event.pull_request.labels.*.name, 'smoke-enabled')
        || contains(github.event.pull_request.labels.*.name, 'evals-only') }}
    steps:
      - name: Refuse labels that exclude each other
        if: >-
          contains(github.event.pull_request.labels.*.name, 'sweep-enabled') &&
          contains(github.event.pull_request.labels.*.name, 'full-sweep-enabled')
        run: |
          echo "::error::Choose one of sweep-enabled and full-sweep-enabled."
          exit 1
      - name: Say what is swept
        env:
          LABELS: ${{ join(github.event.pull_request.labels.*.name, ' ') }}
        run: echo "Swept for the labels $LABELS"

  setup:
    needs: [check-newest, labels]
    if: >-
      !cancelled() &&
      (needs.labels.outputs.any == 'true' || github.event_name == 'workflow_dispatch' ||
      (github.event_name == 'push' && !contains(github.event.head_commit.message, '[skip-sweep]')))
    runs-on: *small
    timeout-minutes: 30
    permissions: *read-only
    outputs:
      search-space-config: ${{ steps.plan.outputs.search-space-config }}
      prepared: ${{ steps.prepare.outputs.prepared }}
    env:
      TRIM: ${{ needs.labels.outputs.full != 'true' && github.event_name == 'pull_request' && '--trim-conc' || '' }}
      LABELS: ${{ join(github.event.pull_request.labels.*.name, ' ') }}
    steps:
      - *checkout
      - &prepare
        name: Prepare
        id: prepare
        uses: ./.github/actions/prepare
        with:
          python: ${{ env.PYTHON_VERSION }}
          requirements: utils/requirements.txt
      - name: Plan from the changelog
        id: plan
        env:
          SCOPE: ${{ inputs.scope || 'all' }}
          BASE: ${{ github.event.before || github.base_ref }}
        run: |
          python3 utils/process_changelog.py $TRIM \\
            --scope "$SCOPE" \\
            --base-ref "$BASE" \\
            --head-ref "${{ github.sha }}" >> "$GITHUB_OUTPUT"
      - name: Show the plan
        if: steps.plan.outputs.search-space-config != ''
        env:
          PLAN: ${{ steps.plan.outputs.search-space-config }}
        run: |
          {
            echo "### Plan"
            echo '```json'
            echo "$PLAN"
            echo '```'
          } >> "$GITHUB_STEP_SUMMARY"
"""


LABELS_OF = {"fixed": ["sweep-enabled", "full-sweep-enabled"], "agentic": ["agentic-enabled", "full-sweep-enabled"],
             "evals": ["evals-only", "full-sweep-enabled"], "smoke": ["smoke-enabled"]}


def kind_of(lane):
    return "evals" if lane["evals"] else lane["length"] if lane["length"] in ("agentic", "smoke") else "fixed"


def condition(lane):
    kind = kind_of(lane)
    labels = " ||\n      ".join(f"contains(github.event.pull_request.labels.*.name, '{label}')" for label in LABELS_OF[kind])
    lines = ["needs.setup.result == 'success' && !cancelled()", f"(github.event_name != 'pull_request' ||\n      {labels})"]
    if kind == "smoke":
        lines.append("(github.event_name == 'pull_request' || inputs.scope == 'smoke')")
    else:
        lines.append("inputs.scope != 'smoke'")
        other = "multi-node" if lane["kind"] == "single_node" else "single-node"
        lines.append(f"inputs.scope != '{other}'")
    if kind in ("fixed", "agentic"):
        lines.append("!(github.event_name == 'workflow_dispatch' && (inputs.eval-only || inputs.scope == 'evals'))")
    if kind == "agentic":
        lines.append("!(github.event_name == 'workflow_dispatch' && inputs.skip-agentic)")
    lines.append(f"toJson({SPACE}.{lane['list']}) != 'null'")
    lines.append(f"toJson({SPACE}.{lane['list']}) != '[]'")
    return " &&\n      ".join(lines)


def job(lane, anchors):
    multi = lane["kind"] == "multi_node"
    template = "benchmark-multinode-tmpl.yml" if multi else "benchmark-tmpl.yml"
    label = f"{'multi' if multi else 'single'}-node {lane['length']}"
    first = "lanes" not in anchors
    anchors.add("lanes")
    text = f"""
  {lane['id']}:
    needs: {'&after-setup [setup]' if first else '*after-setup'}
    if: >-
      {condition(lane)}
    uses: ./.github/workflows/{template}
    name: {label} /
    strategy:
      fail-fast: {'&fail-fast ' if first else ''}{"${{ github.event_name == 'pull_request' && needs.setup.outputs.search-space-config == '' }}" if first else '*fail-fast'}
      max-parallel: ${{{{ inputs.max-parallel || 64 }}}}
      matrix:
        config: ${{{{ {SPACE}.{lane['list']} }}}}
    secrets: {'&template-secrets' if first else '*template-secrets'}
"""
    if first:
        text += "      registry-token: ${{ secrets.REGISTRY_TOKEN }}\n      hub-token: ${{ secrets.HUB_TOKEN }}\n"
    anchor = "multi-node-inputs" if multi and lane["length"] in ("1k1k", "8k1k") else ""
    if anchor in anchors:
        return text + f"    with: *{anchor}\n"
    text += f"    with: &{anchor}\n" if anchor else "    with:\n"
    anchors |= {anchor} if anchor else set()
    for name, _, _ in COMMON + (MULTI if multi else SINGLE):
        text += f"      {name}: {forwarded(name, lane)}\n"
    return text


COLLECTORS = (
    ("collect-results", ("fixed", "smoke"), "bmk", "collect_results.py"),
    ("collect-agentic", ("agentic",), "agentic", "collect_agentic.py"),
    ("collect-evals", ("evals",), "eval", "collect_evals.py"),
)


def collect():
    text = ""
    for number, (name, kinds, prefix, script) in enumerate(COLLECTORS):
        lanes = [lane for lane in LANES if kind_of(lane) in kinds]
        results = " ||\n      ".join(f"needs.{lane['id']}.result == 'success'" for lane in lanes)
        needs = "".join(f"      - {lane['id']}\n" for lane in lanes)
        upload = f"""\
      - name: Upload
        uses: actions/upload-artifact@v4
        with:
          name: {prefix}-results
          path: ${{{{ env.RESULTS_DIR }}}}/${{{{ env.PREFIX }}}}.json
          if-no-files-found: error
"""
        text += f"""
  {name}:
    needs:
      - setup
{needs}    if: >-
      always() && needs.setup.result == 'success' && (
      {results})
    runs-on: *small
    timeout-minutes: 60
    permissions: *read-only
    outputs:
      rows: ${{{{ steps.collect.outputs.rows }}}}
    env:
      PREFIX: {prefix}
      FAILED: ${{{{ contains(needs.*.result, 'failure') }}}}
    steps:
      - *checkout
      - *prepare
      - name: Download
        uses: actions/download-artifact@v4
        with:
          path: ${{{{ env.RESULTS_DIR }}}}
          pattern: {prefix}_*
          merge-multiple: true
      - name: Collect
        id: collect
        env:
          STRICT: ${{{{ github.event_name == 'push' && '1' || '' }}}}
        run: |
          python3 utils/{script} "$RESULTS_DIR" "$PREFIX" > rows.txt
          echo "rows=$(wc -l < rows.txt)" >> "$GITHUB_OUTPUT"
          cat rows.txt >> "$GITHUB_STEP_SUMMARY"
{upload}"""
    return text + """
  compare-results:
    needs: [collect-results, collect-agentic]
    if: >-
      always() && github.event_name == 'pull_request' &&
      (needs.collect-results.result == 'success' || needs.collect-agentic.result == 'success')
    runs-on: *small
    timeout-minutes: *short
    permissions:
      contents: read
      pull-requests: write
    env:
      BASELINES: published.json
    steps:
      - *checkout
      - *prepare
      - name: Compare with what is published
        run: python3 utils/compare_results.py "$RESULTS_DIR" >> "$GITHUB_STEP_SUMMARY"
      - name: Comment
        if: github.event.pull_request.head.repo.fork != true
        env:
          GH_TOKEN: ${{ secrets.GITHUB_TOKEN }}
          NUMBER: ${{ github.event.pull_request.number }}
        run: gh pr comment "$NUMBER" --body-file comment.md

  calc-success-rate:
    needs: [setup, collect-results, collect-agentic, collect-evals]
    if: always() && needs.setup.result == 'success'
    runs-on: *small
    timeout-minutes: *short
    permissions: *read-only
    continue-on-error: true
    steps:
      - *checkout
      - *prepare
      - name: Count
        env:
          GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}
          ATTEMPT: ${{ github.run_attempt }}
        run: python3 utils/calc_success_rate.py run_stats

  notify-failure:
    needs: [collect-results, collect-agentic, collect-evals]
    if: failure() && github.event_name == 'push'
    runs-on: *small
    timeout-minutes: *short
    permissions: {}
    steps:
      - name: Tell the channel
        env:
          HOOK: ${{ secrets.CHANNEL_HOOK }}
          RESULTS: ${{ join(needs.*.result, ' ') }}
        run: |
          curl --fail -d "Sweep ${{ github.run_id }} ended with $RESULTS" "$HOOK"

  trigger-ingest:
    needs: [check-newest, collect-results, collect-agentic, collect-evals]
    if: >-
      always() && github.event_name == 'push' && github.ref == 'refs/heads/main' &&
      !contains(needs.*.result, 'failure') && !contains(needs.*.result, 'cancelled') &&
      needs.collect-results.result == 'success' && needs.check-newest.outputs.is-newest == 'true'
    runs-on: [self-hosted, "${{ github.event_name == 'push' && 'trusted' || 'any' }}"]
    timeout-minutes: *short
    permissions: {}
    environment:
      name: ${{ inputs.target || 'production' }}
    concurrency:
      group: ingest-${{ inputs.target || 'production' }}
      cancel-in-progress: false
    steps:
      - name: Dispatch
        env:
          TOKEN: ${{ secrets.INGEST_TOKEN }}
          ROWS: ${{ needs.collect-results.outputs.rows }}
        run: |
          curl --fail -X POST -H "Authorization: Bearer $TOKEN" \\
            -d "{\\"event_type\\": \\"ingest\\", \\"client_payload\\": {\\"run\\": \\"${{ github.run_id }}\\", \\"rows\\": \\"$ROWS\\"}}" \\
            https://api.github.com/repos/acme/dashboard/dispatches
"""


ACTION = """\
name: Prepare
description: Installs Python and what the scripts need.
inputs:
  python:
    description: Version of Python
    required: true
  requirements:
    description: File of requirements
    default: requirements.txt
  cache:
    description: Whether downloads are kept
    default: ${{ github.event_name == 'push' }}
outputs:
  prepared:
    description: What was installed
    value: ${{ inputs.requirements }} for ${{ inputs.python }}
  hit:
    description: Whether downloads were found
    value: ${{ steps.cache.outputs.cache-hit }}
runs:
  using: composite
  steps:
    - name: Python
      uses: actions/setup-python@v5
      with:
        python-version: ${{ inputs.python }}
    - name: Cache
      id: cache
      if: inputs.cache == 'true'
      uses: actions/cache@v4
      with:
        path: ~/.cache/pip
        key: pip-${{ runner.os }}-${{ hashFiles(inputs.requirements) }}
    - shell: bash
      env:
        FILE: ${{ inputs.requirements }}
      run: pip install --requirement "$FILE"
"""


def template(multi):
    name = "multi-node" if multi else "single-node"
    text = f"name: Template - {name}\non:\n  workflow_call:\n    inputs:\n"
    fields = COMMON + (MULTI if multi else SINGLE)
    for field, kind, default in fields:
        text += f"      {field}:\n        type: {kind}\n"
        text += "        required: true\n" if default is None else f"        default: {default}\n"
    text += "    secrets:\n      registry-token:\n        required: true\n      hub-token: {}\nenv:\n"
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
        env:
          TOKEN: ${{{{ secrets.registry-token }}}}
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
        "single_node": {"1k1k": [point(False, "1k1k", n) for n in (1, 2, 3)], "1k8k": [point(False, "1k8k", 2, osl=8192)], "8k1k": [point(False, "8k1k", 1, **{"run-eval": True})],
                        "agentic": [point(False, "agentic", 4, duration=600, **{"kv-offloading": "dram", "kv-offload-backend": {"name": "hicache"}})]},
        "multi_node": {"1k1k": [point(True, "1k1k", n) for n in (1, 2)], "8k1k": []},
        "evals": [point(False, "8k1k", 5), point(False, "8k1k", 6)],
        "multi_node_evals": [point(True, "8k1k", 3, tags=["a", "b"])],
        "agentic_evals": [point(False, "agentic", 8, **{"eval-conc": 32})],
        "smoke": [point(False, "1k1k", 7, **{"timeout-minutes": 30})],
    }


def main():
    anchors = set()
    sweep = HEAD + "".join(job(lane, anchors) for lane in LANES) + collect()
    (HERE / "run-sweep.yml").write_text(sweep)
    (HERE / "benchmark-tmpl.yml").write_text(template(False))
    (HERE / "benchmark-multinode-tmpl.yml").write_text(template(True))
    (HERE / "search-space.json").write_text(json.dumps(search_space(), indent=1) + "\n")
    action = HERE / "actions" / "prepare"
    action.mkdir(parents=True, exist_ok=True)
    (action / "action.yml").write_text(ACTION)
    print(len(sweep.splitlines()), "lines")


main()
