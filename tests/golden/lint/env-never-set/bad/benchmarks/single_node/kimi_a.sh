#!/usr/bin/env bash
set -e
vllm serve "$MODEL" --port "$SERVER_PORTS" --offload "$KV_OFFLOADING"
