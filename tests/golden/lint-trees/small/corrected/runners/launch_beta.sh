#!/usr/bin/env bash
# Docker on the node itself.
suffix=""
[[ "$FRAMEWORK" == trt ]] && suffix=_trt
docker run --rm --gpus all --ipc host \
    -v "$PWD:/workspace" -w /workspace \
    -e HF_TOKEN -e MODEL -e MODEL_PREFIX -e CONC -e PRECISION \
    -e KV_OFFLOADING -e TOTAL_CPU_DRAM_GB -e DURATION \
    -e RESULT_DIR -e RESULT_FILENAME -e PORT=8888 \
    "$IMAGE" bash "benchmarks/single_node/${SCENARIO_SUBDIR}${EXP_NAME%%_*}_${PRECISION}_beta${suffix}.sh"
rc=$?
docker rm -f "bench-$RUNNER_NAME" >/dev/null 2>&1
exit "$rc"
