#!/usr/bin/env bash
# DeepSeek V3.1, NVFP4, agentic sessions, Dynamo with SGLang over GB300 trays.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$HERE/../lib/common.sh"
source "$HERE/../lib/multi.sh"

check_env_vars MODEL MODEL_PATH CONFIG_FILE CONC_LIST PREFILL_NUM_WORKERS PREFILL_TP \
    DECODE_NUM_WORKERS DECODE_TP NODE_COUNT GPUS_PER_NODE SQUASH_FILE \
    CONTAINER_MOUNTS RESULT_DIR RESULT_FILENAME PORT \
    SCENARIO_TYPE DURATION KV_OFFLOADING

export NCCL_MNNVL_ENABLE=1
export SGLANG_DISAGGREGATION_BOOTSTRAP_TIMEOUT=600

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

if [[ "$KV_OFFLOADING" != none ]]; then
    die "this deployment keeps its cache on the GPUs"
fi

start_role PREFILL "${PREFILL_HOSTS[@]}"
start_role DECODE "${DECODE_HOSTS[@]}"
for pid in "${ROLE_PIDS[@]}"; do
    kill -0 "$pid" || die "a worker ended at once"
done
wait_for_server "$PORT" "${ROLE_PIDS[-1]}" "$RESULT_DIR/DECODE_0.log"
measure_multi
