#!/usr/bin/env bash
# What all benchmark scripts share.

check_env_vars() {
    local missing=()
    local name
    for name in "$@"; do
        [[ -n "${!name:-}" ]] || missing+=("$name")
    done
    if (( ${#missing[@]} )); then
        echo "missing: ${missing[*]}" >&2
        exit 1
    fi
}

run_client() {
    python3 -m client --model "$MODEL" --port "$PORT" --concurrency "$CONC" \
        --seconds "$DURATION" --out "$RESULT_DIR/$RESULT_FILENAME.json" "$@"
}
