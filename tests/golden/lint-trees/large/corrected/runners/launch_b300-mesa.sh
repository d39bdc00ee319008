#!/usr/bin/env bash
# B300 nodes at Mesa. The nodes differ in free memory, so the launcher picks one.
set -euo pipefail
cd "$GITHUB_WORKSPACE"
source runners/slurm_lib.sh

PARTITION=b300
JOB_NAME="bench-${RUNNER_NAME}"

export PORT=8888
export MODEL_PATH="/scratch/models/${MODEL##*/}"
export WRITABLE_DIR="/scratch/bench/${RUNNER_NAME}"
mkdir -p "$WRITABLE_DIR"

NEEDED_MB=$((TOTAL_CPU_DRAM_GB * 1000))
sinfo --partition="$PARTITION" --Node --noheader --format='%N %e %T' >"$WRITABLE_DIR/nodes.txt"
NODE=$(python3 - "$NEEDED_MB" "$WRITABLE_DIR/nodes.txt" <<'PY'
import sys

needed = int(sys.argv[1])
best = ("", -1)
with open(sys.argv[2]) as handle:
    for line in handle:
        name, free, state = line.split()
        if state.startswith("idle") and free.isdigit() and int(free) >= max(needed, best[1]):
            best = (name, int(free))
print(best[0])
PY
)

node_args=()
if [[ -n "$NODE" ]]; then
    node_args=(--nodelist="$NODE")
    note_node "$NODE"
else
    log "no idle node with ${NEEDED_MB} MB; any node will do"
fi

JOB_ID=""
finish() {
    cancel_job "$JOB_ID"
    rm -rf "${WRITABLE_DIR:?}/engine-cache"
}
trap finish EXIT
salloc --partition="$PARTITION" --job-name="$JOB_NAME" --nodes=1 "${node_args[@]}" \
    --gpus="$GPU_COUNT" --exclusive --mem=0 --time=300 --no-shell
JOB_ID=$(job_id_of "$JOB_NAME")

SQUASH_FILE="/scratch/squash/$(squash_name "$IMAGE")"
import_squash_on "$JOB_ID" "$IMAGE" "$SQUASH_FILE"
SPEC_SUFFIX=$(spec_suffix)

srun --jobid="$JOB_ID" --nodes=1 --ntasks=1 --export=ALL \
    --container-image="$SQUASH_FILE" \
    --container-mounts="$GITHUB_WORKSPACE:/workspace,/scratch:/scratch,/scratch/hub:${HF_HUB_CACHE}" \
    --container-workdir=/workspace \
    bash "benchmarks/single_node/${SCENARIO_SUBDIR}/${MODEL_PREFIX}_${PRECISION}_b300${SPEC_SUFFIX}.sh"
