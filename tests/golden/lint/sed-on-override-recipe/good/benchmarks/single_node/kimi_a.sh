#!/usr/bin/env bash
set -e
vllm serve "$MODEL" --port "$PORT" --offload "$KV_OFFLOADING"
