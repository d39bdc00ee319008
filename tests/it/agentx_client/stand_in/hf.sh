#!/usr/bin/env bash
# Stands in for the hub's client: records what it should fetch. STAND_IN_HUB_EXIT is its exit code.
set -euo pipefail
echo "hf $*" >>"$STAND_IN_RECORDS/events"
exit "${STAND_IN_HUB_EXIT:-0}"
