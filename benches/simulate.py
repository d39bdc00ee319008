#!/usr/bin/env python3
"""How long `srtx-gh simulate` takes for a sweep of 1,800 points, and how much memory.

    cargo build --release && python3 benches/simulate.py --bin target/release/srtx-gh

The workflow has eight lanes that call a template once a point and forward forty fields by hand. GitHub allows 256 legs
a matrix, so that each lane has 225. The fields are read as people read them: out of the output of another job, by
`fromJson`, in the `if` and in the matrix. Fails over one second of processor time or 300 MB, the best of three runs
counting; the time that passed is shown beside.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LANES, POINTS, FIELDS = 8, 1800, 40
# Fields that a point has; the template's defaults stand for the others. All points must fit into the output of a job.
OWN = 18
MAX_CHARACTERS = 1024 * 1024 // 2
MAX_SECONDS, MAX_MEGABYTES = 1.0, 300


def workflow():
    text = "name: Sweep\non: {push: {branches: [main]}}\njobs:\n  setup:\n    runs-on: ubuntu-latest\n"
    text += "    outputs:\n      space: ${{ steps.plan.outputs.space }}\n    steps:\n      - id: plan\n        run: plan\n"
    for lane in range(LANES):
        space = f"fromJson(needs.setup.outputs.space).lane{lane}"
        text += f"""
  lane{lane}:
    needs: setup
    if: >-
      needs.setup.result == 'success' && !cancelled() &&
      toJson({space}) != 'null' &&
      toJson({space}) != '[]'
    uses: ./.github/workflows/template.yml
    name: lane {lane} /
    strategy:
      fail-fast: false
      matrix:
        config: ${{{{ {space} }}}}
    secrets: inherit
    with:
"""
        for field in range(FIELDS):
            value = f"toJson(matrix.config.f{field})" if field % 10 == 0 else f"matrix.config.f{field}"
            text += f"      f{field}: ${{{{ {value} }}}}\n"
    for lane in range(LANES):
        text += f"\n  collect{lane}:\n    needs: [setup, lane{lane}]\n    if: always() && needs.lane{lane}.result != 'skipped'\n"
        text += "    runs-on: ubuntu-latest\n    env:\n      RESULTS: results\n    steps:\n      - name: Collect\n"
        text += f"        env:\n          LANE: {lane}\n          EVENT: ${{{{ github.event_name }}}}\n"
        text += "        run: |\n" + "".join(f"          step {n}\n" for n in range(14))
    return text


def template():
    text = "name: Template\non:\n  workflow_call:\n    inputs:\n"
    text += "".join(f"      f{field}: {{type: string, default: ''}}\n" for field in range(FIELDS)) + "env:\n"
    text += "".join(f"  FIELD_{field}: ${{{{ inputs.f{field} }}}}\n" for field in range(FIELDS))
    return text + """jobs:
  benchmark:
    name: ${{ inputs.f1 }} ${{ inputs.f2 }} | ${{ join(fromJson(inputs.f0), 'x') }}
    runs-on: ${{ inputs.f3 }}
    env:
      RESULT: ${{ format('{0}_{1}', inputs.f1, inputs.f2) }}
    steps:
      - if: inputs.f4 == 'never'
        run: never
      - run: launch ${{ inputs.f3 }}
"""


def space():
    def value(field, n):
        return [n, n + 1] if field % 10 == 0 else f"v{field}-{n}"

    lanes = {f"lane{lane}": [] for lane in range(LANES)}
    for n in range(POINTS):
        lanes[f"lane{n % LANES}"].append({f"f{field}": value(field, n) for field in range(OWN)})
    return lanes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="target/release/srtx-gh")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        workflows = Path(name) / ".github" / "workflows"
        workflows.mkdir(parents=True)
        (workflows / "sweep.yml").write_text(workflow())
        (workflows / "template.yml").write_text(template())
        points = json.dumps(space(), separators=(",", ":"))
        if len(points) > MAX_CHARACTERS:
            sys.exit(f"{len(points)} characters of points are more than a job may pass on")
        (Path(name) / "space.json").write_text(points)
        command = ["/usr/bin/time", "-f", "%U %S %e %M", str(Path(options.bin).resolve()), "simulate", "--event", "push"]
        command += ["--format", "json", "--output", "setup.space=@space.json"]
        runs = []
        for _ in range(3):
            done = subprocess.run(command, cwd=name, capture_output=True, text=True)
            measured = re.search(r"([\d.]+) ([\d.]+) ([\d.]+) (\d+)\n$", done.stderr)
            if done.returncode != 0 or not measured:
                sys.exit(done.stderr[-2000:])
            user, system, passed, kilobytes = map(float, measured.groups())
            runs.append((user + system, passed, kilobytes / 1024))
        jobs = json.loads(done.stdout)["jobs"]
        points = [leg for job in jobs if job["id"] == "benchmark" for leg in job["legs"]]
        if len(points) != POINTS or any(len(leg["env"]) != FIELDS + 1 for leg in points):
            sys.exit(f"{len(points)} points were simulated, expected {POINTS} with {FIELDS + 1} variables each")
    seconds, passed, _ = min(runs)
    megabytes = max(memory for *_, memory in runs)
    lines = len(workflow().splitlines())
    print(
        f"{POINTS} points through {lines} lines: {seconds:.2f} s of processor time, {passed:.2f} s passed, "
        f"{megabytes:.0f} MB, {len(done.stdout)} bytes of JSON"
    )
    return 0 if seconds < MAX_SECONDS and megabytes < MAX_MEGABYTES else 1


if __name__ == "__main__":
    sys.exit(main())
