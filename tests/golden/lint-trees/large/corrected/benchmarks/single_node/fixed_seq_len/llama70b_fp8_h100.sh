#!/usr/bin/env bash
# Llama 3.3 70B, FP8, vLLM on H100.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$HERE/../../lib/common.sh"
source "$HERE/../../lib/single.sh"

check_env_vars MODEL MODEL_PATH TP EP_SIZE CONC ISL OSL MAX_MODEL_LEN \
    RANDOM_RANGE_RATIO RESULT_DIR RESULT_FILENAME PORT GPU_COUNT

export VLLM_USE_FLASHINFER_SAMPLER=1

trap cleanup_single EXIT
write_single_metadata
model=$(resolve_model)
export SERVER_LOG="$RESULT_DIR/server.log"
case "$TP" in
    1 | 2) BATCHED_TOKENS=8192 ;;
    4) BATCHED_TOKENS=12288 ;;
    *) BATCHED_TOKENS=16384 ;;
esac

cat >"$RESULT_DIR/engine.yaml" <<EOF
tensor-parallel-size: ${TP}
max-num-seqs: $((CONC < 16 ? 16 : CONC))
max-num-batched-tokens: ${BATCHED_TOKENS}
gpu-memory-utilization: 0.92
max-model-len: ${MAX_MODEL_LEN}
no-enable-prefix-caching: true
compilation-config:
  cudagraph_mode: FULL_AND_PIECEWISE
EOF

server_args=(--config "$RESULT_DIR/engine.yaml" --port "$PORT" --trust-remote-code)

vllm serve "$model" "${server_args[@]}" >"$SERVER_LOG" 2>&1 &
SERVER_PID=$!
wait_for_server "$PORT" "$SERVER_PID" "$SERVER_LOG"
measure_single

export SERVER_LABEL="llama70b h100"
bash "$HERE/../../lib/report_server.sh" >"$RESULT_DIR/server_report.txt" || log "no server report"
