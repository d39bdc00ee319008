#!/usr/bin/env bash
# The AgentX replay client. An srt-slurm job runs it in a worker container, as its benchmark of the type `custom`, once
# the servers are ready. Its inputs are environment variables; README.md beside this file lists them.
set -euo pipefail

# Matching and sorting must not depend on the container. What we start gets the caller's locale back.
CALLERS_LOCALE=${LC_ALL-}
LC_ALL=C

BENCHMARKS=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
# shellcheck source=benchmarks/agentx/report.sh
. "$BENCHMARKS/agentx/report.sh"
# shellcheck source=benchmarks/agentx/process.sh
. "$BENCHMARKS/agentx/process.sh"
# shellcheck source=benchmarks/agentx/inputs.sh
. "$BENCHMARKS/agentx/inputs.sh"
# shellcheck source=benchmarks/agentx/endpoints.sh
. "$BENCHMARKS/agentx/endpoints.sh"
# shellcheck source=benchmarks/agentx/traces.sh
. "$BENCHMARKS/agentx/traces.sh"
# shellcheck source=benchmarks/agentx/command.sh
. "$BENCHMARKS/agentx/command.sh"
# shellcheck source=benchmarks/agentx/results.sh
. "$BENCHMARKS/agentx/results.sh"
# shellcheck source=benchmarks/agentx/evaluation.sh
. "$BENCHMARKS/agentx/evaluation.sh"

# Where a point's files go and what its row is called. A multi-node job has one row for each concurrency, so its workflow
# looks for `_conc<N>`; a single-node job with one point keeps the workflow's name.
place_of_point() { # concurrency
    export CONC=$1 RESULT_DIR=$RESULT_ROOT RESULT_FILENAME=$RESULT_NAME
    if [ "$IS_MULTINODE" = true ] || [ "${#CONCURRENCIES[@]}" -gt 1 ]; then
        RESULT_DIR=$RESULT_ROOT/conc_$1
        RESULT_FILENAME=${RESULT_NAME}_conc$1
    fi
}

# Old files would pass for this run's: the client may end before it writes, and what it left would be read instead.
refuse_old_results() {
    local concurrency
    for concurrency in "${CONCURRENCIES[@]}"; do
        place_of_point "$concurrency"
        if [ -e "$RESULT_DIR/aiperf_artifacts" ]; then
            problem "$RESULT_DIR/aiperf_artifacts is there already, from an earlier run" \
                "move it away, or set RESULT_DIR to an empty folder"
        fi
        if [ -e "$AGENTIC_OUTPUT_DIR/$RESULT_FILENAME.json" ]; then
            problem "$AGENTIC_OUTPUT_DIR/$RESULT_FILENAME.json is there already, from an earlier run" \
                "move it away, or set another RESULT_FILENAME or AGENTIC_OUTPUT_DIR"
        fi
    done
}

# One point: the replay, then everything that is made of it.
replay_point() { # concurrency
    local replay=0
    place_of_point "$1"
    mkdir -p -- "$RESULT_DIR" "$AGENTIC_OUTPUT_DIR" || return 1
    build_command "$CONC" "$RESULT_DIR"
    { printf '%q ' "${COMMAND[@]}" && echo; } >"$RESULT_DIR/benchmark_command.txt" || return 1
    run_logged "$RESULT_DIR/benchmark.log" "${COMMAND[@]}" || replay=$?
    end_when_stopped "the replay ended with exit code $replay; what it wrote is kept in $RESULT_DIR"
    if [ "$replay" != 0 ]; then
        complain "the replay at concurrency $CONC ended with exit code $replay; $RESULT_DIR/benchmark.log has its output"
    fi
    finish_point "$replay"
}

# Points of one batch must not disturb each other: no request of the last one may still be running. (They do not share
# prefixes either: the replay's scenario marks the prompts of each invocation.)
drain() {
    local url urls=() arguments=(--timeout "$AIPERF_DRAIN_TIMEOUT_SECONDS" --poll "$AIPERF_DRAIN_POLL_SECONDS")
    metric_urls_into urls
    for url in "${urls[@]}"; do
        arguments+=(--worker "$url")
    done
    if [ "${#urls[@]}" -gt 0 ] && [ "${SRTCTL_FRONTEND_TYPE:-}" != dynamo ]; then
        arguments+=(--frontend-may-lack-metrics)
    fi
    run python3 "$BENCHMARKS/agentx/drain.py" "${arguments[@]}" "$(frontend_metrics_url)"
}

# The points in their order. The first that fails ends the batch: the job has failed, and its servers may be gone.
replay_all() {
    local index code
    for index in "${!CONCURRENCIES[@]}"; do
        code=0
        replay_next "$index" || code=$?
        if [ "$code" != 0 ]; then
            if [ "$((index + 1))" -lt "${#CONCURRENCIES[@]}" ]; then
                complain "not run after that: concurrency ${CONCURRENCIES[*]:index + 1}"
            fi
            return "$code"
        fi
    done
}

replay_next() { # index
    local code=0
    if [ "$1" -gt 0 ]; then
        drain || code=$?
        end_when_stopped "while the servers were draining"
        if [ "$code" != 0 ]; then
            complain "concurrency ${CONCURRENCIES[$1]} was not run"
            return "$code"
        fi
    fi
    note "point $(($1 + 1)) of ${#CONCURRENCIES[@]}: concurrency ${CONCURRENCIES[$1]}"
    replay_point "${CONCURRENCIES[$1]}"
}

read_environment() {
    read_inputs
    resolve_server_url
    resolve_metric_urls
    find_workspace
    if [ "$EVAL_ONLY" != true ]; then
        choose_trace_set
    fi
}

main() {
    watch_signals
    if [ $# -gt 0 ]; then
        complain "srt_agentic.sh takes no arguments, it got: $(quoted "$*")"
        exit 2
    fi
    read_environment
    if [ "$EVAL_ONLY" = true ]; then
        check_evaluation
        end_on_problems
        evaluate
        return
    fi
    find_tools
    end_on_problems
    RESULT_ROOT=$RESULT_DIR RESULT_NAME=$RESULT_FILENAME
    refuse_old_results
    check_flags
    end_on_problems
    fetch_trace_set
    replay_all
}

# Tests read this file for its functions.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    main "$@"
fi
