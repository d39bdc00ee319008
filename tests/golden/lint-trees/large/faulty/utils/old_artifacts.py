"""Lists artifacts older than some days, and removes them when asked to."""

import argparse
import datetime
import json
import os
import subprocess


def gh(*words):
    return subprocess.run(["gh", "api", *words], capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, required=True)
    parser.add_argument("--delete", action="store_true")
    args = parser.parse_args()
    repository = os.environ["GITHUB_REPOSITORY"]
    limit = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=args.days)
    for artifact in json.loads(gh(f"repos/{repository}/actions/artifacts?per_page=100"))["artifacts"]:
        created = datetime.datetime.fromisoformat(artifact["created_at"].replace("Z", "+00:00"))
        if created < limit:
            print(artifact["name"])
            if args.delete:
                gh("--method", "DELETE", f"repos/{repository}/actions/artifacts/{artifact['id']}")


if __name__ == "__main__":
    main()
