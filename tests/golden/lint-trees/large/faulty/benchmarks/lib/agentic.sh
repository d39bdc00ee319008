#!/usr/bin/env bash
# Functions for agentic sessions on one node. Source common.sh and single.sh first.

# offload_args_vllm, offload_args_sglang: fill OFFLOAD_ARGS from the row.
offload_args_vllm() {
    OFFLOAD_ARGS=()
    case "$KV_OFFLOADING" in
        none | "") ;;
        dram)
            case "$KV_OFFLOAD_BACKEND" in
                lmcache)
                    OFFLOAD_ARGS=(--kv-transfer-config '{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}')
                    export LMCACHE_MAX_LOCAL_CPU_SIZE="$((TOTAL_CPU_DRAM_GB / GPU_COUNT))"
                    ;;
                *) die "no vLLM setup for the backend '$KV_OFFLOAD_BACKEND'" ;;
            esac
            ;;
        *) die "unknown kv offloading '$KV_OFFLOADING'" ;;
    esac
}

offload_args_sglang() {
    OFFLOAD_ARGS=()
    if [[ "$KV_OFFLOADING" == dram ]]; then
        [[ "$KV_OFFLOAD_BACKEND" == hicache ]] || die "no SGLang setup for the backend '$KV_OFFLOAD_BACKEND'"
        OFFLOAD_ARGS=(--enable-hierarchical-cache --hicache-size "$((TOTAL_CPU_DRAM_GB / GPU_COUNT))")
    fi
}

# backend_version: the version in the JSON of the row, or "image" when the row leaves it to the image.
backend_version() {
    if [[ -z "$KV_OFFLOAD_BACKEND_METADATA" ]]; then
        printf 'image\n'
        return
    fi
    python3 - "$KV_OFFLOAD_BACKEND_METADATA" <<'PY'
import json
import sys

print(json.loads(sys.argv[1]).get("version", "image"))
PY
}

# start_router FIRST_WORKER_URL...: only rows with a router have one. Sets BASE_URL.
start_router() {
    local router_port=$((PORT + 100)) name
    if [[ -z "$ROUTER_METADATA" ]]; then
        BASE_URL="http://127.0.0.1:${PORT}"
        return
    fi
    name=$(python3 -c 'import json,sys; print(json.loads(sys.argv[1])["name"])' "$ROUTER_METADATA")
    log "starting $name"
    python3 -m sglang_router.launch_router --policy cache_aware --port "$router_port" --worker-urls "$@" \
        >"$RESULT_DIR/router.log" 2>&1 &
    ROUTER_PID=$!
    wait_for_server "$router_port" "$ROUTER_PID" "$RESULT_DIR/router.log"
    BASE_URL="http://127.0.0.1:${router_port}"
}

# measure_agentic: sessions for DURATION seconds.
measure_agentic() {
    if wants_throughput; then
        start_gpu_monitor "$RESULT_DIR/gpu_metrics.csv"
        python3 "$(dirname "${BASH_SOURCE[0]}")/agentic_client.py" \
            --url "$BASE_URL" --model "$MODEL" \
            --sessions "$CONC" --duration "$BENCH_DURATION" \
            --result-file "$RESULT_DIR/${RESULT_FILENAME}.json"
        stop_gpu_monitor
    fi
    if wants_eval; then
        run_eval "$BASE_URL" "$CONC"
    fi
    printf '{"offload_backend_version": "%s"}\n' "$(backend_version)" >"$RESULT_DIR/meta_offload.json"
}
