#!/usr/bin/env bash
set -e
source "$(dirname "$0")/../lib.sh"
check_env_vars MODEL \
    KV_OFFLOADING MAX_TOKENS
: "${PORTS:?no port}"
vllm serve "$MODEL" --port "$PORT" --offload "$KV_OFFLOADING"
