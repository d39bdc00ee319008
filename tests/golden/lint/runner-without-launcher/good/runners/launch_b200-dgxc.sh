#!/usr/bin/env bash
set -euo pipefail
exec ./bench.sh
