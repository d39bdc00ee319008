#!/usr/bin/env bash
set -euo pipefail
limit=()
[[ "${OFFLOADING:-none}" == none ]] || limit=(--mem=0)
srun "${limit[@]}" --container-image "$IMAGE" --export=ALL,PORT=8888 bash "benchmarks/single_node/${MODEL##*/}_a.sh" "$KV_OFFLOADING"
