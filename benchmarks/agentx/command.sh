# shellcheck shell=bash
# The replay's command line, and whether the installed client knows it.

COMMAND=()
FLAGS=()

SCENARIO=inferencex-agentx-mvp

flag() { # name, values...
    COMMAND+=("$@")
    FLAGS+=("$1")
}

build_command() { # concurrency, folder
    local warm_up=10
    if [ "$AIPERF_EXPERIMENTAL_FAST" = true ]; then
        warm_up=1
    fi
    COMMAND=(aiperf profile)
    FLAGS=()
    flag --scenario "$SCENARIO"
    flag --url "$AIPERF_SERVER_URL"
    flag --endpoint /v1/chat/completions
    flag --endpoint-type chat
    flag --streaming
    flag --model "$SERVED_MODEL_NAME"
    flag --tokenizer "$MODEL"
    flag --concurrency "$1"
    flag --benchmark-duration "$DURATION"
    flag --stats-interval 30
    flag --random-seed 42
    flag --failed-request-threshold "$AIPERF_LIVE_FAILED_REQUEST_THRESHOLD"
    flag --trajectory-start-min-ratio 0.25
    flag --trajectory-start-max-ratio 0.75
    flag --warmup-requests-per-lane "$warm_up"
    flag --trace-idle-gap-cap-seconds "$AIPERF_TRACE_IDLE_GAP_CAP_SECONDS"
    flag --warmup-grace-period "$AGENTIC_WARMUP_GRACE_PERIOD"
    flag --use-server-token-count
    flag --no-gpu-telemetry
    flag --tokenizer-trust-remote-code
    flag --num-dataset-entries 393
    flag --slice-duration 1.0
    flag --output-artifact-dir "$2/aiperf_artifacts"
    flag --public-dataset "$WEKA_LOADER_OVERRIDE"
    add_optional_flags
    # Answers are replayed from the traces; the recorded lengths hold only then.
    export AIPERF_DATASET_WEKA_LIVE_ASSISTANT_RESPONSES=0
    export AIPERF_UI_REALTIME_METRICS_ENABLED=true
}

add_optional_flags() {
    local urls=()
    if [ -n "${AIPERF_EXTRA_INPUTS:-}" ]; then
        flag --extra-inputs "$AIPERF_EXTRA_INPUTS"
    fi
    # Either Dynamo's router is told of conversations, or the header carries the session: never both.
    if [[ $FRAMEWORK == dynamo-* && $AIPERF_USE_DYNAMO_CONV_AWARE_ROUTING == true &&
        $AIPERF_HTTP_X_DYNAMO_SESSION_ID_FROM_CORRELATION_ID == false ]]; then
        flag --use-dynamo-conv-aware-routing
        flag --dynamo-session-timeout-seconds "$AIPERF_DYNAMO_SESSION_TIMEOUT_SECONDS"
    fi
    if [ -n "$AIPERF_MAX_CONTEXT_LENGTH" ]; then
        flag --max-context-length "$AIPERF_MAX_CONTEXT_LENGTH"
    fi
    metric_urls_into urls
    if [ "${#urls[@]}" -gt 0 ]; then
        flag --server-metrics "${urls[@]}"
    fi
    if [ "$AIPERF_APPLY_CHAT_TEMPLATE" = true ]; then
        flag --apply-chat-template
    fi
    if [ -n "$AIPERF_BENCHMARK_GRACE_PERIOD" ]; then
        flag --benchmark-grace-period "$AIPERF_BENCHMARK_GRACE_PERIOD"
    fi
    # The scenario refuses a shorter run; its results then say that they are no submission.
    if [ "$AIPERF_UNSAFE_OVERRIDE" = true ] || [ "$DURATION" -lt 900 ]; then
        flag --unsafe-override
    fi
}

# The programs that a replay needs.
find_tools() {
    local aiperf
    find_srtx
    if ! command -v python3 >/dev/null; then
        problem "python3 is not on the path" "the container's setup installs it; aiperf runs on it"
    fi
    if ! aiperf=$(command -v aiperf); then
        problem "aiperf is not on the path" "install it at a fixed version in the setup script of the recipe"
        return
    fi
    find_hub_client "$(readlink -f -- "$aiperf" || printf '%s' "$aiperf")"
}

# Flags come and go with the client's version. Asking first costs seconds; finding out later costs the job.
check_flags() {
    local help name version unknown=() hint
    version=$(aiperf --version 2>/dev/null | head -n 1) || version='of an unknown version'
    if [ -n "${AIPERF_PINNED_VERSION:-}" ] && [ "$AIPERF_PINNED_VERSION" != "$version" ]; then
        problem "the installed aiperf is $(quoted "$version"), AIPERF_PINNED_VERSION asks for $(quoted "$AIPERF_PINNED_VERSION")"
    fi
    # Narrow help texts break long names.
    if ! help=$(COLUMNS=400 NO_COLOR=1 TERM=dumb aiperf profile --help 2>&1); then
        problem "aiperf profile --help failed: $(quoted "$(tail -n 1 <<<"$help")")" "check how aiperf was installed"
        return
    fi
    help=" $(tr -c 'A-Za-z0-9-' ' ' <<<"$help") "
    build_command "${CONCURRENCIES[0]}" "$RESULT_DIR"
    for name in "${FLAGS[@]}"; do
        if [[ $help != *" $name "* ]]; then
            unknown+=("$name")
        fi
    done
    if [ "${#unknown[@]}" = 0 ]; then
        note "aiperf $version knows every flag of the command"
        return
    fi
    hint="install the version that has them"
    if [[ " ${unknown[*]} " == *dynamo* ]]; then
        hint+="; AIPERF_USE_DYNAMO_CONV_AWARE_ROUTING=0 leaves the Dynamo ones out"
    fi
    problem "the installed aiperf $version does not know: ${unknown[*]}" "$hint"
}
