#!/usr/bin/env bash
# GB300 trays at Atoll. The login host is x86_64, so a tray imports the image.
set -euo pipefail
cd "$GITHUB_WORKSPACE"
source runners/slurm_lib.sh

PARTITION=gb300
JOB_NAME="bench-${RUNNER_NAME}"

if [[ "$IS_MULTINODE" != true ]]; then
    log "no single-node jobs on GB300"
    exit 2
fi

export PORT=9000
export GPUS_PER_NODE=4
export MODEL_PATH="/lustre/models/${MODEL##*/}"
SQUASH_FILE="/lustre/squash/aarch64_$(squash_name "$IMAGE")"
export SQUASH_FILE
export CONTAINER_MOUNTS="$GITHUB_WORKSPACE:/workspace,/lustre:/lustre,/lustre/hub:${HF_HUB_CACHE}"

# Power samples are worth the overhead only for the throughput points.
SAMPLE_POWER=true
if [[ "$EVAL_ONLY" == true ]]; then
    SAMPLE_POWER=false
fi

JOB_ID=""
salloc --partition="$PARTITION" --job-name="$JOB_NAME" --nodes="$NODE_COUNT" --segment="$NODE_COUNT" \
    --exclusive --time=360 --no-shell
JOB_ID=$(job_id_of "$JOB_NAME")
import_squash_on "$JOB_ID" "$IMAGE" "$SQUASH_FILE"

cat >"$GITHUB_WORKSPACE/telemetry.yaml" <<EOF
enabled: ${SAMPLE_POWER}
interval_ms: ${POWER_INTERVAL_MS:-500}
output: /workspace/results/power.csv
labels:
  experiment: ${EXP_NAME}
  runner: ${RUNNER_NAME}
EOF

SLURM_JOB_ID="$JOB_ID" SLURM_JOB_NODELIST="$(squeue --noheader --jobs="$JOB_ID" --format=%N)" \
    bash "benchmarks/multi_node/${MODEL_PREFIX}_${PRECISION}_gb300_${FRAMEWORK}.sh"

cancel_job "$JOB_ID"

if [[ "$SAMPLE_POWER" == true && -s "$GITHUB_WORKSPACE/results/power.csv" ]]; then
    awk -F, 'NR > 1 { sum += $3; n++ } END { if (n) printf "mean power %.0f W\n", sum / n }' \
        "$GITHUB_WORKSPACE/results/power.csv"
fi
