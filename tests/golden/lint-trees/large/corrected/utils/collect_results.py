"""Merges the records of many jobs into one list."""

import argparse
import json
import pathlib
import sys

REFERENCE = {"gsm8k": 0.9}


def merge(root):
    records = []
    for path in sorted(root.rglob("result.json")):
        records.append(json.loads(path.read_text()))
    return records


def evals(root, threshold):
    records, good = [], True
    for path in sorted(root.rglob("results_*.json")):
        record = json.loads(path.read_text())
        score = record.get("score")
        wanted = REFERENCE.get(record.get("suite"), 0) - threshold
        record["pass"] = record.get("exit") == 0 and (score is None or score >= wanted)
        good = good and record["pass"]
        records.append(record)
    return records, good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--evals", action="store_true")
    parser.add_argument("--threshold", type=float, default=0.02)
    args = parser.parse_args()
    good = True
    if args.evals:
        records, good = evals(args.root, args.threshold)
    else:
        records = merge(args.root)
    args.output.write_text(json.dumps(records) + "\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
