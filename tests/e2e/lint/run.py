#!/usr/bin/env python3
"""Lints this repository's own workflows, actions and scripts. Needs actionlint, zizmor and shellcheck on the path.

    tests/e2e/lint/run.py

Prints what each tool finds and ends with a line `N passed, N failed`. A tool that is missing is a skip, with CI=true a
failure.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTIONS = [ROOT / "action.yml", *sorted((ROOT / "actions").glob("*/action.yml"))]
FOLDERS = ("actions", "benchmarks", "recipes", "tests")
# What stands there is wrong on purpose: our own lint is tested with it.
FIXTURES = ROOT / "tests" / "golden"
SCRIPTS = [
    ROOT / ".ci" / "run",
    *(path for folder in FOLDERS for path in sorted((ROOT / folder).glob("**/*.sh")) if FIXTURES not in path.parents),
]

# Third-party actions and the commits that we trust. Everything else is a finding.
PINS = {
    "actions/checkout": "3d3c42e5aac5ba805825da76410c181273ba90b1",
    "actions/upload-artifact": "043fb46d1a93c77aae656e7c1c64a875d1fc6a0a",
    "actions/download-artifact": "3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c",
    "Swatinem/rust-cache": "6323deb102c322ba6fcbdcafc7e3dddab59af2b6",
    "re-actors/alls-green": "05ac9388f0aebcb5727afa17fcccfecd6f8ec5fe",
}

# Variables of ours that carry no input: the path of the binary, and what the root action asks of the installer.
NO_INPUTS = {"SRTX_GH", "SRTX_ADD_TO_PATH"}
# Where else a tool may be told to look away.
CONFIGS = [path for name in ("zizmor.yml", "actionlint.yaml") if (path := ROOT / ".github" / name).exists()]

passed, failed, skipped = 0, 0, []


def check(name, findings):
    global passed, failed
    if findings:
        failed += 1
        print(f"FAILED {name}")
        for finding in findings:
            print(f"  {finding}")
    else:
        passed += 1
        print(f"ok     {name}")


def tool(name, command, **options):
    """The lines that a tool prints when it finds something."""
    global failed
    if shutil.which(command[0]) is None:
        if os.environ.get("CI") == "true":
            failed += 1
            print(f"FAILED {name}: {command[0]} is missing")
        else:
            skipped.append(f"{name}: {command[0]} is not installed")
        return
    result = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, **options)
    output = (result.stdout + result.stderr).strip().splitlines()
    check(name, output if result.returncode else [])


def steps_of(document):
    for job in (document.get("jobs") or {}).values():
        yield from job.get("steps") or []
    yield from (document.get("runs") or {}).get("steps") or []


def uses_of(document):
    for job in (document.get("jobs") or {}).values():
        if "uses" in job:
            yield job["uses"]
    for step in steps_of(document):
        if "uses" in step:
            yield step["uses"]


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def run_blocks():
    """shellcheck on every script that stands in a workflow or an action."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for path in WORKFLOWS + ACTIONS:
            for number, step in enumerate(steps_of(load(path))):
                if "run" in step:
                    name = str(path.relative_to(ROOT)).replace("/", "_")
                    script = pathlib.Path(folder) / f"{name}.{number}.sh"
                    script.write_text("#!/usr/bin/env bash\n" + step["run"] + "\n", encoding="utf-8")
                    files.append(str(script))
        tool("shellcheck on run blocks", ["shellcheck", "--shell", "bash", *files])
        return len(files)


def own_rules():
    pins, inputs, scripts, ignores, bounds = [], [], [], [], []
    for path in WORKFLOWS + ACTIONS:
        name, text, document = path.relative_to(ROOT), path.read_text(encoding="utf-8"), load(path)
        for uses in uses_of(document):
            if uses.startswith(("$/", "./")):
                continue
            action, _, ref = uses.partition("@")
            if PINS.get(action) != ref:
                pins.append(f"{name}: {uses} is not a pinned action of the table")
            elif not re.search(re.escape(uses) + r" # v\d", text):
                pins.append(f"{name}: {uses} has no version comment")
        if path in WORKFLOWS and document.get("permissions") != {}:
            bounds.append(f"{name}: it does not start without permissions")
        for job, body in (document.get("jobs") or {}).items():
            if "steps" in body and "timeout-minutes" not in body:
                bounds.append(f"{name}: the job {job} has no timeout")
        for step in steps_of(document):
            # A linter takes an explicit true for a decision.
            keeps = (step.get("with") or {}).get("persist-credentials", True)
            if step.get("uses", "").startswith("actions/checkout@") and keeps is not False:
                bounds.append(f"{name}: a checkout leaves its credentials on the runner")
            if "${{" in step.get("run", ""):
                scripts.append(f"{name}: an expression stands in the script {step['run']!r}")
    for path in WORKFLOWS + ACTIONS + SCRIPTS + CONFIGS:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            looks_away = re.search(r"zizmor: *ignore|actionlint.*ignore|shellcheck disable|^ +ignore:", line)
            if looks_away and not re.search(r"(--|reason:)", line):
                ignores.append(f"{path.relative_to(ROOT)}:{number}: an ignore without a reason: {line.strip()}")
    for path in ACTIONS:
        document, name = load(path), path.relative_to(ROOT)
        mapped = {}
        for step in steps_of(document):
            for variable, value in (step.get("env") or {}).items():
                match = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", str(value))
                if match:
                    mapped[match[1]] = variable
                elif variable.startswith("SRTX_") and variable not in NO_INPUTS:
                    inputs.append(f"{name}: {variable} carries {value}, which is no input")
        declared = set(document.get("inputs") or {})
        for missing in sorted(declared - set(mapped)):
            inputs.append(f"{name}: the input {missing} is mapped to no variable")
        for unknown in sorted(set(mapped) - declared):
            inputs.append(f"{name}: {mapped[unknown]} maps the undeclared input {unknown}")
        for key, variable in mapped.items():
            if variable != "SRTX_" + key.upper().replace("-", "_"):
                inputs.append(f"{name}: the input {key} is mapped to {variable}")
        if "INPUT_" in path.read_text(encoding="utf-8"):
            inputs.append(f"{name}: reads INPUT_*, which composite actions do not get")
    check("third-party actions are pinned", pins)
    check("B34: every input is mapped to a variable of ours", inputs)
    check("B41: no expression in a script", scripts)
    check("every ignore has a reason", ignores)
    check("jobs have no more rights and time than they need", bounds)


def main():
    tool("actionlint", ["actionlint", "-no-color", "-oneline", *map(str, WORKFLOWS)])
    audited = [str(ROOT / name) for name in (".github", "actions", "action.yml")]
    tool("zizmor", ["zizmor", "--offline", "--no-progress", "--format", "plain", "--color", "never", *audited])
    tool("shellcheck on scripts", ["shellcheck", *map(str, SCRIPTS)])
    if run_blocks() == 0:
        check("there are run blocks to check", ["none found"])
    own_rules()
    for reason in skipped:
        print(f"skipped {reason}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
