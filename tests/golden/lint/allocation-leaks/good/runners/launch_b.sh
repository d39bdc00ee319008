#!/usr/bin/env bash
set -e
finish() {
    scancel "$JOB_ID"
}
trap finish EXIT
JOB_ID=$(sbatch --parsable benchmarks/single_node/kimi_a.sh)
while squeue -h -j "$JOB_ID" | grep -q .; do sleep 5; done
finish
