#!/usr/bin/env bash
# MI355X nodes at Orca: one node or several.
set -euo pipefail
cd "$GITHUB_WORKSPACE"
source runners/slurm_lib.sh

PARTITION=compute
JOB_NAME="bench-${RUNNER_NAME}"
# Runners share login hosts, so each has its own port: the last digit of its name.
export PORT=$((8800 + ${RUNNER_NAME: -1}))
export GPUS_PER_NODE=8

# Large checkpoints are on the shared disk, the rest on the nodes.
shared_models=(dsv31 glm46)
MODEL_ROOT=/node/models
for prefix in "${shared_models[@]}"; do
    if [[ "$MODEL_PREFIX" == "$prefix" ]]; then
        MODEL_ROOT=/share/models
    fi
done
export MODEL_PATH="${MODEL_ROOT}/${MODEL##*/}"
SQUASH_FILE="/share/squash/$(squash_name "$IMAGE")"
export SQUASH_FILE
export CONTAINER_MOUNTS="$GITHUB_WORKSPACE:/workspace,${MODEL_ROOT}:${MODEL_ROOT},/share/hub:${HF_HUB_CACHE}"

stop_leftovers() {
    local job=$1
    srun --jobid="$job" --ntasks-per-node=1 bash -c 'docker ps --quiet | xargs --no-run-if-empty docker stop' \
        || log "could not stop old containers"
}

trap 'scancel --name="$JOB_NAME" 2>/dev/null || true' EXIT
import_squash "$IMAGE" "$SQUASH_FILE"

if [[ "$IS_MULTINODE" == true ]]; then
    for pair in NCCL_IB_GID_INDEX=3 NCCL_IB_TC=104 HSA_ENABLE_SDMA=1; do
        export "${pair?}"
    done
    salloc --partition="$PARTITION" --job-name="$JOB_NAME" --nodes="$NODE_COUNT" --exclusive --time=300 \
        bash "benchmarks/multi_node/${MODEL_PREFIX}_${PRECISION}_mi355x_${FRAMEWORK}.sh"
    exit 0
fi

salloc --partition="$PARTITION" --job-name="$JOB_NAME" --nodes=1 --gpus="$GPU_COUNT" --cpus-per-task=128 \
    --exclusive --time=500 --no-shell
JOB_ID=$(job_id_of "$JOB_NAME")
stop_leftovers "$JOB_ID"

SPEC_SUFFIX=$(spec_suffix)
srun --jobid="$JOB_ID" --nodes=1 --ntasks=1 --export=ALL \
    --container-image="$SQUASH_FILE" --container-mounts="$CONTAINER_MOUNTS" --container-workdir=/workspace \
    bash "benchmarks/single_node/${SCENARIO_SUBDIR}/${MODEL_PREFIX}_${PRECISION}_mi355x${SPEC_SUFFIX}.sh"
