#!/usr/bin/env bash
# Slurm without an allocation of its own.
WEIGHTS=/scratch/weights
rmdir "$SCRATCH_SHM_MOUNT"
srun --partition main --container-image "${IMAGE//\//+}" --export=ALL,PORT=9000 \
    bash "benchmarks/single_node/${SCENARIO_SUBDIR}${EXP_NAME%%_*}_${PRECISION}_gamma.sh" 2>&1 | tee "gamma-$SLURM_CLUSTER_NAME.log"
