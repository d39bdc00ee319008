#!/usr/bin/env bash
# DeepSeek V3.1, FP8, SGLang on MI325X.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$HERE/../../lib/common.sh"
source "$HERE/../../lib/single.sh"

check_env_vars MODEL MODEL_PATH TP EP_SIZE DP_ATTENTION CONC ISL OSL \
    MAX_MODEL_LEN RANDOM_RANGE_RATIO RESULT_DIR RESULT_FILENAME \
    PORT GPU_COUNT GPU_MONITOR_INTERVAL

for setting in SGLANG_USE_AITER=1 HSA_NO_SCRATCH_RECLAIM=1; do
    export "${setting?}"
done

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
    --chunked-prefill-size 32768
    --mem-fraction-static 0.85
    --cuda-graph-max-bs "$((CONC < 8 ? 8 : CONC))"
)
server_args+=(--context-length "$MAX_MODEL_LEN" --disable-radix-cache)
if [[ "$DP_ATTENTION" == true ]]; then
    server_args+=(--enable-dp-attention --dp-size "$TP")
fi

python3 -m sglang.launch_server "${server_args[@]}" >"$SERVER_LOG" 2>&1 &
SERVER_PID=$!
wait_for_server "$PORT" "$SERVER_PID" "$SERVER_LOG"
measure_single
