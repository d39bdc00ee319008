#!/usr/bin/env bash
set -e
srun --export=MODEL,PORT=1 --container-image "$IMAGE" bash "benchmarks/single_node/${MODEL##*/}_a.sh"
