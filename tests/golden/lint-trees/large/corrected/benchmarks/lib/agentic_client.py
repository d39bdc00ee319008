"""Multi-turn sessions: each turn appends the answer of the previous one."""

import argparse
import json
import threading
import time
import urllib.request


def turn(url, model, messages):
    body = json.dumps({"model": model, "messages": messages, "max_tokens": 512}).encode()
    request = urllib.request.Request(url + "/v1/chat/completions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=900) as answer:
        return json.load(answer)["choices"][0]["message"]


def session(url, model, end, out):
    messages = [{"role": "user", "content": "List the files of the project and describe each."}]
    while time.monotonic() < end:
        start = time.monotonic()
        messages.append(turn(url, model, messages))
        out.append(time.monotonic() - start)
        messages.append({"role": "user", "content": "Continue with the next file."})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--sessions", type=int, required=True)
    parser.add_argument("--duration", type=int, required=True)
    parser.add_argument("--result-file", required=True)
    args = parser.parse_args()
    end = time.monotonic() + args.duration
    times = []
    threads = [threading.Thread(target=session, args=(args.url, args.model, end, times)) for _ in range(args.sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open(args.result_file, "w") as handle:
        json.dump({"turns": len(times), "latencies": times}, handle)


if __name__ == "__main__":
    main()
