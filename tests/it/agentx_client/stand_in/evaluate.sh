#!/usr/bin/env bash
# Stands in for an evaluation, and for the reader of a power window. STAND_IN_EVALUATION is its exit code.
set -euo pipefail
echo "evaluate $* of $MODEL at $AIPERF_SERVER_URL" >>"$STAND_IN_RECORDS/events"
exit "${STAND_IN_EVALUATION:-0}"
