#!/usr/bin/env bash
set -euo pipefail
export MOUNTS=/scratch:/scratch
srun --container-image "$IMAGE" bash benchmarks/single_node/glm_b.sh
