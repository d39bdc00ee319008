#!/usr/bin/env bash
# gpt-oss 120B, MXFP4, agentic sessions, vLLM on RTX 6000.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$HERE/../../lib/common.sh"
source "$HERE/../../lib/single.sh"
source "$HERE/../../lib/agentic.sh"

check_env_vars MODEL MODEL_PATH TP EP_SIZE DP_ATTENTION CONC DURATION KV_OFFLOADING \
    TOTAL_CPU_DRAM_GB RESULT_DIR RESULT_FILENAME PORT \
    GPU_COUNT GPU_MONITOR_INTERVAL

export NCCL_P2P_LEVEL=SYS

trap cleanup_single EXIT
write_single_metadata
model=$(resolve_model)
SERVER_LOG="$RESULT_DIR/server.log"
BATCHED_TOKENS=8192

cat >"$RESULT_DIR/engine.yaml" <<EOF
tensor-parallel-size: ${TP}
max-num-seqs: $((CONC < 16 ? 16 : CONC))
max-num-batched-tokens: ${BATCHED_TOKENS}
gpu-memory-utilization: 0.90
max-model-len: 131072
enable-prefix-caching: true
disable-custom-all-reduce: true
compilation-config:
  cudagraph_mode: PIECEWISE
EOF

server_args=(--config "$RESULT_DIR/engine.yaml" --port "$PORT" --trust-remote-code)
offload_args_vllm
server_args+=("${OFFLOAD_ARGS[@]}")

vllm serve "$model" "${server_args[@]}" >"$SERVER_LOG" 2>&1 &
SERVER_PID=$!
wait_for_server "$PORT" "$SERVER_PID" "$SERVER_LOG"
start_router "http://127.0.0.1:${PORT}"
measure_agentic
