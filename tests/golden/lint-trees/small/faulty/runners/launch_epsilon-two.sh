#!/usr/bin/env bash
# The same fleet under two names.
set -e
results=/data/results
mkdir -p "$results"
exec srun --partition edge python3 -m client --model "$MODEL" --concurrency "$CONC" --out "$results"
