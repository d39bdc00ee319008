#!/usr/bin/env bash
# GLM 4.6, FP8, agentic sessions, Dynamo with vLLM over B200 nodes.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$HERE/../lib/common.sh"
source "$HERE/../lib/multi.sh"

check_env_vars MODEL MODEL_PATH CONFIG_FILE CONC_LIST PREFILL_NUM_WORKERS PREFILL_TP \
    DECODE_NUM_WORKERS DECODE_TP NODE_COUNT GPUS_PER_NODE SQUASH_FILE \
    CONTAINER_MOUNTS RESULT_DIR RESULT_FILENAME PORT \
    SCENARIO_TYPE DURATION KV_OFFLOADING

export VLLM_NIXL_SIDE_CHANNEL_PORT=5600
export NCCL_IB_HCA=mlx5

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

start_role PREFILL "${PREFILL_HOSTS[@]}"
start_role DECODE "${DECODE_HOSTS[@]}"
wait_for_server "$PORT" "${ROLE_PIDS[-1]}" "$RESULT_DIR/DECODE_0.log"

measure_multi
export SERVER_LOG="$RESULT_DIR/DECODE_0.log"
export SERVER_LABEL="glm46 b200 decode"
bash "$HERE/../lib/report_server.sh" >"$RESULT_DIR/server_report.txt" || log "no server report"
