#!/usr/bin/env bash
# Llama 3.3 70B, NVFP4, TensorRT-LLM on B200.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$HERE/../../lib/common.sh"
source "$HERE/../../lib/single.sh"

check_env_vars MODEL MODEL_PATH TP EP_SIZE DP_ATTENTION CONC ISL OSL \
    MAX_MODEL_LEN RANDOM_RANGE_RATIO RESULT_DIR RESULT_FILENAME \
    PORT GPU_COUNT GPU_MONITOR_INTERVAL

export TRTLLM_ENABLE_PDL=1

trap cleanup_single EXIT
write_single_metadata
model=$(resolve_model)
SERVER_LOG="$RESULT_DIR/server.log"

if ((CONC >= 64)); then
    capacity=GUARANTEED_NO_EVICT
else
    capacity=MAX_UTILIZATION
fi

cat >"$RESULT_DIR/engine.yaml" <<EOF
print_iter_log: true
kv_cache_config:
  dtype: fp8
  free_gpu_memory_fraction: 0.88
  enable_block_reuse: false
cuda_graph_config:
  enable_padding: true
  max_batch_size: ${CONC}
scheduler_config:
  capacity_scheduler_policy: ${capacity}
EOF
if [[ "$DP_ATTENTION" == true ]]; then
    cat >>"$RESULT_DIR/engine.yaml" <<'EOF'
enable_attention_dp: true
attention_dp_config:
  enable_balance: true
EOF
fi

mpirun -n 1 --oversubscribe --allow-run-as-root \
    trtllm-serve "$model" \
    --host 127.0.0.1 --port "$PORT" \
    --tp_size "$TP" --ep_size "$EP_SIZE" \
    --max_seq_len "$MAX_MODEL_LEN" --max_batch_size "$CONC" \
    --extra_llm_api_options "$RESULT_DIR/engine.yaml" >"$SERVER_LOG" 2>&1 &
SERVER_PID=$!
wait_for_server "$PORT" "$SERVER_PID" "$SERVER_LOG"
measure_single
