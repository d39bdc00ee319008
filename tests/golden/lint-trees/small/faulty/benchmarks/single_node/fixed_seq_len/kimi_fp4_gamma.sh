#!/usr/bin/env bash
source "$(dirname "$0")/../../lib.sh"
check_env_vars MODEL CONC \
    PREFILL_MAX_TOKENS
python3 - <<'PY'
import os
print(os.environ["MODEL_PREFIX"], os.environ.get("PRECISION", "fp8"))
PY
vllm serve "${WEIGHTS:-/data/models}/$MODEL" --port "$PORT" &
run_client
