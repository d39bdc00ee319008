#!/usr/bin/env bash
# MI325X machines without a scheduler.
set -euo pipefail
cd "$GITHUB_WORKSPACE"

export PORT=8400
export MODEL_PATH="/models/${MODEL##*/}"
CONTAINER_NAME="bench-${RUNNER_NAME}"

# Everything a script may ask for; docker passes nothing by itself.
pass=(
    EXP_NAME IMAGE MODEL MODEL_PATH MODEL_PREFIX PRECISION FRAMEWORK SPEC_DECODING DISAGG
    ISL OSL MAX_MODEL_LEN RANDOM_RANGE_RATIO SCENARIO_TYPE DURATION
    TP PP_SIZE DCP_SIZE PCP_SIZE EP_SIZE DP_ATTENTION CONC GPU_COUNT
    KV_OFFLOADING KV_OFFLOAD_BACKEND KV_OFFLOAD_BACKEND_METADATA TOTAL_CPU_DRAM_GB ROUTER_METADATA
    RUN_EVAL EVAL_ONLY EVAL_FRAMEWORK EVAL_SUITE
    RUNNER_NAME RUNNER_TYPE RESULT_DIR RESULT_FILENAME GPU_MONITOR_INTERVAL
    HF_TOKEN HF_HUB_CACHE PORT PROFILE
)
docker_args=(--rm --name "$CONTAINER_NAME" --network=host --ipc=host
    --device=/dev/kfd --device=/dev/dri --group-add video --security-opt seccomp=unconfined
    -v "$GITHUB_WORKSPACE:/workspace" -v "/srv/models:/models:ro" -v "/srv/hub:${HF_HUB_CACHE}"
    -w /workspace --entrypoint bash)
for name in "${pass[@]}"; do
    docker_args+=(-e "$name")
done

case "$SPEC_DECODING" in
    mtp) SPEC_SUFFIX=_mtp ;;
    *) SPEC_SUFFIX="" ;;
esac

running=$(docker ps --quiet --filter "name=^bench-")
if [[ -n "$running" ]]; then
    xargs docker stop <<<"$running"
fi
trap 'docker rm --force "$CONTAINER_NAME" >/dev/null 2>&1 || true' EXIT

docker run "${docker_args[@]}" "$IMAGE" \
    "benchmarks/single_node/${SCENARIO_SUBDIR}/${MODEL_PREFIX}_${PRECISION}_mi325x${SPEC_SUFFIX}.sh"
