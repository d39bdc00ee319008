#!/usr/bin/env bash
# Functions for deployments over several nodes. Source common.sh first; runs in the allocation of the launcher.

# role_nodes PREFILL|DECODE: nodes of a role; a row may pin the number in its settings.
role_nodes() {
    local role=$1
    local pinned="${role}_NODES" workers="${role}_NUM_WORKERS" tp="${role}_TP" pp="${role}_PP_SIZE" pcp="${role}_PCP_SIZE"
    if [[ -n "${!pinned:-}" ]]; then
        printf '%s\n' "${!pinned}"
        return
    fi
    local gpus=$((${!workers} * ${!tp} * ${!pp} * ${!pcp}))
    printf '%s\n' $(((gpus + GPUS_PER_NODE - 1) / GPUS_PER_NODE))
}

# assign_nodes: fills PREFILL_HOSTS and DECODE_HOSTS from the allocation.
assign_nodes() {
    local -a hosts
    local prefill_nodes decode_nodes
    scontrol show hostnames "$SLURM_JOB_NODELIST" >"$RESULT_DIR/hosts.txt"
    mapfile -t hosts <"$RESULT_DIR/hosts.txt"
    prefill_nodes=$(role_nodes PREFILL)
    decode_nodes=$(role_nodes DECODE)
    if ((prefill_nodes + decode_nodes != NODE_COUNT)); then
        log "the roles want $prefill_nodes + $decode_nodes nodes, the row says $NODE_COUNT"
    fi
    if ((prefill_nodes + decode_nodes > ${#hosts[@]})); then
        die "only ${#hosts[@]} nodes in the allocation"
    fi
    PREFILL_HOSTS=("${hosts[@]:0:prefill_nodes}")
    DECODE_HOSTS=("${hosts[@]:prefill_nodes:decode_nodes}")
}

# start_role ROLE HOST...: one step per host; the worker script reads its role from the environment.
start_role() {
    local role=$1 host rank=0
    shift
    for host in "$@"; do
        srun --overlap --nodes=1 --ntasks=1 --nodelist="$host" \
            --container-image="$SQUASH_FILE" --container-mounts="$CONTAINER_MOUNTS" \
            --export=ALL,WORKER_ROLE="$role",WORKER_RANK="$rank" \
            bash /workspace/benchmarks/lib/worker.sh >"$RESULT_DIR/${role}_${rank}.log" 2>&1 &
        ROLE_PIDS+=($!)
        rank=$((rank + 1))
    done
}

# Points of one deployment, one after the other.
measure_multi() {
    local url="http://${DECODE_HOSTS[0]}:${PORT}" conc
    if wants_throughput; then
        for conc in $CONC_LIST; do
            if [[ "$SCENARIO_TYPE" == agentic-coding ]]; then
                python3 "$(dirname "${BASH_SOURCE[0]}")/agentic_client.py" \
                    --url "$url" --model "$MODEL" --sessions "$conc" --duration "$DURATION" \
                    --result-file "$RESULT_DIR/${RESULT_FILENAME}_conc${conc}.json"
            else
                run_client "$url" "$conc" "${RESULT_FILENAME}_conc${conc}.json"
            fi
        done
    fi
    if wants_eval; then
        run_eval "$url" "${EVAL_CONC:-$CONC}"
    fi
}

write_multi_metadata() {
    write_common_metadata
    cat >"$RESULT_DIR/meta_multi.yaml" <<EOF
prefill:
  workers: ${PREFILL_NUM_WORKERS}
  tp: ${PREFILL_TP}
  pp: ${PREFILL_PP_SIZE}
  dcp: ${PREFILL_DCP_SIZE}
  pcp: ${PREFILL_PCP_SIZE}
  ep: ${PREFILL_EP}
  dp_attention: ${PREFILL_DP_ATTN}
decode:
  workers: ${DECODE_NUM_WORKERS}
  tp: ${DECODE_TP}
  pp: ${DECODE_PP_SIZE}
  dcp: ${DECODE_DCP_SIZE}
  pcp: ${DECODE_PCP_SIZE}
  ep: ${DECODE_EP}
  dp_attention: ${DECODE_DP_ATTN}
nodes: ${NODE_COUNT}
transfer: "${KV_P2P_TRANSFER}"
kv_cache:
  offloading: "${KV_OFFLOADING}"
  dram_gb: ${TOTAL_CPU_DRAM_GB}
router: '${ROUTER_METADATA}'
EOF
}
