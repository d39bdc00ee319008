#!/usr/bin/env bash
srun --container-image "$IMAGE" bash benchmarks/single_node/kimi_a.sh "$KV_OFFLOADING"
rc=$?
scancel --name "$RUNNER_NAME"
exit "$rc"
