"""Thin front of the evaluation harness."""

import argparse
import json
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", required=True, choices=["lm-eval"])
    parser.add_argument("--suite", default="gsm8k")
    parser.add_argument("--url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--concurrency", type=int, required=True)
    parser.add_argument("--max-length", type=int, required=True)
    parser.add_argument("--result-file", required=True)
    args = parser.parse_args()
    model_args = ",".join(
        [
            f"model={args.model}",
            f"base_url={args.url}/v1/completions",
            f"num_concurrent={args.concurrency}",
            f"max_length={args.max_length or 32768}",
        ]
    )
    done = subprocess.run(
        ["lm_eval", "--model", "local-completions", "--model_args", model_args, "--tasks", args.suite],
        capture_output=True,
        text=True,
    )
    with open(args.result_file, "w") as handle:
        json.dump({"suite": args.suite, "exit": done.returncode, "text": done.stdout[-4000:]}, handle)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
