#!/usr/bin/env bash
set -e
vllm serve "${MODELS_DIR:-/data}/$MODEL" --draft "$DRAFT" --port "$PORT" --offload "$KV_OFFLOADING"
