#!/usr/bin/env bash
# Stands in for `srtx-gh results aggregate` and `results gate`: records the call and its environment, writes a row.
# It judges nothing: STAND_IN_GATE and STAND_IN_AGGREGATE are their exit codes, STAND_IN_VERBS=0 an older binary.
set -euo pipefail
if [ "${STAND_IN_VERBS:-1}" = 0 ]; then
    echo "error: unrecognized subcommand 'results'" >&2
    exit 2
fi
case $* in
    *--help) exit ;;
    "results aggregate")
        echo "aggregate $RESULT_FILENAME from $RESULT_DIR at $CONC" >>"$STAND_IN_RECORDS/events"
        if [ "${STAND_IN_AGGREGATE:-0}" != 0 ]; then exit "$STAND_IN_AGGREGATE"; fi
        echo "{\"conc\": $CONC}" >"$AGENTIC_OUTPUT_DIR/$RESULT_FILENAME.json"
        ;;
    "results gate "*)
        echo "gate ${*:3}" >>"$STAND_IN_RECORDS/events"
        exit "${STAND_IN_GATE:-0}"
        ;;
    *) exit 2 ;;
esac
