#!/usr/bin/env bash
set -e
collect() {
    local rc=$?
    tar -czf logs.tar.gz logs
    exit "$rc"
}
trap collect EXIT
srun --container-image "$IMAGE" bash benchmarks/single_node/kimi_a.sh "$KV_OFFLOADING"
