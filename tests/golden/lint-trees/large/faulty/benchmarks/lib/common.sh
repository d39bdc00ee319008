#!/usr/bin/env bash
# Functions for all benchmark scripts. To be sourced; expects the environment of the workflow templates.

log() { printf '[%(%F %T)T] %s\n' -1 "$*" >&2; }

die() {
    log "FATAL: $*"
    exit 1
}

# check_env_vars NAME...: every name must be set and not empty.
check_env_vars() {
    local name
    local -a missing=()
    for name in "$@"; do
        if [[ -z "${!name:-}" ]]; then
            missing+=("$name")
        fi
    done
    if ((${#missing[@]})); then
        die "not set: ${missing[*]}"
    fi
}

# Model files: a directory that the launcher staged, or the name of a repository on the hub.
resolve_model() {
    if [[ -d "$MODEL_PATH" && -r "$MODEL_PATH/config.json" ]]; then
        printf '%s\n' "$MODEL_PATH"
        return
    fi
    if [[ -z "$HF_TOKEN" ]]; then
        log "no staged copy of $MODEL and no token; trying an anonymous download"
    fi
    hf download "$MODEL" --quiet >/dev/null || die "cannot fetch $MODEL"
    printf '%s\n' "$MODEL"
}

# wait_for_server PORT PID LOGFILE: the health route must answer before the process dies or the time is over.
wait_for_server() {
    local port=$1 pid=$2 logfile=$3
    local deadline=$((SECONDS + 3600))
    until curl --silent --fail --max-time 5 "http://127.0.0.1:${port}/health" >/dev/null; do
        if ! kill -0 "$pid" 2>/dev/null; then
            tail -n 80 "$logfile" >&2
            die "the server ended before it was ready"
        fi
        if ((SECONDS > deadline)); then
            tail -n 80 "$logfile" >&2
            die "the server was not ready after one hour"
        fi
        sleep 10
    done
    log "server on port ${port} is ready"
}

# stop_server PID: ask first, then insist.
stop_server() {
    local pid=$1 i
    kill "$pid" 2>/dev/null || return 0
    for ((i = 0; i < 30; i++)); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 1
    done
    kill -9 "$pid" 2>/dev/null || true
}

# run_client URL CONC RESULT: one fixed-length measurement.
run_client() {
    local url=$1 conc=$2 result=$3
    local prompts=$((conc * 10))
    local -a extra=()
    if [[ "${PROFILE:-0}" == 1 ]]; then
        extra=(--profile)
    fi
    python3 "$(dirname "${BASH_SOURCE[0]}")/client.py" \
        --url "$url" \
        --model "$MODEL" \
        --input-len "$ISL" \
        --output-len "$OSL" \
        --range-ratio "$RANDOM_RANGE_RATIO" \
        --num-prompts "$prompts" \
        --max-concurrency "$conc" \
        --result-file "$RESULT_DIR/$result" "${extra[@]}"
}

# run_eval URL CONC: accuracy of the running server.
run_eval() {
    local url=$1 conc=$2
    local -a suite=()
    if [[ -n "$EVAL_SUITE" ]]; then
        suite=(--suite "$EVAL_SUITE")
    fi
    log "evaluation with $EVAL_FRAMEWORK at concurrency $conc"
    python3 "$(dirname "${BASH_SOURCE[0]}")/evaluate.py" \
        --backend "$EVAL_FRAMEWORK" "${suite[@]}" \
        --url "$url" --model "$MODEL" --concurrency "$conc" \
        --max-length "$MAX_MODEL_LEN" \
        --result-file "$RESULT_DIR/results_${RESULT_FILENAME}.json"
}

wants_throughput() { [[ "$EVAL_ONLY" != true ]]; }
wants_eval() { [[ "$RUN_EVAL" == true || "$EVAL_ONLY" == true ]]; }

# What every result needs to be found again.
write_common_metadata() {
    mkdir -p "$RESULT_DIR"
    cat >"$RESULT_DIR/meta_common.yaml" <<EOF
experiment: ${EXP_NAME}
model: ${MODEL}
model_prefix: ${MODEL_PREFIX}
framework: ${FRAMEWORK}
precision: ${PRECISION}
image: "${IMAGE}"
runner:
  name: ${RUNNER_NAME}
  type: "${RUNNER_TYPE}"
scenario:
  type: ${SCENARIO_TYPE}
  isl: ${ISL}
  osl: ${OSL}
  max_model_len: ${MAX_MODEL_LEN}
spec_decoding: ${SPEC_DECODING}
disagg: ${DISAGG}
EOF
}
