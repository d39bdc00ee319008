"""Turns what a benchmark wrote into one record, with the parameters of the point."""

import argparse
import json
import os
import pathlib
import statistics

SINGLE = ["TP", "PP_SIZE", "DCP_SIZE", "PCP_SIZE", "EP_SIZE", "DP_ATTENTION"]
ROLE = ["NUM_WORKERS", "TP", "PP_SIZE", "DCP_SIZE", "PCP_SIZE", "EP", "DP_ATTN"]


def parameters():
    common = {
        "exp_name": os.environ["EXP_NAME"],
        "model": os.environ["MODEL"],
        "framework": os.environ["FRAMEWORK"],
        "precision": os.environ["PRECISION"],
        "runner": os.environ["RUNNER_TYPE"],
        "isl": os.environ["ISL"],
        "osl": os.environ["OSL"],
        "scenario": os.environ["SCENARIO_TYPE"],
        "spec": os.environ["SPEC_DECODING"],
    }
    if os.environ["IS_MULTINODE"] == "true":
        for role in ("PREFILL", "DECODE"):
            common[role.lower()] = {name.lower(): os.environ[f"{role}_{name}"] for name in ROLE}
    else:
        common.update({name.lower(): os.environ[name] for name in SINGLE})
    return common


def read(path):
    with open(path) as handle:
        data = json.load(handle)
    latencies = data.get("latencies", [])
    return {
        "requests": len(latencies),
        "median_latency": statistics.median(latencies) if latencies else None,
        "wall": data.get("wall"),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    args = parser.parse_args()
    name = os.environ["RESULT_FILENAME"]
    paths = sorted(args.source.glob(f"{name}_conc*.json")) if args.source.is_dir() else [args.source]
    record = {"parameters": parameters(), "points": {path.stem: read(path) for path in paths}}
    args.output.parent.mkdir(parents=True, exist_ok=True)
    args.output.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
