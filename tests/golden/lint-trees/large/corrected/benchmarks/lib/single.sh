#!/usr/bin/env bash
# Functions for scripts that serve on one node. Source common.sh first.

# start_gpu_monitor FILE: samples in the background; sets MONITOR_PID.
start_gpu_monitor() {
    local file=$1
    local -a sampler
    if command -v nvidia-smi >/dev/null; then
        sampler=(nvidia-smi --query-gpu=timestamp,index,power.draw,utilization.gpu,memory.used
            --format=csv,nounits --loop="$GPU_MONITOR_INTERVAL")
    else
        sampler=(amd-smi monitor --csv --power-usage --gfx --watch "$GPU_MONITOR_INTERVAL")
    fi
    "${sampler[@]}" >"$file" 2>/dev/null &
    MONITOR_PID=$!
}

stop_gpu_monitor() {
    if [[ -n "${MONITOR_PID:-}" ]]; then
        kill "$MONITOR_PID" 2>/dev/null || true
        MONITOR_PID=""
    fi
}

# Parallelism of this point, beside the common part.
write_single_metadata() {
    write_common_metadata
    cat >"$RESULT_DIR/meta_single.yaml" <<EOF
parallelism:
  tp: ${TP}
  pp: ${PP_SIZE}
  dcp: ${DCP_SIZE}
  pcp: ${PCP_SIZE}
  ep: ${EP_SIZE}
  dp_attention: ${DP_ATTENTION}
gpus: ${GPU_COUNT}
concurrency: ${CONC}
kv_cache:
  offloading: "${KV_OFFLOADING}"
  backend: "${KV_OFFLOAD_BACKEND}"
EOF
}

# cleanup_single: stop what this script started; to be used in an EXIT trap.
cleanup_single() {
    stop_gpu_monitor
    if [[ -n "${SERVER_PID:-}" ]]; then
        stop_server "$SERVER_PID"
    fi
}

# measure_single: throughput and evaluation of a fixed-length point.
measure_single() {
    local url="http://127.0.0.1:${PORT}"
    if wants_throughput; then
        start_gpu_monitor "$RESULT_DIR/gpu_metrics.csv"
        run_client "$url" "$CONC" "${RESULT_FILENAME}.json"
        stop_gpu_monitor
    fi
    if wants_eval; then
        run_eval "$url" "$CONC"
    fi
}
