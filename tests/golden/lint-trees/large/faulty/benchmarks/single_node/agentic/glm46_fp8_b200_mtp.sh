#!/usr/bin/env bash
# GLM 4.6, FP8, agentic sessions, SGLang with MTP on B200.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$HERE/../../lib/common.sh"
source "$HERE/../../lib/single.sh"
source "$HERE/../../lib/agentic.sh"

check_env_vars MODEL MODEL_PATH TP EP_SIZE DP_ATTENTION CONC DURATION KV_OFFLOADING \
    TOTAL_CPU_DRAM_GB RESULT_DIR RESULT_FILENAME PORT \
    GPU_COUNT GPU_MONITOR_INTERVAL

for setting in SGLANG_ENABLE_SPEC_V2=1 NCCL_NVLS_ENABLE=1; do
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
    --attention-backend trtllm_mha
    --chunked-prefill-size 16384
    --mem-fraction-static 0.84
    --cuda-graph-max-bs "$((CONC < 8 ? 8 : CONC))"
)
if [[ "$DP_ATTENTION" == true ]]; then
    server_args+=(--enable-dp-attention --dp-size "$TP")
fi

# The draft heads of the checkpoint; deeper drafts pay only while the batch is small.
if ((CONC <= 16)); then
    draft_steps=3
else
    draft_steps=1
fi
server_args+=(--speculative-algorithm EAGLE --speculative-num-steps "$draft_steps"
    --speculative-eagle-topk 1 --speculative-num-draft-tokens "$((draft_steps + 1))")
offload_args_sglang
server_args+=("${OFFLOAD_ARGS[@]}")

python3 -m sglang.launch_server "${server_args[@]}" >"$SERVER_LOG" 2>&1 &
SERVER_PID=$!
wait_for_server "$PORT" "$SERVER_PID" "$SERVER_LOG"
start_router "http://127.0.0.1:${PORT}"
measure_agentic
