#!/usr/bin/env python3
"""Runs each of our small workflows with act and in `srtx-gh simulate`, and compares what every step receives.

    python3 tests/e2e/simulate/run.py --bin target/debug/srtx-gh [NAME...]

A workflow's steps print their `T_*` variables. Those are compared, for every leg of every job, with the variables that
the simulator gives the step; jobs that print nothing must be skipped by the simulator too. Variables whose name ends in
`_JSON` are compared as JSON, because act sorts keys. The header of a workflow says how it is started:
`# event:`, `# input:`, `# output:` (of a job, which the simulator cannot know), `# result:`.

What act does differently from GitHub is left out of the workflows: `strategy.job-index`, empty matrices, `case()`, `*` on
a mapping (act gives nothing), booleans without a default (act gives null), an output passed through two calls (act loses
it), `matrix` in a composite action (act gives nothing), the order of keys in toJSON (act sorts them).
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORKFLOWS = HERE / "workflows"
LINE = re.compile(r"SRTX-SIM (\{.*\})\s*$")


def header(path):
    told = {"event": [], "input": [], "output": [], "result": [], "act-fails": []}
    for line in path.read_text().splitlines():
        match = re.match(r"# ([a-z-]+): (.*)", line)
        if not match:
            break
        told[match[1]].append(match[2])
    return told


def repository(folder):
    target = folder / ".github" / "workflows"
    shutil.copytree(WORKFLOWS, target)
    shutil.copytree(HERE / "actions", folder / ".github" / "actions")
    for command in (
        ["init", "-q", "-b", "main"],
        ["remote", "add", "origin", "https://github.com/acme/simulated.git"],
        ["add", "-A"],
        ["-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "workflows"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)


def ran_by_act(act, folder, name, told):
    command = [act, told["event"][0], "-W", f".github/workflows/{name}", "-P", "ubuntu-latest=-self-hosted"]
    command += ["--no-cache-server", "--action-offline-mode"]
    for text in told["input"]:
        command += ["--input", text]
    env = dict(os.environ, PATH=f"{HERE}{os.pathsep}{os.environ['PATH']}", XDG_CACHE_HOME=str(folder.parent / "cache"))
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    log = done.stdout + done.stderr
    if "Skipping unsupported platform" in log:
        raise ValueError("act skipped a job for its label")
    if (done.returncode != 0) != bool(told["act-fails"]):
        raise ValueError(f"act ended with {done.returncode}:\n{log[-3000:]}")
    return [json.loads(match[1]) for match in map(LINE.search, log.splitlines()) if match]


def simulated(binary, folder, name, told):
    command = [binary, "simulate", f".github/workflows/{name}", "--event", told["event"][0], "--format", "json"]
    for option in ("input", "output", "result"):
        for text in told[option]:
            command += [f"--{option}", text]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise ValueError(f"simulate ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["jobs"]


def emitted(jobs):
    """What the steps of a simulation would print."""
    printed = []
    for job in jobs:
        if job["state"] not in ("run", "skip"):
            raise ValueError(f"{job['path']} is {job['state']}: {job['depends_on']}")
        if job["state"] == "run" and not job["legs"]:
            raise ValueError(f"{job['path']} runs without legs")
        for leg in job["legs"]:
            for step in leg["steps"]:
                if "emit-values" in (step["run"] or "") and step["if"] is not False:
                    variables = {**leg["env"], **step["env"]}
                    printed.append({k: v for k, v in variables.items() if k.startswith("T_")})
    return printed


def check_inputs(jobs):
    """The inputs that a leg passes on are the inputs that the called jobs see."""
    legs = {}
    for job in jobs:
        for leg in job["legs"]:
            if job["calls"]:
                legs[job["path"] if leg["matrix"] is None else f"{job['path']}[{leg['index']}]"] = leg["inputs"]
    for job in jobs:
        parent = job["path"].rpartition("/")[0]
        for leg in job["legs"]:
            seen = leg["env"].get("T_INPUTS_JSON")
            if parent and seen is not None and json.loads(seen) != legs[parent]:
                raise ValueError(f"{job['path']} sees {seen}, but {legs[parent]} were passed")


def comparable(variables):
    return {name: decoded(value) if name.endswith("_JSON") else value for name, value in variables.items()}


def decoded(value):
    """JSON, and the JSON in its texts: the order of keys must not count anywhere."""
    if isinstance(value, dict):
        return {name: decoded(member) for name, member in value.items()}
    if isinstance(value, list):
        return [decoded(item) for item in value]
    try:
        inner = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value
    return inner if inner == value else decoded(inner)


def differences(act, ours):
    def by_text(rows):
        return sorted((comparable(row) for row in rows), key=lambda row: json.dumps(row, sort_keys=True))

    act, ours = by_text(act), by_text(ours)
    missing, extra = [r for r in act if r not in ours], [r for r in ours if r not in act]
    found = []
    for row in missing:
        near = max(extra, key=lambda other: sum(row.get(k) == v for k, v in other.items()), default=None)
        if near is None or near.get("T_JOB") != row.get("T_JOB"):
            found.append(f"act alone ran {row}")
            continue
        extra.remove(near)
        for name in sorted({*row, *near}):
            if row.get(name) != near.get(name):
                found.append(f"{row.get('T_JOB')}.{name}: act {row.get(name)!r}, simulate {near.get(name)!r}")
    found += [f"simulate alone ran {row}" for row in extra]
    if not found and len(act) != len(ours):
        found.append(f"act ran {len(act)} steps, simulate {len(ours)}")
    return found, len(act), sum(len(row) for row in act)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="target/debug/srtx-gh")
    parser.add_argument("--act", default="act")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    binary = str(Path(options.bin).resolve())
    passed = failed = 0
    for path in sorted(WORKFLOWS.glob("[!_]*.yml")):
        if options.names and path.stem not in options.names:
            continue
        try:
            told = header(path)
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name) / "repository"
                repository(folder)
                jobs = simulated(binary, folder, path.name, told)
                check_inputs(jobs)
                found, steps, values = differences(ran_by_act(options.act, folder, path.name, told), emitted(jobs))
            if not steps:
                found.append("nothing ran")
        except (ValueError, KeyError, subprocess.SubprocessError, OSError) as error:
            found, steps, values = [str(error)], 0, 0
        print(f"{'FAIL' if found else 'ok  '} {path.stem}: {values} values of {steps} steps")
        for line in found:
            print(f"     {line}")
        passed, failed = passed + (not found), failed + bool(found)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
