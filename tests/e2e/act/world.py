"""The stage on which act plays: a copy of the actions, a stand-in for checkout, and repositories that call us.

act runs on this machine itself (`-self-hosted`), without docker and without a network.
"""

import collections
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from common import clean_environment

COPIED = ["action.yml", "actions", ".github", "Cargo.toml", "Cargo.lock"]
# act does not know `$/`, the repository of the workflow itself.
SELF = re.compile(rb"(uses: )\$/([^\s]+)")
SELF_AS = rb"\1org/srtx/\2@test"
CHECKOUT = re.compile(r"uses: (actions/checkout@[0-9a-f]{40})")
ONE_LABEL = "ubuntu-latest"


class World:
    def __init__(self, root, folder, binary):
        self.root, self.folder, self.binary = root, folder, binary
        self.copy = folder / "srtx"
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.checkout = folder / "checkout"
        self.checkout.mkdir()
        # act brings the caller's files itself.
        (self.checkout / "action.yml").write_text(
            'name: checkout\nruns:\n  using: composite\n  steps:\n    - shell: bash\n      run: "true"\n'
        )
        for source in self.sources():
            target = self.copy / source.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(SELF.sub(SELF_AS, source.read_bytes()))
            shutil.copymode(source, target)
        workflows = (root / ".github/workflows").glob("*.yml")
        self.checkouts = {ref for file in workflows for ref in CHECKOUT.findall(file.read_text())}

    def sources(self):
        for name in COPIED:
            path = self.root / name
            yield from (file for file in sorted(path.rglob("*")) if file.is_file()) if path.is_dir() else [path]

    def points(self, folder, *arguments):
        """The points that the binary makes of a caller's configs, run directly."""
        command = [self.binary, "matrix", "full-sweep", "--config-files", "configs/master.yaml", "--points", *arguments]
        ran = subprocess.run(command, cwd=folder, env=clean_environment(), capture_output=True, check=True)
        return json.loads(ran.stdout)

    def caller(self, folder, workflow, files):
        return Caller(self, folder, workflow, files)


class Caller:
    """A repository with one workflow, `caller.yml`."""

    def __init__(self, world, folder, workflow, files):
        self.world, self.folder = world, folder / "caller"
        for name, text in {".github/workflows/caller.yml": workflow, **files}.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        # act wants a commit and an origin, from which it takes github.sha and github.repository.
        git = ["git", "-c", "user.name=e2e", "-c", "user.email=e2e@localhost", "-c", "init.defaultBranch=main"]
        for words in (
            ["init", "--quiet"],
            ["add", "--all"],
            ["commit", "--quiet", "--message=configs"],
            ["remote", "add", "origin", "https://github.com/acme/caller.git"],
        ):
            env = clean_environment(HOME=world.home, GIT_CONFIG_NOSYSTEM="1")
            subprocess.run([*git, *words], cwd=self.folder, env=env, check=True)

    def act(self, *flags, labels=(ONE_LABEL,), jobs=8, timeout=600):
        """Runs the workflow. `labels` are those that have a runner, `jobs` how many run at once."""
        world = self.world
        command = ["act", "workflow_dispatch", "--json", "-W", ".github/workflows/caller.yml"]
        command += ["--concurrent-jobs", str(jobs), "--no-cache-server", "--action-offline-mode"]
        command += ["--action-cache-path", str(self.folder.parent / "cache")]
        command += [word for label in labels for word in ("-P", f"{label}=-self-hosted")]
        command += ["--local-repository", f"org/srtx@test={world.copy}"]
        command += [word for ref in world.checkouts for word in ("--local-repository", f"{ref}={world.checkout}")]
        # Whatever tries the network finds no way out.
        nowhere = "http://127.0.0.1:9"
        # Collecting garbage is a quarter of what act does.
        env = clean_environment(HOME=world.home, http_proxy=nowhere, https_proxy=nowhere, GOGC=800)
        run = Run()
        process = subprocess.Popen(
            [*command, *flags], cwd=self.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        try:
            for line in process.stdout:
                run.take(line.decode("utf-8", "surrogateescape"))
            run.exit = process.wait(timeout)
        finally:
            process.kill()
            process.wait()
        return run


class Run:
    """What act said, by job and step."""

    def __init__(self):
        self.exit = None
        self.lines = []
        # All that the jobs printed, in order, by job.
        self.printed = collections.defaultdict(list)
        self.results = collections.defaultdict(list)
        self.outputs = collections.defaultdict(dict)
        self.summaries = []
        # What act took for a workflow command: its name, and the record.
        self.commands = []
        # The points that jobs started with, by job.
        self.started = {}

    def take(self, line):
        try:
            record = json.loads(line)
        except ValueError:
            record = {"msg": line}
        message = record.get("msg", "")
        # The matrix stands in every record; without it a log of 1,820 points is small.
        point = record.pop("matrix", {}).get("point")
        # act pads names, so that its lines stand in columns.
        job = record.get("job", "").rstrip()
        self.lines.append(message)
        if point is not None:
            self.started[job] = point
        if record.get("raw_output"):
            self.printed[job].append((tuple(record.get("stepID", [])), message))
        if "jobResult" in record:
            self.results[job].append(record["jobResult"])
        command = record.get("command")
        if command == "set-output":
            self.outputs[job, tuple(record["stepID"])][record["name"]] = record["arg"]
        elif command == "summary":
            # Of the step, and again of the action around it.
            if record["content"] not in self.summaries:
                self.summaries.append(record["content"])
        elif command not in (None, "add-path"):
            self.commands.append(record)

    @property
    def log(self):
        return "".join(line if line.endswith("\n") else line + "\n" for line in self.lines)

    def printed_by(self, job, step=None):
        return "".join(text for steps, text in self.printed[job] if step is None or steps[: len(step)] == step)

    def job(self, ending):
        """The one job whose name ends so."""
        names = [name for name in self.results if name.endswith(ending)]
        assert len(names) == 1, f"{ending}: {names} of {list(self.results)}"
        return names[0]

    def point_jobs(self):
        """The jobs of points, by key; each must have run once."""
        jobs = collections.defaultdict(list)
        for job, point in self.started.items():
            jobs[point["key"]].append(job)
        return jobs

    def printed_points(self):
        """The points that the jobs printed."""
        points = []
        for job in self.started:
            text = self.printed_by(job)
            start = text.find("{\n")
            if start >= 0:
                points.append(json.loads(text[start:]))
        return points

    def annotations(self):
        return [(r["command"], r.get("kvPairs") or {}, r.get("arg", "")) for r in self.commands]

    def skipped_labels(self):
        return [line for line in self.lines if "Skipping unsupported platform" in line]


def patient(folder, binary):
    """A binary that runs ours, writes down the size of the output file before and after, and takes its time to fail.

    act stops reading when a step fails, and loses what it has not read by then.
    """
    script, record = folder / "bin/srtx-gh", folder / "output-files"
    script.parent.mkdir()
    script.write_text(
        "#!/bin/sh\n"
        'before=$(wc -c <"$GITHUB_OUTPUT")\n'
        f'"{binary}" "$@"\n'
        "code=$?\n"
        f'printf "%s %s\\n" "$before" "$(wc -c <"$GITHUB_OUTPUT")" >>"{record}"\n'
        '[ "$code" = 0 ] || sleep 0.3\n'
        "exit $code\n"
    )
    os.chmod(script, 0o755)
    return script
