"""Prints the config keys of the failed jobs of a run, separated by spaces."""

import json
import os
import re
import subprocess
import sys


def main():
    run = sys.argv[1]
    repository = os.environ["GITHUB_REPOSITORY"]
    text = subprocess.run(
        ["gh", "api", f"repos/{repository}/actions/runs/{run}/jobs?per_page=100"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    keys = set()
    for job in json.loads(text)["jobs"]:
        match = re.search(r"/ ([a-z0-9.]+)_", job["name"])
        if job["conclusion"] == "failure" and match:
            keys.add(f"{match.group(1)}-*")
    print(" ".join(sorted(keys)))


if __name__ == "__main__":
    main()
