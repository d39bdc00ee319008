"""Prints a Markdown table of an aggregate, or of the files in a directory."""

import argparse
import json
import pathlib


def rows(source):
    if source.is_dir():
        for path in sorted(source.rglob("*.json")):
            yield path.stem, json.loads(path.read_text()).get("requests", "")
        return
    for record in json.loads(source.read_text()):
        for name, point in record["points"].items():
            yield name, point["median_latency"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--title", required=True)
    args = parser.parse_args()
    print(f"## {args.title}\n\n| point | value |\n|---|---|")
    for name, value in rows(args.source):
        print(f"| {name} | {value} |")


if __name__ == "__main__":
    main()
