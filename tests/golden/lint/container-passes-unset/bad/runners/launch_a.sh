#!/usr/bin/env bash
set -e
options=(--rm -e MODEL -e DRAFT_TOKENS)
options+=(-e KV_OFFLOADING)
docker run "${options[@]}" -e PORT=8888 "$IMAGE" bash "benchmarks/single_node/${MODEL##*/}_a.sh"
