#!/usr/bin/env bash
# GB200 trays at Atoll: deployments over several trays only.
set -euo pipefail
cd "$GITHUB_WORKSPACE"
source runners/slurm_lib.sh

PARTITION=gb200
JOB_NAME="bench-${RUNNER_NAME}"

if [[ "$IS_MULTINODE" != true ]]; then
    log "no single-node jobs on GB200"
    exit 2
fi

export PORT=9000
export GPUS_PER_NODE=4
SQUASH_FILE="/lustre/squash/aarch64_$(squash_name "$IMAGE")"
export SQUASH_FILE
export CONTAINER_MOUNTS="$GITHUB_WORKSPACE:/workspace,/lustre:/lustre,/lustre/hub:${HF_HUB_CACHE}"

case "${MODEL_PREFIX}-${PRECISION}" in
    dsv31-fp4) MODEL_PATH=/lustre/models/DeepSeek-V3.1-NVFP4 ;;
    *)
        log "no weights for ${MODEL_PREFIX}-${PRECISION}"
        exit 2
        ;;
esac
export MODEL_PATH

# Image names with a registry need the other separator in the container runtime of this site.
if [[ "$IMAGE" == nvcr.io/* ]]; then
    IMPORT_NAME="nvcr.io#${IMAGE#nvcr.io/}"
else
    IMPORT_NAME="$IMAGE"
fi
import_squash "$IMPORT_NAME" "$SQUASH_FILE"

LOG_DIR="/lustre/logs/${RUNNER_NAME}/$(date +%Y%m%d-%H%M%S)"
mkdir -p "$LOG_DIR"
cat >"$LOG_DIR/deployment.yaml" <<EOF
name: ${EXP_NAME}
arch: aarch64
scheduler:
  partition: ${PARTITION}
  nodes: ${NODE_COUNT}
  segment: ${NODE_COUNT}
prefill:
  workers: ${PREFILL_NUM_WORKERS}
  tp: ${PREFILL_TP}
decode:
  workers: ${DECODE_NUM_WORKERS}
  tp: ${DECODE_TP}
EOF

collect() {
    local rc=$?
    scancel --name="$JOB_NAME" 2>/dev/null || true
    tar --create --gzip --file="$GITHUB_WORKSPACE/deployment-logs.tar.gz" --directory="$LOG_DIR" . || rc=1
    exit "$rc"
}
trap collect EXIT

salloc --partition="$PARTITION" --job-name="$JOB_NAME" --nodes="$NODE_COUNT" --segment="$NODE_COUNT" \
    --exclusive --time=360 \
    bash "benchmarks/multi_node/${MODEL_PREFIX}_${PRECISION}_gb200_${FRAMEWORK}.sh" >"$LOG_DIR/run.log" 2>&1
