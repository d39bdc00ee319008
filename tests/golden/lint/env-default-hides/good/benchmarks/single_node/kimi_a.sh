#!/usr/bin/env bash
set -e
vllm serve "$MODEL" --port "$PORT" --offload "$KV_OFFLOADING"
python3 benchmarks/report.py "${KEEP_LOGS:-0}"
DEPTH="${DEPTH:-3}"
echo "$DEPTH"
