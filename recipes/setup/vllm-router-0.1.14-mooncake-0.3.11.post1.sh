#!/usr/bin/env bash
# In the worker container, before the servers start: the router that keeps sessions on their rank, and the client of the
# store that their KV spills to. The store's master runs the same release.
set -euo pipefail

PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install --no-cache-dir vllm-router==0.1.14
bash "$(dirname -- "${BASH_SOURCE[0]}")/mooncake-0.3.11.post1.sh"
