#!/usr/bin/env bash
# A batch job that this script waits for.
set -eu
JOB_ID=$(sbatch --parsable --job-name "$RUNNER_NAME" benchmarks/batch.sh)
while squeue -h -j "$JOB_ID" | grep -q .; do
    sleep 10
done
