#!/usr/bin/env bash
# Stands in for aiperf: says which flags it knows, records how it was called, and writes what the real one exports.
#
# STAND_IN_RECORDS  folder of the records: `events`, and for each concurrency `aiperf-N.argv` and `aiperf-N.env`
# STAND_IN_UNKNOWN  flags that this version does not know
# STAND_IN_EXIT     exit code of the replay
# STAND_IN_EXPORTS  0: nothing is exported
# STAND_IN_WAIT     1: runs until a signal comes, beside a child of its own
set -euo pipefail

KNOWN=(
    --apply-chat-template --benchmark-duration --benchmark-grace-period --concurrency
    --dynamo-session-timeout-seconds --endpoint --endpoint-type --extra-inputs --failed-request-threshold
    --max-context-length --no-gpu-telemetry --num-dataset-entries --output-artifact-dir --public-dataset
    --random-seed --scenario --server-metrics --slice-duration --stats-interval --streaming --tokenizer
    --tokenizer-trust-remote-code --trace-idle-gap-cap-seconds --trajectory-start-max-ratio
    --trajectory-start-min-ratio --unsafe-override --use-dynamo-conv-aware-routing --use-server-token-count
    --warmup-grace-period --warmup-requests-per-lane
)

case $* in
    --version)
        echo 0.13.0
        exit
        ;;
    "profile --help")
        echo "Usage: aiperf profile [OPTIONS]"
        for flag in "${KNOWN[@]}" '--model-names --model -m' '--url -u'; do
            [[ " ${STAND_IN_UNKNOWN:-} " == *" $flag "* ]] || echo "│ $flag   What it does. [default: []] │"
        done
        exit
        ;;
esac

arguments=("$@")
for index in "${!arguments[@]}"; do
    case ${arguments[index]} in
        --concurrency) concurrency=${arguments[index + 1]} ;;
        --output-artifact-dir) folder=${arguments[index + 1]} ;;
    esac
done
printf '%s\n' "$@" >"$STAND_IN_RECORDS/aiperf-$concurrency.argv"
env >"$STAND_IN_RECORDS/aiperf-$concurrency.env"
echo "aiperf $concurrency" >>"$STAND_IN_RECORDS/events"
echo "replaying at $concurrency"
mkdir -p "$folder"
if [ "${STAND_IN_WAIT:-0}" = 1 ]; then
    # As the real one: a single SIGINT ends in 0.
    trap 'echo "aiperf got INT" >>"$STAND_IN_RECORDS/events"; exit 0' INT
    trap 'echo "aiperf got TERM" >>"$STAND_IN_RECORDS/events"; exit 143' TERM
    sleep 600 &
    echo $! >"$STAND_IN_RECORDS/child"
    echo '{"metadata": {}, "metrics": {}}' >"$folder/profile_export.jsonl"
    touch "$STAND_IN_RECORDS/waiting"
    while :; do sleep 0.02; done
fi
if [ "${STAND_IN_EXPORTS:-1}" = 1 ]; then
    echo '{"metadata": {}, "metrics": {}}' >"$folder/profile_export.jsonl"
    echo '{"request_count": {"unit": "requests", "avg": 1.0}}' >"$folder/profile_export_aiperf.json"
    echo '{"metrics": {"vllm:num_requests_running": {}}}' >"$folder/server_metrics_export.json"
    echo 'metric,value' >"$folder/server_metrics_export.csv"
fi
exit "${STAND_IN_EXIT:-0}"
