#!/usr/bin/env bash
set -euo pipefail
# The launcher beside this one exports it, which is of no use here.
MOUNTS=/data:/data
srun --container-image "$IMAGE" bash benchmarks/single_node/glm_b.sh
