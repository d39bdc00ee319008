#!/usr/bin/env bash
# One worker of a deployment over several nodes. Started by start_role in the container of a node.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

check_env_vars WORKER_ROLE WORKER_RANK FRAMEWORK MODEL MODEL_PATH PORT CONFIG_FILE \
    PREFILL_TP DECODE_TP PREFILL_EP DECODE_EP PREFILL_DP_ATTN DECODE_DP_ATTN

tp_name="${WORKER_ROLE}_TP"
ep_name="${WORKER_ROLE}_EP"
attn_name="${WORKER_ROLE}_DP_ATTN"
config="/workspace/benchmarks/multi_node/deployments/${CONFIG_FILE}"
model=$(resolve_model)

read_setting() {
    python3 - "$config" "$WORKER_ROLE" "$1" <<'PY'
import sys
import yaml

path, role, key = sys.argv[1:]
with open(path) as handle:
    data = yaml.safe_load(handle)
print(data.get(role.lower(), {}).get(key, ""))
PY
}

extra=$(read_setting args)
read -ra extra_args <<<"$extra"

case "$FRAMEWORK" in
    dynamo-sglang | sglang-disagg)
        cmd=(python3 -m sglang.launch_server --model-path "$model" --tp-size "${!tp_name}" --ep-size "${!ep_name}"
            --disaggregation-mode "${WORKER_ROLE,,}" --host 0.0.0.0 --port "$PORT")
        if [[ "${!attn_name}" == true ]]; then
            cmd+=(--enable-dp-attention --dp-size "${!tp_name}")
        fi
        ;;
    dynamo-vllm)
        cmd=(python3 -m dynamo.vllm --model "$model" --tensor-parallel-size "${!tp_name}")
        if [[ "$WORKER_ROLE" == PREFILL ]]; then
            cmd+=(--is-prefill-worker)
        fi
        ;;
    dynamo-trt)
        cmd=(python3 -m dynamo.trtllm --model-path "$model" --tensor-parallel-size "${!tp_name}"
            --disaggregation-mode "${WORKER_ROLE,,}")
        ;;
    *) die "no worker for the framework '$FRAMEWORK'" ;;
esac

log "$WORKER_ROLE $WORKER_RANK: ${cmd[*]}"
exec "${cmd[@]}" "${extra_args[@]}"
