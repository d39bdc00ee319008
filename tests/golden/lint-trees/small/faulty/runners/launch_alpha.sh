#!/usr/bin/env bash
# Slurm, one node or several.
set -euo pipefail

SQUASH_DIR="${ALPHA_SQUASH_DIR:-/data/squash}"
squash="$SQUASH_DIR/$(echo "$IMAGE" | tr '/:@#' '_').sqsh"
export CACHE_MOUNT=/data/cache
JOB_ID=""

cleanup() {
    [ -n "$JOB_ID" ] && scancel "$JOB_ID"
}
trap cleanup EXIT INT TERM HUP

memory=()
if [[ "${OFFLOADING:-none}" != none ]]; then
    memory+=(--mem=0)
fi

salloc --no-shell --exclusive "${memory[@]}" -N "${DECODE_NODES:-1}" -J "$RUNNER_NAME"
JOB_ID=$(squeue --name "$RUNNER_NAME" -h -o %A | awk 'NR == 1 { print $NF }')

if [[ -n "${CONFIG_FILE:-}" ]]; then
    mounts=""
    if [[ "$SCENARIO_SUBDIR" == agentic/ ]]; then
        mounts=$'default_mounts:\n  /data/cache: /cache'
    fi
    cat > srtslurm.yaml <<YAML
cluster:
  name: alpha
  partition: batch
gpus_per_node: 8
default_mounts:
  /data/weights: /weights
containers:
  nginx: /data/nginx.sqsh
${mounts}
YAML
    sed -i "s/^name:.*/name: $RUNNER_NAME/" "$CONFIG_FILE"
    srtctl apply -f "$CONFIG_FILE"
fi

script="benchmarks/single_node/${SCENARIO_SUBDIR}${EXP_NAME%%_*}_${PRECISION}_alpha_${FRAMEWORK}.sh"
srun --jobid="$JOB_ID" --container-image="$squash" --export=ALL,PORT=8888 bash "$script"
