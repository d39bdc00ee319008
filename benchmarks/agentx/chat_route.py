#!/usr/bin/env python3
"""Waits until a chat route answers a request of one token.

usage: chat_route.py --model NAME --timeout SECONDS --poll SECONDS URL

Exit 0 once it answers with success, 1 when that took too long: then stderr has the last answer. Standard library only.
"""

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.request

# Requests to servers of our own must not go through a proxy that the container happens to name.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def ask(url, model, seconds):
    """Nothing when the route works, else what it answered."""
    body = {"model": model, "messages": [{"role": "user", "content": "hi"}], "max_tokens": 1}
    headers = {"Content-Type": "application/json"}
    if os.environ.get("OPENAI_API_KEY"):
        headers["Authorization"] = "Bearer " + os.environ["OPENAI_API_KEY"]
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method="POST")
    try:
        with OPENER.open(request, timeout=seconds) as answer:
            answer.read()
            return None
    except urllib.error.HTTPError as error:
        return f"HTTP {error.code}: {error.read(300).decode('utf-8', 'replace')!r}"
    except Exception as error:  # refused, reset, timed out, no HTTP at all: not ready
        return str(getattr(error, "reason", error)) or type(error).__name__


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--model", required=True)
    parser.add_argument("--timeout", type=float, required=True)
    parser.add_argument("--poll", type=float, required=True)
    asked = parser.parse_args()
    started = time.monotonic()
    while True:
        left = asked.timeout - (time.monotonic() - started)
        # The first answer of an engine may take minutes: it compiles.
        answer = ask(asked.url, asked.model, max(1.0, min(600.0, left)))
        waited = time.monotonic() - started
        if answer is None:
            print(f"agentx: {asked.url} answers after {waited:.0f} s", file=sys.stderr)
            return 0
        if waited >= asked.timeout:
            print(f"error: {asked.url} did not answer within {asked.timeout:g} s; at last: {answer}", file=sys.stderr)
            print("  = help: look into the servers' logs; AGENTX_CHAT_ROUTE_TIMEOUT_SECONDS gives more time", file=sys.stderr)
            return 1
        time.sleep(asked.poll)


if __name__ == "__main__":
    sys.exit(main())
