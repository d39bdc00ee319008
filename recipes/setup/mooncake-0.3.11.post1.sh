#!/usr/bin/env bash
# Mooncake's transfer engine and store, in the release that the matrix names. What the image has of it is replaced, and
# nothing else is touched.
set -euo pipefail

PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install --no-cache-dir --no-deps --force-reinstall \
    mooncake-transfer-engine-cuda13==0.3.11.post1
