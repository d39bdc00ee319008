#!/usr/bin/env bash
set -e
vllm serve "$MODEL" --port "$PORT" --offload "$KV_OFFLOADING"
for size in 1 2; do
    echo "$size"
done
