#!/usr/bin/env bash
# DeepSeek V3.1, FP8, Dynamo with SGLang over H200 nodes.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$HERE/../lib/common.sh"
source "$HERE/../lib/multi.sh"

check_env_vars MODEL MODEL_PATH CONFIG_FILE CONC_LIST PREFILL_NUM_WORKERS PREFILL_TP \
    DECODE_NUM_WORKERS DECODE_TP NODE_COUNT GPUS_PER_NODE SQUASH_FILE \
    CONTAINER_MOUNTS RESULT_DIR RESULT_FILENAME PORT

export NCCL_IB_HCA=mlx5
export UCX_TLS=rc,cuda_copy,cuda_ipc

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

for instance in $(seq 1 "$PREFILL_NUM_WORKERS"); do
    log "prefill worker $instance of $PREFILL_NUM_WORKERS"
done
start_role PREFILL "${PREFILL_HOSTS[@]}"
start_role DECODE "${DECODE_HOSTS[@]}"

wait_for_server "$PORT" "${ROLE_PIDS[-1]}" "$RESULT_DIR/DECODE_0.log"
measure_multi
