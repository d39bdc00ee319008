"""Closed-loop client with fixed request lengths."""

import argparse
import asyncio
import json
import random
import time
import urllib.request


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--input-len", type=int, required=True)
    parser.add_argument("--output-len", type=int, required=True)
    parser.add_argument("--range-ratio", type=float, required=True)
    parser.add_argument("--num-prompts", type=int, required=True)
    parser.add_argument("--max-concurrency", type=int, required=True)
    parser.add_argument("--result-file", required=True)
    parser.add_argument("--profile", action="store_true", help="ask the server for a trace of the run")
    return parser.parse_args()


def one(url, model, tokens_in, tokens_out):
    body = json.dumps({"model": model, "prompt": [1] * tokens_in, "max_tokens": tokens_out, "ignore_eos": True})
    request = urllib.request.Request(url + "/v1/completions", body.encode(), {"Content-Type": "application/json"})
    start = time.monotonic()
    with urllib.request.urlopen(request, timeout=1800) as answer:
        answer.read()
    return time.monotonic() - start


def trace(url, action):
    request = urllib.request.Request(f"{url}/{action}_profile", b"")
    with urllib.request.urlopen(request, timeout=60):
        pass


async def main():
    args = parse()
    if args.profile:
        trace(args.url, "start")
    rng = random.Random(7)
    gate = asyncio.Semaphore(args.max_concurrency)
    times = []

    async def task():
        scale = rng.uniform(args.range_ratio, 1.0)
        async with gate:
            times.append(
                await asyncio.to_thread(
                    one, args.url, args.model, int(args.input_len * scale), int(args.output_len * scale)
                )
            )

    start = time.monotonic()
    await asyncio.gather(*(task() for _ in range(args.num_prompts)))
    wall = time.monotonic() - start
    if args.profile:
        trace(args.url, "stop")
    with open(args.result_file, "w") as handle:
        json.dump({"requests": len(times), "wall": wall, "latencies": times}, handle)


if __name__ == "__main__":
    asyncio.run(main())
