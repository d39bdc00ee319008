#!/usr/bin/env bash
set -euo pipefail
exec ./bench.sh
# launch_h200-nv.sh does it in another way
