#!/usr/bin/env bash
# MI300X nodes at Lynx. Nodes have no shared disk: the workspace travels in a tar file, both ways.
set -euo pipefail
cd "$GITHUB_WORKSPACE"
source runners/slurm_lib.sh

JOB_NAME="bench-${RUNNER_NAME}"
NODE_DIR="/local/bench/${RUNNER_NAME}"
EXCLUDED=(lynx-049 lynx-121)

export MODEL_PATH="/local/models/${MODEL##*/}"

JOB_ID=""
trap 'cancel_job "$JOB_ID"' EXIT
salloc --partition=mi300x --job-name="$JOB_NAME" --nodes=1 --gpus="$GPU_COUNT" --exclusive \
    --exclude="$(IFS=,; printf '%s' "${EXCLUDED[*]}")" --time=180 --no-shell
JOB_ID=$(job_id_of "$JOB_NAME")
export PORT=$((40000 + JOB_ID % 10000))

in_job() { srun --jobid="$JOB_ID" --nodes=1 --ntasks=1 --overlap "$@"; }

ARCHIVE=$(mktemp --suffix=.tar)
tar --create --file="$ARCHIVE" --exclude=.git --directory="$GITHUB_WORKSPACE" .
sbcast --jobid="$JOB_ID" --force "$ARCHIVE" "/tmp/${JOB_NAME}.tar"
rm -f "$ARCHIVE"
in_job bash -c "rm -rf '$NODE_DIR' && mkdir -p '$NODE_DIR' && tar -xf '/tmp/${JOB_NAME}.tar' -C '$NODE_DIR'"

SQUASH_FILE="/local/squash/$(squash_name "$IMAGE")"
import_squash_on "$JOB_ID" "$IMAGE" "$SQUASH_FILE"
SPEC_SUFFIX=$(spec_suffix)

rc=0
in_job --export=ALL \
    --container-image="$SQUASH_FILE" --container-writable --container-remap-root \
    --container-mounts="$NODE_DIR:/workspace,/local/models:/local/models,/local/hub:${HF_HUB_CACHE}" \
    --container-workdir=/workspace \
    bash "benchmarks/single_node/${SCENARIO_SUBDIR}/${MODEL_PREFIX}_${PRECISION}_mi300x${SPEC_SUFFIX}.sh" || rc=$?

# Bring home whatever there is, also after a failure.
mkdir -p "$GITHUB_WORKSPACE/results"
in_job tar -cf - -C "$NODE_DIR/results" . | tar -xf - -C "$GITHUB_WORKSPACE/results" || log "no results on the node"
exit "$rc"
