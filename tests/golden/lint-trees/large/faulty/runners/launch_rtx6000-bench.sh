#!/usr/bin/env bash
# Workstation with RTX 6000 cards: no scheduler, docker on the spot.
set -euo pipefail
cd "$GITHUB_WORKSPACE"

PORT=8300
MODEL_PATH="/models/${MODEL##*/}"
CONTAINER_NAME="bench-${RUNNER_NAME}"
SPEC_SUFFIX=""
if [[ "$SPEC_DECODING" == mtp ]]; then
    SPEC_SUFFIX=_mtp
fi
BENCH_SCRIPT="benchmarks/single_node/${SCENARIO_SUBDIR}/${MODEL_PREFIX}_${PRECISION}_rtx6000${SPEC_SUFFIX}.sh"

remove_container() {
    docker rm --force "$CONTAINER_NAME" >/dev/null 2>&1 || true
}
trap remove_container EXIT
remove_container

docker run --rm --name "$CONTAINER_NAME" \
    --gpus all --ipc=host --network=host --ulimit memlock=-1 \
    -v "$GITHUB_WORKSPACE:/workspace" -v /srv/models:/models:ro -v "/srv/hub:${HF_HUB_CACHE}" \
    -w /workspace --entrypoint bash \
    -e EXP_NAME -e IMAGE -e MODEL -e MODEL_PREFIX -e PRECISION -e FRAMEWORK \
    -e SPEC_DECODING -e DISAGG -e ISL -e OSL -e MAX_MODEL_LEN \
    -e TP -e PP_SIZE -e DCP_SIZE -e PCP_SIZE -e EP_SIZE -e DP_ATTENTION \
    -e CONC -e GPU_COUNT -e RANDOM_RANGE_RATIO \
    -e SCENARIO_TYPE -e KV_OFFLOADING -e KV_OFFLOAD_BACKEND \
    -e KV_OFFLOAD_BACKEND_METADATA -e TOTAL_CPU_DRAM_GB -e ROUTER_METADATA \
    -e RUN_EVAL -e EVAL_ONLY -e EVAL_FRAMEWORK -e EVAL_SUITE \
    -e RUNNER_NAME -e RUNNER_TYPE -e RESULT_DIR -e RESULT_FILENAME \
    -e PROFILE -e HF_TOKEN -e HF_HUB_CACHE \
    -e PORT="$PORT" -e MODEL_PATH="$MODEL_PATH" \
    "$IMAGE" "$BENCH_SCRIPT"
