#!/usr/bin/env bash
set -euo pipefail
mounts=""
if [[ "$MODEL" == team/* ]]; then
    mounts=$'mounts:\n  /data: /data'
fi
cat > cluster.yaml <<EOF
name: a
nodes:
  - name: n1
    ports: 1
  - name: n2
    ports: 1
limits:
  time: 60
${mounts}
EOF
srun --container-image "$IMAGE" --export=ALL,PORT=8888 bash "benchmarks/single_node/${MODEL##*/}_a.sh" "$KV_OFFLOADING"
