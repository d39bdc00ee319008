#!/usr/bin/env bash
# H100 nodes at Ridge: allocation without a shell, then steps in it.
set -euo pipefail
cd "$GITHUB_WORKSPACE"
source runners/slurm_lib.sh

PARTITION=h100
ACCOUNT=inference
SQUASH_DIR=/mnt/ridge/squash
JOB_NAME="bench-${RUNNER_NAME}"

if [[ "$IS_MULTINODE" == true ]]; then
    log "this site serves on one node only"
    exit 2
fi

export PORT=8888
export MODEL_PATH="/mnt/ridge/models/${MODEL##*/}"
SPEC_SUFFIX=$(spec_suffix)
BENCH_SCRIPT="benchmarks/single_node/${SCENARIO_SUBDIR}/${MODEL_PREFIX}_${PRECISION}_h100${SPEC_SUFFIX}.sh"
if [[ ! -f "$BENCH_SCRIPT" ]]; then
    log "no script $BENCH_SCRIPT"
    exit 2
fi

JOB_ID=""
salloc --partition="$PARTITION" --account="$ACCOUNT" --job-name="$JOB_NAME" \
    --nodes=1 --gres="gpu:h100:${GPU_COUNT}" --exclusive --time=180 --no-shell
JOB_ID=$(job_id_of "$JOB_NAME")
if [[ -z "$JOB_ID" ]]; then
    log "no job named $JOB_NAME after salloc"
    scancel --name="$JOB_NAME"
    exit 1
fi
note_node "$(squeue --noheader --jobs="$JOB_ID" --format=%N)"

SQUASH_FILE="${SQUASH_DIR}/$(squash_name "$IMAGE")"
import_squash_on "$JOB_ID" "$IMAGE" "$SQUASH_FILE"

mounts=(
    "$GITHUB_WORKSPACE:/workspace"
    "/mnt/ridge/models:/mnt/ridge/models:ro"
    "/mnt/ridge/hub:${HF_HUB_CACHE}"
)
MOUNT_LIST=$(IFS=,; printf '%s' "${mounts[*]}")

srun --jobid="$JOB_ID" --nodes=1 --ntasks=1 --export=ALL \
    --container-image="$SQUASH_FILE" --container-mounts="$MOUNT_LIST" \
    --container-workdir=/workspace --no-container-entrypoint \
    bash "$BENCH_SCRIPT"
