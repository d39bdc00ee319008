#!/usr/bin/env bash
set -euo pipefail
source "$(dirname "$0")/launch_common.sh"
exec ./bench.sh
