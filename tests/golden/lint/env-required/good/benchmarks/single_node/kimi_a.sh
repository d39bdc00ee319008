#!/usr/bin/env bash
set -e
source "$(dirname "$0")/../lib.sh"
check_env_vars MODEL \
    KV_OFFLOADING
: "${PORT:?no port}"
vllm serve "$MODEL" --port "$PORT" --offload "$KV_OFFLOADING"
