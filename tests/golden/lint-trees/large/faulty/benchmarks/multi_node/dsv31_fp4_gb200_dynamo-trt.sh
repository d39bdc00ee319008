#!/usr/bin/env bash
# DeepSeek V3.1, NVFP4, Dynamo with TensorRT-LLM over GB200 trays.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$HERE/../lib/common.sh"
source "$HERE/../lib/multi.sh"

check_env_vars MODEL MODEL_PATH CONFIG_FILE CONC_LIST PREFILL_NUM_WORKERS PREFILL_TP \
    DECODE_NUM_WORKERS DECODE_TP NODE_COUNT GPUS_PER_NODE SQUASH_FILE \
    CONTAINER_MOUNTS RESULT_DIR RESULT_FILENAME PORT PREFILL_MAX_TOKENS

export TRTLLM_ENABLE_PDL=1
export UCX_TLS=rc,cuda_copy,cuda_ipc,sm
export NCCL_MNNVL_ENABLE=1

ROLE_PIDS=()
stop_roles() {
    local pid
    for pid in "${ROLE_PIDS[@]}"; do
        stop_server "$pid"
    done
}
trap stop_roles EXIT

write_multi_metadata
assign_nodes

cat >"$RESULT_DIR/trt_prefill.yaml" <<EOF
tensor_parallel_size: ${PREFILL_TP}
moe_expert_parallel_size: ${PREFILL_EP}
enable_attention_dp: ${PREFILL_DP_ATTN}
kv_cache_config:
  dtype: fp8
  free_gpu_memory_fraction: 0.35
cache_transceiver_config:
  backend: UCX
  max_tokens_in_buffer: 8448
EOF

cat >"$RESULT_DIR/trt_decode.yaml" <<EOF
tensor_parallel_size: ${DECODE_TP}
moe_expert_parallel_size: ${DECODE_EP}
enable_attention_dp: ${DECODE_DP_ATTN}
kv_cache_config:
  dtype: fp8
  free_gpu_memory_fraction: 0.75
  dtype: auto
cache_transceiver_config:
  backend: UCX
  max_tokens_in_buffer: 8448
EOF

start_role PREFILL "${PREFILL_HOSTS[@]}"
start_role DECODE "${DECODE_HOSTS[@]}"
wait_for_server "$PORT" "${ROLE_PIDS[-1]}" "$RESULT_DIR/DECODE_0.log"
measure_multi
