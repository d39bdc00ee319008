#!/usr/bin/env bash
check_env_vars() {
    local name
    for name in "$@"; do
        [ -n "${!name:-}" ] || exit 1
    done
}
