#!/usr/bin/env bash
set -euo pipefail
folder=/data/results
mkdir -p "$folder"
srun --container-image "$IMAGE" --export=ALL,PORT=8888 bash "benchmarks/single_node/${MODEL##*/}_a.sh" "$KV_OFFLOADING"
