#!/usr/bin/env bash
set -euo pipefail
: "${MOUNTS:?}"
vllm serve "$MODEL" --mounts "$MOUNTS" --offload "$KV_OFFLOADING"
