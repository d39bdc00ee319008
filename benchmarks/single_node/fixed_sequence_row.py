#!/usr/bin/env python3
"""Turns what a load generator wrote into the one JSON object that results are made of, and refuses what is no result.

vLLM's names are kept. SGLang writes a line of JSON for each run and names some of the same values differently.
"""

import argparse
import json
import math
import os
import sys

# Above this share of failed requests the rest is measured on a lighter load than was asked for.
FAILED_SHARE = 0.05
REQUIRED = ("model_id", "max_concurrency", "total_token_throughput", "output_throughput")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, required=True, help="how many requests were asked for")
    parser.add_argument("raw")
    parser.add_argument("result")
    arguments = parser.parse_args()
    try:
        row = read(arguments.raw)
    except (OSError, ValueError) as error:
        return wrong(f"{arguments.raw} cannot be read: {error}")
    normalise(row)
    missing = [name for name in REQUIRED if name not in row]
    if missing:
        return wrong(f"{arguments.raw} has no {', '.join(missing)}: the load generator is another than this client knows")
    rates = [row["total_token_throughput"], row["output_throughput"]]
    if not all(isinstance(rate, (int, float)) and math.isfinite(rate) and rate > 0 for rate in rates):
        return wrong(f"{arguments.raw} has a throughput of {rates[0]} tokens/s, {rates[1]} of them output")
    completed = row.get("completed", 0)
    if completed < arguments.requests * (1 - FAILED_SHARE):
        return wrong(f"{completed} of {arguments.requests} requests were answered, more than {FAILED_SHARE:.0%} failed")
    temporary = f"{arguments.result}.partial"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(row, file, indent=2)
        file.write("\n")
    os.replace(temporary, arguments.result)
    return 0


def read(path: str) -> dict:
    with open(path, encoding="utf-8") as file:
        text = file.read().strip()
    try:
        row = json.loads(text)
    except ValueError:
        row = json.loads(text.splitlines()[-1] if text else text)
    if not isinstance(row, dict):
        raise ValueError("it is no JSON object")
    return row


def normalise(row: dict) -> None:
    row.setdefault("model_id", os.environ["MODEL"])
    row.setdefault("max_concurrency", int(os.environ["CONC"]))
    if "total_token_throughput" not in row:
        both = [row.get("input_throughput"), row.get("output_throughput")]
        if all(isinstance(rate, (int, float)) for rate in both):
            row["total_token_throughput"] = sum(both)
    for name in [name for name in row if "e2e_latency" in name]:
        row[name.replace("e2e_latency", "e2el")] = row.pop(name)


def wrong(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
