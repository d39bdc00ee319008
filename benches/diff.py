#!/usr/bin/env python3
"""How long `srtx-gh diff` takes between two commits of real configs.

    cargo build --release && python3 benches/diff.py DIR --bin target/release/srtx-gh

DIR holds `amd-master.yaml`, `nvidia-master.yaml` and `runners.yaml`. They become a repository of two commits; in the second
one config key has another name, every fifth config another image, and every fourth ladder another end. Fails over 300 ms,
the median of the runs counting.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS, MAX_SECONDS = 20, 0.3
FILES = ["amd-master.yaml", "nvidia-master.yaml", "runners.yaml"]


def git(folder, *words):
    settings = ["-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True)


def every(nth, pattern, replace, text):
    count = 0

    def one(match):
        nonlocal count
        count += 1
        return replace(match) if count % nth == 0 else match[0]

    return re.sub(pattern, one, text, flags=re.M)


def changed(text):
    text = re.sub(r"^([\w.-]+):$", r"\1-renamed:", text, count=1, flags=re.M)
    text = every(5, r"^  image: ([^\s\"]+)$", lambda match: f"  image: {match[1]}-next", text)
    return every(4, r"conc-end: (\d+)", lambda match: f"conc-end: {2 * int(match[1])}", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir", type=Path)
    parser.add_argument("--bin", default="target/release/srtx-gh")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        configs = Path(name) / "configs"
        configs.mkdir()
        for file in FILES:
            shutil.copy(options.dir / file, configs / file)
        git(name, "init", "--quiet")
        git(name, "add", "--all")
        git(name, "commit", "--quiet", "-m", "before")
        for file in FILES[:2]:
            path = configs / file
            path.write_text(changed(path.read_text()))
        git(name, "commit", "--quiet", "--all", "-m", "after")
        command = [os.path.abspath(options.bin), "diff", "HEAD~1..HEAD", "--format", "json"]
        seconds = []
        for _ in range(RUNS + 1):
            start = time.perf_counter()
            done = subprocess.run(command, cwd=name, capture_output=True, text=True)
            seconds.append(time.perf_counter() - start)
            if done.returncode != 0:
                sys.exit(done.stderr[-2000:])
    # The first run also fills the caches of the system.
    seconds = sorted(seconds[1:])
    counts = {kind: len(value) for kind, value in json.loads(done.stdout).items() if isinstance(value, list)}
    size = sum((options.dir / file).stat().st_size for file in FILES) // 1024
    found = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    median = statistics.median(seconds)
    print(f"two commits of {size} KB of configs, {found}: {median * 1000:.0f} ms ({seconds[0] * 1000:.0f} to {seconds[-1] * 1000:.0f})")
    return 0 if median < MAX_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
