#!/usr/bin/env bash
# GLM 4.6, FP8, agentic sessions, SGLang on MI355X.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$HERE/../../lib/common.sh"
source "$HERE/../../lib/single.sh"
source "$HERE/../../lib/agentic.sh"

check_env_vars MODEL MODEL_PATH TP EP_SIZE DP_ATTENTION CONC DURATION KV_OFFLOADING \
    TOTAL_CPU_DRAM_GB RESULT_DIR RESULT_FILENAME PORT \
    GPU_COUNT GPU_MONITOR_INTERVAL

export SGLANG_USE_AITER=1

trap cleanup_single EXIT
write_single_metadata
model=$(resolve_model)
SERVER_LOG="$RESULT_DIR/server.log"

server_args=(
    --model-path "$model"
    --host 127.0.0.1
    --port "$PORT"
    --tp-size "$TP"
    --ep-size "$EP_SIZE"
    --attention-backend aiter
    --chunked-prefill-size 16384
    --mem-fraction-static 0.82
    --cuda-graph-max-bs "$((CONC < 8 ? 8 : CONC))"
)
if [[ "$DP_ATTENTION" == true ]]; then
    server_args+=(--enable-dp-attention --dp-size "$TP")
fi
offload_args_sglang
server_args+=("${OFFLOAD_ARGS[@]}")

python3 -m sglang.launch_server "${server_args[@]}" >"$SERVER_LOG" 2>&1 &
SERVER_PID=$!
wait_for_server "$PORT" "$SERVER_PID" "$SERVER_LOG"
start_router "http://127.0.0.1:${PORT}"
measure_agentic
