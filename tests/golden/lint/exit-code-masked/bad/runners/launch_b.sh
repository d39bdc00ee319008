#!/usr/bin/env bash
set -e
collect() {
    tar -czf logs.tar.gz logs
    exit 0
}
trap collect EXIT
srun --container-image "$IMAGE" bash benchmarks/single_node/kimi_a.sh "$KV_OFFLOADING"
