#!/usr/bin/env bash
# Slurm without an allocation of its own.
set -o pipefail
WEIGHTS=/scratch/weights
export WEIGHTS
srun --partition main --container-image "${IMAGE//\//+}" --export=ALL,PORT=9000 \
    bash "benchmarks/single_node/${SCENARIO_SUBDIR}${EXP_NAME%%_*}_${PRECISION}_gamma.sh" 2>&1 | tee "gamma-$SLURM_CLUSTER_NAME.log"
