# shellcheck shell=bash
# Messages. Everything goes to stderr; problems of the input are collected and told all at once.

PROBLEMS=()

# A value as it may stand in a log: quoted, and without characters that could forge a line of it.
quoted() { # value
    printf "'%s'" "${1//[^[:print:]]/?}"
}

note() { # text
    printf 'agentx: %s\n' "$1" >&2
}

complain() { # text, [help]
    printf 'error: %s\n' "$1" >&2
    if [ -n "${2:-}" ]; then
        printf '  = help: %s\n' "$2" >&2
    fi
}

warn() { # text
    printf 'warning: %s\n' "$1" >&2
}

# Remembers a fault of the input; `end_on_problems` tells it.
problem() { # text, [help]
    PROBLEMS+=("$(complain "$1" "${2:-}" 2>&1)")
}

end_on_problems() {
    if [ "${#PROBLEMS[@]}" -gt 0 ]; then
        printf '%s\n' "${PROBLEMS[@]}" >&2
        note "nothing was started"
        exit 1
    fi
}
