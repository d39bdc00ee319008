"""Questions about perf-changelog.yaml between two commits."""

import argparse
import subprocess

import yaml

PATH = "perf-changelog.yaml"


def entries(ref=None):
    if ref is None:
        with open(PATH) as handle:
            text = handle.read()
    else:
        text = subprocess.run(["git", "show", f"{ref}:{PATH}"], capture_output=True, text=True, check=True).stdout
    return yaml.safe_load(text) or []


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question", choices=["added", "changed"])
    parser.add_argument("--base", required=True)
    parser.add_argument("--author", default="")
    args = parser.parse_args()
    old = entries(args.base)
    new = [entry for entry in entries() if entry not in old]
    if args.question == "added":
        print(sum(1 for entry in new if not args.author or entry.get("author", args.author) == args.author))
        return
    for key in sorted({key for entry in new for key in entry["configs"]}):
        print(key)


if __name__ == "__main__":
    main()
