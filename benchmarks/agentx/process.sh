# shellcheck shell=bash
# Starting programs so that a signal reaches all of what they started, and so that their own exit code is what counts.

STOPPED=   # the first signal that we got
SIGNALLED= # set by every signal: `wait` came back early
GROUP=     # the process group of the program that runs now

watch_signals() {
    trap 'forward INT' INT
    trap 'forward TERM' TERM
}

forward() { # signal
    STOPPED=${STOPPED:-$1}
    SIGNALLED=1
    signal_group "$1"
}

signal_group() { # signal
    if [ -n "$GROUP" ]; then
        kill -s "$1" -- "-$GROUP" 2>/dev/null || true
    fi
}

# Runs a program to its end and returns its exit code. The signals that arrive meanwhile are passed on.
run() { # command...
    local code
    # With job control the program leads a group of its own, and SIGINT is not ignored as it is for other jobs.
    set -m
    (
        restore_locale
        exec "$@"
    ) </dev/null &
    GROUP=$!
    set +m
    if [ -n "$STOPPED" ]; then
        signal_group "$STOPPED"
    fi
    while :; do
        SIGNALLED='' code=0
        wait "$GROUP" || code=$?
        if [ -z "$SIGNALLED" ]; then
            break
        fi
    done
    end_group
    return "$code"
}

# What a program leaves behind may still send requests, into the next point.
end_group() {
    local signal tries
    for signal in TERM KILL; do
        signal_group "$signal"
        for ((tries = 0; tries < 40; tries++)); do
            if ! kill -0 -- "-$GROUP" 2>/dev/null; then
                GROUP=
                return
            fi
            sleep 0.05
        done
    done
    GROUP=
}

# The same, with its output in a file as well as in ours.
run_logged() { # file, command...
    local code=0 out writer tries file=$1
    shift
    # The writer stays until the last line, also when a signal goes to everything in the job.
    exec {out}> >(
        trap '' INT TERM
        exec tee -a -- "$file"
    )
    writer=$!
    run "$@" >&"$out" 2>&1 || code=$?
    exec {out}>&-
    for ((tries = 0; tries < 500; tries++)); do
        kill -0 "$writer" 2>/dev/null || break
        sleep 0.01
    done
    return "$code"
}

restore_locale() {
    if [ -n "$CALLERS_LOCALE" ]; then
        export LC_ALL=$CALLERS_LOCALE
    else
        unset LC_ALL
    fi
}

# Ends with the code that says which signal it was, whatever the program made of it: a replay that was told to stop ends
# with 0 as if it were complete.
end_when_stopped() { # what happened
    case $STOPPED in
        INT) complain "stopped by SIGINT: $1" && exit 130 ;;
        TERM) complain "stopped by SIGTERM: $1" && exit 143 ;;
    esac
}
