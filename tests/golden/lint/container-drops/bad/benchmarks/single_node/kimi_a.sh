#!/usr/bin/env bash
set -e
: "${MODEL:?}" "${KV_OFFLOADING:?}" "${PORT:?}"
vllm serve "$MODEL" --port "$PORT" --offload "$KV_OFFLOADING"
