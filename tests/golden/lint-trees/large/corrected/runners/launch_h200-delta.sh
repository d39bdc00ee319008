#!/usr/bin/env bash
# H200 nodes at Delta: one node or several.
set -euo pipefail
cd "$GITHUB_WORKSPACE"
source runners/slurm_lib.sh

PARTITION=main
JOB_NAME="bench-${RUNNER_NAME}"
MODELS=/data/models

export PORT=8888
export MODEL_PATH="${MODELS}/${MODEL##*/}"
SQUASH_FILE="/data/squash/$(squash_name "$IMAGE")"
export SQUASH_FILE
export CONTAINER_MOUNTS="$GITHUB_WORKSPACE:/workspace,${MODELS}:${MODELS},/data/hub:${HF_HUB_CACHE}"
export GPUS_PER_NODE=8

import_squash "$IMAGE" "$SQUASH_FILE"

run_single() {
    local suffix job
    suffix=$(spec_suffix)
    salloc --partition="$PARTITION" --job-name="$JOB_NAME" --nodes=1 \
        --gres="gpu:h200:${GPU_COUNT}" --exclusive --time=180 --no-shell
    job=$(job_id_of "$JOB_NAME")
    note_node "$(squeue --noheader --jobs="$job" --format=%N)"
    srun --jobid="$job" --nodes=1 --ntasks=1 --export=ALL \
        --container-image="$SQUASH_FILE" --container-mounts="$CONTAINER_MOUNTS" \
        --container-workdir=/workspace \
        bash "benchmarks/single_node/${SCENARIO_SUBDIR}/${MODEL_PREFIX}_${PRECISION}_h200${suffix}.sh"
}

run_multi() {
    local script="benchmarks/multi_node/${MODEL_PREFIX}_${PRECISION}_h200_${FRAMEWORK}.sh"
    if [[ ! -r "$script" ]]; then
        log "no script $script"
        return 2
    fi
    # salloc ends the allocation with the command.
    salloc --partition="$PARTITION" --job-name="$JOB_NAME" --nodes="$NODE_COUNT" \
        --exclusive --mem=0 --time=240 bash "$script"
}

arm_cancel "$JOB_NAME"
if [[ "$IS_MULTINODE" == true ]]; then
    run_multi
else
    run_single
fi
