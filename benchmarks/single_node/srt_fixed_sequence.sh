#!/usr/bin/env bash
# The client of fixed-length points on one node. An srt-slurm job runs it in a worker container, as its benchmark of the
# type `custom`, once the server is ready. Its inputs are environment variables; ../README.md lists them.
set -euo pipefail

# Matching must not depend on the container. What we start gets the caller's locale back.
CALLERS_LOCALE=${LC_ALL-}
LC_ALL=C

HERE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
BENCHMARKS=${HERE%/*}
# shellcheck source=benchmarks/agentx/report.sh
. "$BENCHMARKS/agentx/report.sh"
# shellcheck source=benchmarks/agentx/process.sh
. "$BENCHMARKS/agentx/process.sh"
# shellcheck source=benchmarks/agentx/inputs.sh
. "$BENCHMARKS/agentx/inputs.sh"
# shellcheck source=benchmarks/agentx/endpoints.sh
. "$BENCHMARKS/agentx/endpoints.sh"

REQUIRED=(MODEL FRAMEWORK ISL OSL CONC RANDOM_RANGE_RATIO RESULT_DIR RESULT_FILENAME)
COMMAND=()

note() { # text
    printf 'fixed-sequence: %s\n' "$1" >&2
}

read_environment() {
    check_required
    default PORT 8000
    default SERVED_MODEL_NAME "${MODEL:-}"
    read_switch EVAL_ONLY false
    read_switch USE_CHAT_TEMPLATE false
    read_count ISL ''
    read_count OSL ''
    read_count REQUESTS_PER_CONC 10
    read_count WARMUPS_PER_CONC 2
    read_number RANDOM_RANGE_RATIO '' '0?[.][0-9]*[1-9][0-9]*|1|1[.]0*' 'a ratio above 0 and up to 1, such as 0.8'
    check_port PORT
    if [ -n "${CONC:-}" ]; then
        check_concurrencies CONC "$CONC"
    fi
    if [[ ${RESULT_FILENAME:-} == */* ]]; then
        problem "RESULT_FILENAME is $(quoted "$RESULT_FILENAME"), expected a file name without its folder"
    fi
    if ! command -v python3 >/dev/null; then
        problem "python3 is not on the path" "it carries the load generators"
    fi
    resolve_server_url
}

# The engine's own load generator: the image of a server brings it along, so nothing is installed. Lengths are drawn
# evenly between RATIO times the length and the length.
build_command() { # raw result
    local requests=$((CONC * REQUESTS_PER_CONC)) warmups=$((CONC * WARMUPS_PER_CONC))
    case $FRAMEWORK in
        vllm) vllm_command "$1" "$requests" "$warmups" ;;
        sglang) sglang_command "$1" "$requests" "$warmups" ;;
        *)
            problem "FRAMEWORK is $(quoted "$FRAMEWORK"), and no load generator is known for it" \
                "this client serves vllm and sglang"
            ;;
    esac
}

# vLLM draws between LENGTH * (1 - SPREAD) and LENGTH * (1 + SPREAD), so its length is the middle of our range.
vllm_command() { # raw result, requests, warm-ups
    local lengths input output spread endpoint=/v1/completions backend=openai
    # The numbers were checked, so they are no code.
    lengths=$(python3 -c "
ratio = $RANDOM_RANGE_RATIO
print(round($ISL * (1 + ratio) / 2), round($OSL * (1 + ratio) / 2), '%.9f' % ((1 - ratio) / (1 + ratio)))")
    read -r input output spread <<<"$lengths"
    if [ "$USE_CHAT_TEMPLATE" = true ]; then
        endpoint=/v1/chat/completions backend=openai-chat
    fi
    COMMAND=(
        vllm bench serve --backend "$backend" --base-url "$AIPERF_SERVER_URL" --endpoint "$endpoint"
        --model "$SERVED_MODEL_NAME" --tokenizer "$MODEL" --trust-remote-code
        --dataset-name random --random-input-len "$input" --random-output-len "$output" --random-range-ratio "$spread"
        --num-prompts "$2" --num-warmups "$3" --max-concurrency "$CONC" --request-rate inf --ignore-eos --seed 42
        --percentile-metrics "ttft,tpot,itl,e2el" --metric-percentiles "90,99,99.9"
        --save-result --result-dir "$(dirname -- "$1")" --result-filename "$(basename -- "$1")"
    )
}

# SGLang draws between RATIO times the length and the length, as it is asked here. `random-ids` needs no text to draw from.
sglang_command() { # raw result, requests, warm-ups
    local backend=sglang-oai
    if [ "$USE_CHAT_TEMPLATE" = true ]; then
        backend=sglang-oai-chat
    fi
    COMMAND=(
        python3 -m sglang.bench_serving --backend "$backend" --base-url "$AIPERF_SERVER_URL"
        --model "$SERVED_MODEL_NAME" --tokenizer "$MODEL"
        --dataset-name random-ids --random-input-len "$ISL" --random-output-len "$OSL"
        --random-range-ratio "$RANDOM_RANGE_RATIO"
        --num-prompts "$2" --warmup-requests "$3" --max-concurrency "$CONC" --request-rate inf --seed 42
        --output-file "$1"
    )
}

main() {
    local code=0 raw result
    watch_signals
    if [ $# -gt 0 ]; then
        complain "srt_fixed_sequence.sh takes no arguments, it got: $(quoted "$*")"
        exit 2
    fi
    read_environment
    end_on_problems
    if [ "$EVAL_ONLY" = true ]; then
        note "EVAL_ONLY is true: nothing is measured, srt-slurm runs the evaluation after this"
        return
    fi
    result=$RESULT_DIR/$RESULT_FILENAME.json raw=$RESULT_DIR/$RESULT_FILENAME.raw.json
    # An old file would pass for this run's.
    if [ -e "$result" ] || [ -e "$raw" ]; then
        problem "$result or $raw is there already, from an earlier run" "move it away, or set another RESULT_FILENAME"
    fi
    build_command "$raw"
    end_on_problems
    mkdir -p -- "$RESULT_DIR"
    { printf '%q ' "${COMMAND[@]}" && echo; } >"$RESULT_DIR/benchmark_command.txt"
    run_logged "$RESULT_DIR/benchmark.log" "${COMMAND[@]}" || code=$?
    end_when_stopped "the load generator ended with exit code $code; what it wrote is kept in $RESULT_DIR"
    if [ "$code" != 0 ]; then
        complain "the load generator ended with exit code $code; $RESULT_DIR/benchmark.log has its output"
        return "$code"
    fi
    run python3 "$HERE/fixed_sequence_row.py" --requests "$((CONC * REQUESTS_PER_CONC))" "$raw" "$result"
}

# Tests read this file for its functions.
if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    main "$@"
fi
