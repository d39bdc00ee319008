#!/usr/bin/env python3
"""Measures srtx-gh beside the incumbent's first step and beside the floor. Needs hyperfine, GNU time, python3 and PyYAML.

    benches/run.py CONFIG_DIR [--check]

CONFIG_DIR holds amd-master.yaml, nvidia-master.yaml and runners.yaml. Prints one table; --check exits 1 when a target
is missed.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MASTERS = ["amd-master.yaml", "nvidia-master.yaml"]
COPIES = 50


def build():
    command = ["cargo", "build", "--release", "--quiet", "--bin", "srtx-gh", "--example", "yaml-floor"]
    subprocess.run(command, cwd=ROOT, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
    return target / "srtx-gh", target / "examples" / "yaml-floor"


def hyperfine(commands):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        base = ["hyperfine", "-N", "--warmup", "3", "--min-runs", "10", "--export-json", out.name]
        subprocess.run(base + commands, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return json.load(open(out.name))["results"]


def matrix(binary, configs, runners):
    return f"{binary} --diagnostics json matrix full-sweep --config-files {' '.join(configs)} --runner-config {runners}"


def run_once(command):
    """Seconds, peak memory in bytes and bytes of output of one run."""
    # GNU time forks from a small process; a child of this one would count this interpreter's memory as its own.
    with tempfile.NamedTemporaryFile("r") as report, tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        measured = ["time", "--format", "%M", "--output", report.name] + command.split()
        subprocess.run(measured, check=True, stdout=out, stderr=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        return seconds, int(report.read()) * 1024, os.fstat(out.fileno()).st_size


def enlarge(folder, configs, copies):
    """The same configs many times over, under other keys."""
    enlarged = []
    for name in configs:
        text = pathlib.Path(name).read_text(encoding="utf-8")
        target = folder / f"x{copies}-{pathlib.Path(name).name}"
        with open(target, "w", encoding="utf-8") as out:
            for copy in range(copies):
                for line in text.splitlines(keepends=True):
                    is_key = line[:1] not in ("", " ", "#", "\n", "-") and line.rstrip().endswith(":")
                    out.write(f"c{copy}-{line}" if is_key else line)
        enlarged.append(str(target))
    return enlarged


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    binary, floor = build()
    configs = [str(args.configs / name) for name in MASTERS]
    runners = str(args.configs / "runners.yaml")
    files = " ".join(configs + [runners])
    ours, bare, python = hyperfine(
        [matrix(binary, configs, runners), f"{floor} {files}", f"python3 {ROOT / 'benches' / 'load.py'} {files}"]
    )
    bytes_read = sum(os.path.getsize(name) for name in configs + [runners])
    seconds, peak, written = min(run_once(matrix(binary, configs, runners)) for _ in range(5))
    with tempfile.TemporaryDirectory() as folder:
        large = enlarge(pathlib.Path(folder), configs, COPIES)
        large_read = sum(os.path.getsize(name) for name in large + [runners])
        large_seconds, large_peak, large_written = min(run_once(matrix(binary, large, runners)) for _ in range(3))

    rows = [
        ("matrix full-sweep, both masters", f"{ours['median'] * 1000:.1f} ms", ""),
        ("python3, PyYAML safe_load of the same files", f"{python['median'] * 1000:.0f} ms", f"{python['median'] / ours['median']:.1f} times ours (target 30)"),
        ("floor: the parser's events alone", f"{bare['median'] * 1000:.1f} ms", f"ours is {ours['median'] / bare['median']:.2f} times the floor (target 2)"),
        (f"{COPIES} times the configs", f"{large_seconds * 1000:.0f} ms", f"{large_seconds / seconds:.1f} times the time (target 55)"),
        ("peak memory", f"{peak / 1e6:.1f} MB", f"{peak / (bytes_read + written):.1f} times the bytes read and written (target 10)"),
        (f"peak memory, {COPIES} times", f"{large_peak / 1e6:.0f} MB", f"{large_peak / (large_read + large_written):.1f} times the bytes read and written (target 10)"),
    ]
    width = max(len(name) for name, *_ in rows)
    for name, value, remark in rows:
        print(f"{name:{width}}  {value:>9}  {remark}".rstrip())
    missed = (
        python["median"] / ours["median"] < 30
        or ours["median"] / bare["median"] > 2
        or large_seconds / seconds > 55
        or peak > 10 * (bytes_read + written)
        or large_peak > 10 * (large_read + large_written)
    )
    sys.exit(1 if args.check and missed else 0)


main()
