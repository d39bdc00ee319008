#!/usr/bin/env bash
set -euo pipefail
export MODELS_DIR=/scratch/models
export DRAFT=team/draft
srun --container-image "$IMAGE" --export=ALL,PORT=8888 bash "benchmarks/single_node/${MODEL##*/}_a.sh" "$KV_OFFLOADING"
