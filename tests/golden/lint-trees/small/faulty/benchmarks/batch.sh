#!/usr/bin/env bash
#SBATCH --nodes 1
python3 -m client --model "$MODEL" --concurrency "$CONC"
