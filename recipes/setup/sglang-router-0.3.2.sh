#!/usr/bin/env bash
# In the worker container, before the servers start: the router of the variants with DP attention.
set -euo pipefail

PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install --no-cache-dir sglang-router==0.3.2
