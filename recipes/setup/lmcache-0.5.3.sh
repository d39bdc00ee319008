#!/usr/bin/env bash
# In the worker container, before the servers start: the cache that KV spills to. Without its dependencies, of which the
# image has its own torch.
set -euo pipefail

PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install --no-cache-dir --no-deps lmcache==0.5.3
