#!/usr/bin/env bash
# B200 nodes at Mesa: one node or several.
set -euo pipefail
cd "$GITHUB_WORKSPACE"
source runners/slurm_lib.sh

PARTITION=b200
JOB_NAME="bench-${RUNNER_NAME}"
SCRATCH="/scratch/bench/${RUNNER_NAME}"
mkdir -p "$SCRATCH"

export PORT=8888
export MODEL_PATH="/scratch/models/${MODEL##*/}"
SQUASH_FILE="/scratch/squash/$(squash_name "$IMAGE")"
export SQUASH_FILE
export CONTAINER_MOUNTS="$GITHUB_WORKSPACE:/workspace,/scratch:/scratch,/scratch/hub:${HF_HUB_CACHE}"
export GPUS_PER_NODE=8

# The site file of the deployment tool.
cat >"$SCRATCH/site.yaml" <<EOF
partition: ${PARTITION}
job_name: ${JOB_NAME}
time_limit: "04:00:00"
gpus_per_node: ${GPUS_PER_NODE}
network_interface: bond0
containers:
  server: ${SQUASH_FILE}
model_paths:
  ${MODEL_PREFIX}: ${MODEL_PATH}
default_mounts:
  /scratch/hub: ${HF_HUB_CACHE}
EOF
cp "$SCRATCH/site.yaml" "$GITHUB_WORKSPACE/site.yaml"

import_squash "$IMAGE" "$SQUASH_FILE"
trap 'scancel --name="$JOB_NAME" 2>/dev/null || true; rm -rf "$SCRATCH"' EXIT

if [[ "$IS_MULTINODE" == true ]]; then
    for knob in NCCL_IB_TIMEOUT=22 NCCL_IB_RETRY_CNT=7 UCX_NET_DEVICES=bond0; do
        export "${knob?}"
    done
    salloc --partition="$PARTITION" --job-name="$JOB_NAME" --nodes="$NODE_COUNT" --exclusive --time=240 \
        bash "benchmarks/multi_node/${MODEL_PREFIX}_${PRECISION}_b200_${FRAMEWORK}.sh"
else
    SPEC_SUFFIX=$(spec_suffix)
    salloc --partition="$PARTITION" --job-name="$JOB_NAME" --nodes=1 --gpus="$GPU_COUNT" \
        --exclusive --mem=0 --time=240 --no-shell
    JOB_ID=$(job_id_of "$JOB_NAME")
    srun --jobid="$JOB_ID" --ntasks=1 --export=ALL \
        --container-image="$SQUASH_FILE" --container-mounts="$CONTAINER_MOUNTS" --container-workdir=/workspace \
        bash "benchmarks/single_node/${SCENARIO_SUBDIR}/${MODEL_PREFIX}_${PRECISION}_b200${SPEC_SUFFIX}.sh"
fi
