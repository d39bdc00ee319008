#!/usr/bin/env bash
# MI250X nodes at Lynx.
set -euo pipefail
cd "$GITHUB_WORKSPACE"
source runners/slurm_lib.sh

JOB_NAME="bench-${RUNNER_NAME}"

export PORT=8888
export MODEL_PATH="/raid/models/${MODEL##*/}"
export TRITON_CACHE_DIR="/tmp/triton-${RUNNER_NAME}"

arm_cancel "$JOB_NAME"
salloc --partition=compute --job-name="$JOB_NAME" --nodes=1 --gpus="$GPU_COUNT" \
    --cpus-per-task=128 --exclusive --time=480 --no-shell
JOB_ID=$(job_id_of "$JOB_NAME")

SQUASH_FILE="/raid/squash/$(squash_name "$IMAGE")"
import_squash_on "$JOB_ID" "$IMAGE" "$SQUASH_FILE"

# Processes left over from the job before would spoil the numbers.
srun --jobid="$JOB_ID" --ntasks=1 bash -s <<'REMOTE'
busy=$(rocm-smi --showpids | awk '/python|vllm|sglang/ { print $1 }')
for pid in $busy; do
    kill -9 "$pid" || true
done
REMOTE

SPEC_SUFFIX=$(spec_suffix)
srun --jobid="$JOB_ID" --nodes=1 --ntasks=1 --export=ALL \
    --container-image="$SQUASH_FILE" --container-writable --container-remap-root \
    --container-mounts="$GITHUB_WORKSPACE:/workspace,/raid:/raid,/raid/hub:${HF_HUB_CACHE}" \
    --container-workdir=/workspace \
    bash "benchmarks/single_node/${SCENARIO_SUBDIR}/${MODEL_PREFIX}_${PRECISION}_mi250x${SPEC_SUFFIX}.sh"
