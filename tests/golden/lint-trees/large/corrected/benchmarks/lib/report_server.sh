#!/usr/bin/env bash
# Short report on a server log. Run as its own process, so that a failure here cannot stop a measurement.
set -uo pipefail

: "${SERVER_LOG:?}" "${SERVER_LABEL:?}"

errors=$(grep -ciE 'error|traceback' "$SERVER_LOG")
last=$(tail -n 1 "$SERVER_LOG")

awk -v label="$SERVER_LABEL" -v errors="$errors" -v last="$last" '
    /throughput/ { for (i = 1; i < NF; i++) if ($i ~ /throughput/) sum += $(i + 1); n++ }
    END {
        printf "server   %s\n", label
        printf "errors   %d\n", errors
        if (n) printf "mean     %.1f\n", sum / n
        printf "last     %s\n", last
    }
' "$SERVER_LOG"
