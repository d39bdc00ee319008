#!/usr/bin/env bash
source "$(dirname "$0")/../../lib.sh"
check_env_vars MODEL CONC KV_OFFLOADING DURATION \
    TOTAL_CPU_DRAM_GB RESULT_DIR
vllm serve "$MODEL" --port "$PORT" --swap "$TOTAL_CPU_DRAM_GB" &
run_client --offload "$KV_OFFLOADING"
