#!/usr/bin/env bash
# B200 nodes at Ridge.
set -euo pipefail
cd "$GITHUB_WORKSPACE"
source runners/slurm_lib.sh

PARTITION=b200
ACCOUNT=inference
JOB_NAME="bench-${RUNNER_NAME}"
STAGE=/mnt/ridge/models

export PORT=8888
case "$MODEL_PREFIX" in
    glm46) MODEL_PATH="$STAGE/GLM-4.6-FP8" ;;
    dsv31) MODEL_PATH="$STAGE/deepseek-v3.1" ;;
    gptoss) MODEL_PATH="$STAGE/gpt-oss-120b" ;;
    llama70b)
        MODEL_PATH="$STAGE/llama-3.3-70b"
        if [[ "$PRECISION" == fp4 ]]; then
            MODEL_PATH+="-nvfp4"
        fi
        ;;
    *)
        log "no staged weights for $MODEL_PREFIX; the script will use the hub"
        MODEL_PATH="$STAGE/none"
        ;;
esac
export MODEL_PATH

# Caches of compilers: on the node, per runner, because the jobs of two runners may share a home.
for cache in XDG_CACHE_HOME TRITON_CACHE_DIR FLASHINFER_WORKSPACE_BASE; do
    export "$cache=/local/${RUNNER_NAME}/${cache,,}"
done

salloc_args=(
    --partition="$PARTITION"
    --account="$ACCOUNT"
    --job-name="$JOB_NAME"
    --nodes=1
    --gres="gpu:${GPU_COUNT}"
    --exclusive
    --no-shell
)
# Without --mem=0 the job gets half the memory of the node.
if [[ "${KV_OFFLOADING:-none}" == dram ]]; then
    salloc_args+=(--mem=0 --time=420)
else
    salloc_args+=(--time=240)
fi

cleanup() {
    local rc=$?
    scancel --name="$JOB_NAME" 2>/dev/null || true
    log "launcher ends with $rc"
    exit "$rc"
}
trap cleanup EXIT

salloc "${salloc_args[@]}"
JOB_ID=$(job_id_of "$JOB_NAME")

SQUASH_FILE="/mnt/ridge/squash/$(squash_name "$IMAGE")"
import_squash_on "$JOB_ID" "$IMAGE" "$SQUASH_FILE"

SPEC_SUFFIX=$(spec_suffix)
srun --jobid="$JOB_ID" --nodes=1 --ntasks=1 --export=ALL \
    --container-image="$SQUASH_FILE" \
    --container-mounts="$GITHUB_WORKSPACE:/workspace,$STAGE:$STAGE:ro,/mnt/ridge/hub:${HF_HUB_CACHE},/local:/local" \
    --container-workdir=/workspace \
    bash "benchmarks/single_node/${SCENARIO_SUBDIR}/${MODEL_PREFIX}_${PRECISION}_b200${SPEC_SUFFIX}.sh"
