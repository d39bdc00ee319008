#!/usr/bin/env python3
"""Waits until servers are idle: no running and no waiting request on three polls in a row.

usage: drain.py --timeout SECONDS --poll SECONDS [--worker URL]... [--frontend-may-lack-metrics] FRONTEND_URL

The URLs are those of Prometheus pages. A poll that fails, at one server or all, says nothing and starts the count anew.
Exit 0 when idle, 1 when that took too long: then stderr names who was still active. Standard library only.
"""

import argparse
import re
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

ACTIVE = (
    "dynamo_frontend_active_requests",
    # Older and newer frontends have these instead.
    "dynamo_frontend_inflight_requests",
    "dynamo_frontend_queued_requests",
    "vllm:num_requests_running",
    "vllm:num_requests_waiting",
    "trtllm_num_requests_running",
    "trtllm_num_requests_waiting",
    "sglang:num_running_reqs",
    "sglang:num_queue_reqs",
)
IDLE_POLLS = 3
REQUEST_SECONDS = 10.0
# Name, labels (quoted values may hold braces and escaped quotes), value; a time stamp may follow.
SAMPLE = re.compile(
    r'([A-Za-z_:][A-Za-z0-9_:]*)(?:\s*\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\}\s*|\s+)([^\s{}]+)(?:\s+[-+0-9.eE]+)?'
)
# Requests to servers of our own must not go through a proxy that the container happens to name.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Unknown(Exception):
    """The poll says nothing about the server."""


def active_requests(page):
    """The known gauges of a page and their sums over all series."""
    found = {}
    for line in page.splitlines():
        line = line.strip()
        if not line.startswith(ACTIVE):
            continue
        name = re.match(r"[A-Za-z0-9_:]*", line).group()
        if name not in ACTIVE:
            continue
        sample = SAMPLE.fullmatch(line)
        try:
            value = float(sample.group(2))
        except (AttributeError, ValueError):
            raise Unknown(f"unreadable line {line[:120]!r}") from None
        if not value >= 0:
            raise Unknown(f"{name} is {value}")
        found[name] = found.get(name, 0.0) + value
    return found


def poll(url, may_lack_metrics):
    try:
        with OPENER.open(url, timeout=REQUEST_SECONDS) as answer:
            page = answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        if may_lack_metrics and error.code in (404, 405, 501):
            return {}
        raise Unknown(f"HTTP {error.code}") from None
    except Exception as error:  # refused, reset, timed out, no HTTP at all: each is a failed poll
        raise Unknown(str(getattr(error, "reason", error)) or type(error).__name__) from None
    found = active_requests(page)
    if not found and not may_lack_metrics:
        raise Unknown("no gauge of running or waiting requests is known here")
    return found


def state_of(url, may_lack_metrics):
    """Whether the server is idle, and what to say of it."""
    try:
        found = poll(url, may_lack_metrics)
    except Unknown as error:
        return False, f"{url}: {error}"
    active = {name: value for name, value in found.items() if value > 0}
    if not active:
        return True, f"{url}: idle"
    return False, f"{url}: " + ", ".join(f"{name} {value:g}" for name, value in active.items())


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("frontend")
    parser.add_argument("--worker", action="append", default=[])
    parser.add_argument("--timeout", type=float, required=True)
    parser.add_argument("--poll", type=float, required=True)
    parser.add_argument("--frontend-may-lack-metrics", action="store_true")
    return parser.parse_args()


def main():
    asked = arguments()
    servers = {asked.frontend: asked.frontend_may_lack_metrics}
    servers.update({url: False for url in asked.worker})
    started = time.monotonic()
    idle_polls, said = 0, None
    with ThreadPoolExecutor(max_workers=min(32, len(servers))) as pool:
        while True:
            states = list(pool.map(state_of, servers, servers.values()))
            busy = "; ".join(text for idle, text in states if not idle)
            idle_polls = 0 if busy else idle_polls + 1
            waited = time.monotonic() - started
            if idle_polls >= IDLE_POLLS:
                print(f"agentx: the servers are idle after {waited:.0f} s", file=sys.stderr)
                return 0
            if waited >= asked.timeout:
                reason = busy or f"idle on {idle_polls} polls in a row only, {IDLE_POLLS} are needed"
                print(f"error: the servers were not idle after {asked.timeout:g} s: {reason}", file=sys.stderr)
                print("  = help: see what holds the requests; AIPERF_DRAIN_TIMEOUT_SECONDS gives more time", file=sys.stderr)
                return 1
            if busy and busy != said:
                said = busy
                print(f"agentx: waiting for idle servers: {busy}", file=sys.stderr)
            time.sleep(asked.poll)


if __name__ == "__main__":
    sys.exit(main())
