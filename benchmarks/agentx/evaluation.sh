# shellcheck shell=bash
# Eval-only jobs: the servers answer chat requests, then the evaluation runs instead of a replay.

EVALUATION=()

# Where the repository is mounted; a folder without this client is not it.
find_workspace() {
    if [ ! -f "${INFMAX_CONTAINER_WORKSPACE:-}/benchmarks/srt_agentic.sh" ]; then
        export INFMAX_CONTAINER_WORKSPACE=${BENCHMARKS%/*}
    fi
}

check_evaluation() {
    # Words, not shell: nothing in it is expanded.
    read -r -d '' -a EVALUATION <<<"${AGENTX_EVAL_COMMAND:-}" || true
    if [ "${#EVALUATION[@]}" = 0 ]; then
        problem "EVAL_ONLY is true but AGENTX_EVAL_COMMAND is not set" \
            "name the program that evaluates, with its arguments; a relative path starts at the workspace"
        return
    fi
    if [[ ${EVALUATION[0]} == */* && ${EVALUATION[0]} != /* ]]; then
        EVALUATION[0]=$INFMAX_CONTAINER_WORKSPACE/${EVALUATION[0]}
    fi
    if ! command -v -- "${EVALUATION[0]}" >/dev/null; then
        problem "AGENTX_EVAL_COMMAND starts with $(quoted "${EVALUATION[0]}"), which is no program"
    fi
    if ! command -v python3 >/dev/null; then
        problem "python3 is not on the path" "it asks whether the chat route is there"
    fi
}

evaluate() {
    local code=0
    mkdir -p -- "$RESULT_DIR" "$AGENTIC_OUTPUT_DIR"
    run python3 "$BENCHMARKS/agentx/chat_route.py" --model "$SERVED_MODEL_NAME" \
        --timeout "$AGENTX_CHAT_ROUTE_TIMEOUT_SECONDS" --poll "$AGENTX_CHAT_ROUTE_POLL_SECONDS" \
        "$AIPERF_SERVER_URL/v1/chat/completions" || code=$?
    end_when_stopped "while the chat route was awaited"
    if [ "$code" = 0 ]; then
        run_logged "$RESULT_DIR/eval.log" "${EVALUATION[@]}" || code=$?
        if [ -z "$STOPPED" ]; then
            # The launcher reads the verdict here.
            printf '%s\n' "$code" >"$AGENTIC_OUTPUT_DIR/infx-eval-exit-code"
        fi
        end_when_stopped "the evaluation ended with exit code $code; what it wrote is kept"
    fi
    if [ "$code" != 0 ]; then
        complain "the evaluation failed with exit code $code"
    fi
    return "$code"
}
