#!/usr/bin/env python3
"""How long routing takes for a sweep of 2,000 points over 500 variants, whole process. Needs python3.

    cargo build --release && python3 benches/bind.py --bin target/release/srtx-gh [--check]

Twice: 50 recipes with ten variants each, one a topology, and one recipe with 500 variants, one a topology and concurrency.
Every point must come out native, or the time means nothing. Processor time is judged, since machines are shared; the wall
clock stands beside it. --check exits 1 when a run needs more than 300 ms.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

TARGET_MS = 300
REPEATS = 5
TOPOLOGIES = [(1, 1), (2, 1), (2, 2), (4, 1), (4, 2), (4, 4), (8, 1), (8, 2), (8, 4), (8, 8)]

RUNNERS = """labels:
  b200: [b200-bench_0]
  cluster:b200-bench: [b200-bench_0]
clusters:
  b200-bench: { gpus-per-node: 8, available-cpu-dram-mib: 2000000 }
"""


def config(number, recipe, concurrencies):
    entries = "".join(
        f"      - {{ tp: {tp}, ep: {ep}, conc-list: {concurrencies}, srt-recipe: {recipe} }}\n" for tp, ep in TOPOLOGIES
    )
    return (
        f"model{number}-fp8-b200-sglang:\n  image: org/server:v1\n  model: org/M\n  model-prefix: model{number}\n"
        "  runner: b200\n  precision: fp8\n  framework: sglang\n  multinode: false\n  scenarios:\n    fixed-seq-len:\n"
        f"    - isl: 8192\n      osl: 1024\n      search-space:\n{entries}"
    )


def recipe(concurrencies):
    text = (
        "base:\n  schema: 2\n  name: m\n  engine: sglang\n"
        "  model: { path: 'hf:org/M', container: 'org/server:v1', precision: fp8 }\n"
        "  roles:\n    agg:\n      nodes: 1\n      workers: 1\n      gpus: 8\n      args:\n"
        + "".join(f"        argument-{n}: {n}\n" for n in range(20))
        + "  benchmark:\n    type: custom\n    command: bash client.sh\n    env:\n      MODEL: org/M\n"
        "      USE_CHAT_TEMPLATE: 'false'\n      ISL: 8192\n      OSL: 1024\n      RANDOM_RANGE_RATIO: 0.8\n"
    )
    for tp, ep in TOPOLOGIES:
        for concurrency in concurrencies or [None]:
            name = f"override_tp{tp}_ep{ep}" + (f"_c{concurrency}" if concurrency else "")
            text += (
                f"{name}:\n  roles: {{ agg: {{ gpus: {tp}, args: {{ tensor-parallel-size: {tp}, "
                f"expert-parallel-size: {ep} }} }} }}\n"
            )
            if concurrency:
                text += f"  benchmark: {{ env: {{ CONC: '{concurrency}' }} }}\n"
    return text


def write(folder, configs, recipes):
    for name in ("configs", "recipes"):
        (folder / name).mkdir(parents=True)
    (folder / "configs/a-master.yaml").write_text("".join(configs), encoding="utf-8")
    (folder / "configs/runners.yaml").write_text(RUNNERS, encoding="utf-8")
    for name, text in recipes.items():
        (folder / name).write_text(text, encoding="utf-8")


def many_files(folder):
    recipes = {f"recipes/r{number}.yaml": recipe(None) for number in range(50)}
    write(folder, [config(number, name, [4, 8, 16, 32]) for number, name in enumerate(recipes)], recipes)


def one_file(folder):
    concurrencies = list(range(1, 51))
    write(folder, [config(number, "recipes/r.yaml", concurrencies) for number in range(4)], {
        "recipes/r.yaml": recipe(concurrencies)
    })


def run(command, folder):
    """Milliseconds on the wall and of the processor, and what it printed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return wall * 1000, used * 1000, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("target/release/srtx-gh"))
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    slow = False
    for name, build in [("50 recipes of 10 variants", many_files), ("one recipe of 500 variants", one_file)]:
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary) / "checkout"
            build(folder)
            command = [args.bin.resolve(), "route", "--config-keys", "*", "--no-evals", "--format", "json"]
            runs = [run(command, folder) for _ in range(REPEATS)]
        decisions = json.loads(runs[0][2])
        native = sum(decision["route"] == "native" for decision in decisions)
        if (native, len(decisions)) != (2000, 2000):
            sys.exit(f"{name}: {native} of {len(decisions)} points are native, expected 2000")
        wall, used = min(run[0] for run in runs), min(run[1] for run in runs)
        slow |= used > TARGET_MS
        print(f"{name}: 2000 points, {used:.0f} ms of the processor, {wall:.0f} ms on the wall (target {TARGET_MS})")
    sys.exit(1 if args.check and slow else 0)


main()
