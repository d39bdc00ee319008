#!/usr/bin/env bash
# H100 nodes at Fjord: Slurm runs the image of the registry, so one srun is all.
set -euo pipefail
cd "$GITHUB_WORKSPACE"
source runners/slurm_lib.sh

export PORT=8000

# Weights that are on the shared disk of the site; everything else comes from the hub cache.
case "${MODEL_PREFIX}-${PRECISION}" in
    qwen3c-fp8) STAGED=/shared/weights/qwen3-coder-480b-fp8 ;;
    gptoss-fp4) STAGED=/shared/weights/gpt-oss-120b ;;
    *) STAGED="/nonexistent/${MODEL_PREFIX}" ;;
esac
export MODEL_PATH="$STAGED"

# The site wants the short form of the registry in image names.
CONTAINER=${IMAGE/#nvcr.io\//nvcr.io#}

SPEC_SUFFIX=$(spec_suffix)
time_limit=120
if [[ "$IS_AGENTIC" == 1 ]]; then
    time_limit=200
fi

srun_args=(
    --partition=gpu
    --job-name="bench-${RUNNER_NAME}"
    --nodes=1
    --ntasks=1
    --gpus="$GPU_COUNT"
    --time="$time_limit"
    --export=ALL
    --container-image="$CONTAINER"
    --container-name="${RUNNER_NAME}"
    --container-mounts="$GITHUB_WORKSPACE:/workspace,/shared:/shared,/shared/hub:${HF_HUB_CACHE}"
    --container-workdir=/workspace
)
if [[ "$KV_OFFLOADING" == dram ]]; then
    srun_args+=(--mem=0)
fi

srun "${srun_args[@]}" \
    bash "benchmarks/single_node/${SCENARIO_SUBDIR}/${MODEL_PREFIX}_${PRECISION}_h100${SPEC_SUFFIX}.sh"
