#!/usr/bin/env bash
set -euo pipefail
sed -i -e "s/^name:.*/name: $RUNNER_NAME/" "$RECIPE"
srtctl apply -f "$RECIPE"
srun --container-image "$IMAGE" --export=ALL,PORT=8888 bash "benchmarks/single_node/${MODEL##*/}_a.sh" "$KV_OFFLOADING"
