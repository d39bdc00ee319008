#!/usr/bin/env bash
set -e
vllm serve "$MODEL" --port 1 --offload "$KV_OFFLOADING"
