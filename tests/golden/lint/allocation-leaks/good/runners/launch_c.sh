#!/usr/bin/env bash
set -e
source runners/lib.sh
arm_cancel "$RUNNER_NAME"
salloc --no-shell -N 1 -J "$RUNNER_NAME"
srun --container-image "$IMAGE" bash benchmarks/single_node/kimi_a.sh "$KV_OFFLOADING"
