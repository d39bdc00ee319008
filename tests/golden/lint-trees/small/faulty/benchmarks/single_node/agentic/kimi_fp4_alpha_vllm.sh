#!/usr/bin/env bash
source "$(dirname "$0")/../../lib.sh"
check_env_vars MODEL CONC KV_OFFLOADING \
    TOTAL_CPU_DRAM_GB RESULT_DIR
PORT="${PORT:-8888}"
for switch in VLLM_USE_V1 VLLM_LOG_STATS; do
    export "$switch=1"
done
vllm serve "$MODEL" --port "$PORT" --swap "$TOTAL_CPU_DRAM_GB" > "$CACHE_MOUNT/server.log" 2>&1 &
SERVER=$!
if [[ "${KEEP_LOGS:-0}" == 1 ]]; then
    cp "$CACHE_MOUNT/server.log" "$RESULT_DIR/"
fi
run_client --offload "$KV_OFFLOADING"
kill "$SERVER"
