#!/usr/bin/env bash
# H200 nodes at Ridge: batch jobs, because the login host drops long sessions.
set -euo pipefail
cd "$GITHUB_WORKSPACE"
source runners/slurm_lib.sh

PARTITION=h200
JOB_NAME="bench-${RUNNER_NAME}"
WORK_DIR=$(mktemp -d "/mnt/ridge/tmp/${RUNNER_NAME}.XXXXXX")

export PORT=8888
export MODEL_PATH="/mnt/ridge/models/${MODEL##*/}"
export ENROOT_CACHE_PATH="/mnt/ridge/enroot"

SQUASH_FILE="/mnt/ridge/squash/$(squash_name "$IMAGE")"
import_squash "$IMAGE" "$SQUASH_FILE"

SPEC_SUFFIX=$(spec_suffix)
BENCH_SCRIPT="benchmarks/single_node/${SCENARIO_SUBDIR}/${MODEL_PREFIX}_${PRECISION}_h200${SPEC_SUFFIX}.sh"

memory_line=""
if [[ "$KV_OFFLOADING" == dram ]]; then
    memory_line="#SBATCH --mem=0"
fi

cat >"$WORK_DIR/job.sh" <<EOF
#!/usr/bin/env bash
#SBATCH --partition=${PARTITION}
#SBATCH --job-name=${JOB_NAME}
#SBATCH --nodes=1
#SBATCH --gres=gpu:${GPU_COUNT}
#SBATCH --time=03:00:00
#SBATCH --output=${WORK_DIR}/job.log
#SBATCH --export=ALL
${memory_line}
set -euo pipefail
srun --ntasks=1 --export=ALL \\
    --container-image="${SQUASH_FILE}" \\
    --container-mounts="${GITHUB_WORKSPACE}:/workspace,/mnt/ridge:/mnt/ridge,/mnt/ridge/hub:${HF_HUB_CACHE}" \\
    --container-workdir=/workspace \\
    bash "${BENCH_SCRIPT}"
EOF

cleanup() {
    cancel_job "${JOB_ID:-}"
    rm -rf "$WORK_DIR"
}
trap cleanup EXIT

JOB_ID=$(sbatch --parsable "$WORK_DIR/job.sh")
JOB_ID=${JOB_ID%%;*}
log "submitted $JOB_ID"

while squeue --noheader --jobs="$JOB_ID" 2>/dev/null | grep -q .; do
    sleep 15
done
cat "$WORK_DIR/job.log"

state=$(sacct --jobs="$JOB_ID" --allocations --noheader --parsable2 --format=State)
if [[ "$state" != COMPLETED ]]; then
    log "job $JOB_ID ended as $state"
    exit 1
fi
