#!/usr/bin/env bash
srun --container-image "$IMAGE" bash benchmarks/single_node/kimi_a.sh "$KV_OFFLOADING"
scancel --name "$RUNNER_NAME"
