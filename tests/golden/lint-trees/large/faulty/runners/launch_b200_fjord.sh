#!/usr/bin/env bash
# One B200 node at Fjord. salloc runs the step itself and gives the node back when the step ends.
set -euo pipefail
cd "$GITHUB_WORKSPACE"
source runners/slurm_lib.sh

export PORT=8010
export MODEL_PATH="/shared/weights/${MODEL##*/}"

SQUASH_FILE="/shared/squash/$(squash_name "$IMAGE")"
import_squash "$IMAGE" "$SQUASH_FILE"

SPEC_SUFFIX=$(spec_suffix)
script="benchmarks/single_node/${SCENARIO_SUBDIR}/${MODEL_PREFIX}_${PRECISION}_b200${SPEC_SUFFIX}.sh"
[[ -f "$script" ]] || { log "no script $script"; exit 2; }

step=(
    srun --nodes=1 --ntasks=1 --export=ALL
    --container-image="$SQUASH_FILE"
    --container-mounts="$GITHUB_WORKSPACE:/workspace,/shared:/shared,/shared/hub:${HF_HUB_CACHE}"
    --container-workdir=/workspace
    bash "$script"
)
salloc --partition=gpu-b200 --job-name="bench-${RUNNER_NAME}" --nodes=1 --gpus="$GPU_COUNT" --time=240 "${step[@]}"
