# shellcheck shell=bash
# What is made of a replay: the row, the verdict of the gate, and the power window.

SRTX=

# srtx-gh aggregates and gates. Without it a point would count that nobody judged, so that is decided before the run.
find_srtx() {
    local reason=
    if [ -n "${SRTX_GH:-}" ]; then
        if ! SRTX=$(command -v -- "$SRTX_GH"); then
            problem "SRTX_GH is $(quoted "$SRTX_GH"), which is no program"
            return
        fi
    elif ! SRTX=$(command -v srtx-gh); then
        reason="srtx-gh is not on the path and SRTX_GH is not set"
    fi
    if [ -n "$SRTX" ] && ! { "$SRTX" results aggregate --help && "$SRTX" results gate --help; } >/dev/null 2>&1; then
        reason="$SRTX has no results aggregate and results gate"
        SRTX=
    fi
    if [ -z "$reason" ]; then
        return
    fi
    if [ "$AGENTX_WITHOUT_SRTX" = allow ]; then
        warn "$reason: there will be no row and no gate (AGENTX_WITHOUT_SRTX=allow)"
    else
        problem "$reason, so the results could neither be aggregated nor gated" \
            "mount the binary and set SRTX_GH, or set AGENTX_WITHOUT_SRTX=allow when a later step does both"
    fi
}

# The code of a point: the replay's, else the gate's, else that of the first other step that failed.
finish_point() { # exit code of the replay
    local replay=$1 row=0 gate=0 metrics=0 power=0 code
    aggregate || row=$?
    gate_point || gate=$?
    check_server_metrics || metrics=$?
    measure_power || power=$?
    for code in "$replay" "$gate" "$row" "$metrics" "$power"; do
        if [ "$code" != 0 ]; then
            return "$code"
        fi
    done
    note "the results of concurrency $CONC are in $RESULT_DIR"
}

aggregate() {
    local code=0 row=$AGENTIC_OUTPUT_DIR/$RESULT_FILENAME.json
    if [ -z "$SRTX" ]; then
        warn "$row was not written: there is no srtx-gh to aggregate with"
        return 0
    fi
    if [ ! -e "$RESULT_DIR/aiperf_artifacts/profile_export.jsonl" ]; then
        complain "$row was not written: the replay left no profile_export.jsonl"
        return 1
    fi
    run_logged "$RESULT_DIR/aggregate.log" "$SRTX" results aggregate || code=$?
    end_when_stopped "while the results were being aggregated; they are kept in $RESULT_DIR"
    if [ "$code" != 0 ]; then
        complain "results aggregate ended with exit code $code"
    elif [ ! -s "$row" ]; then
        complain "results aggregate ended well, but $row is missing or empty"
        code=1
    fi
    return "$code"
}

# The replay's own exit code does not decide: it is 0 after an abort for too many errors, and after one SIGINT.
gate_point() {
    local code=0
    if [ ! -s "$RESULT_DIR/aiperf_artifacts/profile_export_aiperf.json" ]; then
        complain "refused: the replay left no profile_export_aiperf.json to judge"
        return 1
    fi
    if [ -z "$SRTX" ]; then
        warn "concurrency $CONC was not gated: there is no srtx-gh"
        return 0
    fi
    run_logged "$RESULT_DIR/gate.log" "$SRTX" results gate "$RESULT_DIR/aiperf_artifacts" \
        --failed-request-threshold "$AIPERF_FAILED_REQUEST_THRESHOLD" || code=$?
    end_when_stopped "while the results were being judged; they are kept in $RESULT_DIR"
    if [ "$code" != 0 ]; then
        complain "the gate refused the results of concurrency $CONC (exit code $code)"
    fi
    return "$code"
}

# Some engines' rows are worthless without the engine's own metrics; recipes name a metric that must be there.
check_server_metrics() {
    local prefix=${AIPERF_REQUIRED_SERVER_METRIC_PREFIX:-} artefacts=$RESULT_DIR/aiperf_artifacts name code=0
    if [ -z "$prefix" ]; then
        return 0
    fi
    for name in server_metrics_export.json server_metrics_export.csv; do
        if [ ! -s "$artefacts/$name" ]; then
            complain "$artefacts/$name is missing or empty, but AIPERF_REQUIRED_SERVER_METRIC_PREFIX asks for $(quoted "$prefix")"
            code=1
        fi
    done
    if [ "$code" = 0 ] && ! grep -qF -- "\"$prefix" "$artefacts/server_metrics_export.json"; then
        complain "no metric in $artefacts/server_metrics_export.json starts with $(quoted "$prefix")" \
            "check that the engine shows its metrics, and that its endpoint was asked"
        code=1
    fi
    return "$code"
}

# The power window of a single-node point. The program gets the point in its environment and may add to the row.
measure_power() {
    local words=() code=0
    if [ "$IS_MULTINODE" = true ]; then
        return 0
    fi
    read -r -d '' -a words <<<"${AGENTX_POWER_COMMAND:-}" || true
    if [ "${#words[@]}" = 0 ]; then
        if [ "$REQUIRE_POWER" = true ]; then
            complain "REQUIRE_POWER is true but AGENTX_POWER_COMMAND is not set" "name the program that reads the power window"
            return 1
        fi
        return 0
    fi
    run_logged "$RESULT_DIR/power.log" "${words[@]}" || code=$?
    end_when_stopped "while the power window was being read; the results are kept in $RESULT_DIR"
    if [ "$code" != 0 ]; then
        complain "${words[0]} ended with exit code $code"
    fi
    return "$code"
}
