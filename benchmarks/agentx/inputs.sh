# shellcheck shell=bash
# The environment: what must be there, what it defaults to, and what it may hold. Values are normalised in place.

REQUIRED=(MODEL MODEL_PREFIX FRAMEWORK PRECISION CONC RESULT_FILENAME DURATION RESULT_DIR EVAL_ONLY)
CONCURRENCIES=()

read_inputs() {
    check_required
    default PORT 8000
    default SERVED_MODEL_NAME "${MODEL:-}"
    default AGENTIC_OUTPUT_DIR "$(dirname -- "${RESULT_DIR:-.}")"
    default AGENTX_WITHOUT_SRTX fail
    read_switch IS_MULTINODE false
    read_switch EVAL_ONLY false
    read_switch REQUIRE_POWER false
    read_switch AIPERF_EXPERIMENTAL_FAST false
    read_switch AIPERF_APPLY_CHAT_TEMPLATE false
    read_switch AIPERF_UNSAFE_OVERRIDE false
    read_switch AIPERF_USE_DYNAMO_CONV_AWARE_ROUTING true
    read_switch AIPERF_HTTP_X_DYNAMO_SESSION_ID_FROM_CORRELATION_ID false
    read_count DURATION ''
    read_count AIPERF_MAX_CONTEXT_LENGTH ''
    read_count AIPERF_DYNAMO_SESSION_TIMEOUT_SECONDS 3600
    read_seconds AGENTIC_WARMUP_GRACE_PERIOD 1800
    read_seconds AIPERF_BENCHMARK_GRACE_PERIOD ''
    read_seconds AIPERF_TRACE_IDLE_GAP_CAP_SECONDS 300
    read_seconds AIPERF_DRAIN_TIMEOUT_SECONDS 1800
    read_seconds AIPERF_DRAIN_POLL_SECONDS 10
    read_seconds AIPERF_DATASET_CONFIGURATION_TIMEOUT 1800
    read_seconds AIPERF_SERVICE_PROFILE_CONFIGURE_TIMEOUT 1800
    read_seconds AGENTX_CHAT_ROUTE_TIMEOUT_SECONDS 1800
    read_seconds AGENTX_CHAT_ROUTE_POLL_SECONDS 5
    read_ratio AIPERF_FAILED_REQUEST_THRESHOLD 0.10
    read_ratio AIPERF_LIVE_FAILED_REQUEST_THRESHOLD 0.10
    check_port PORT
    check_time_outs
    check_file_name
    check_without_srtx
    read_concurrencies
    if [ "$AIPERF_EXPERIMENTAL_FAST" = true ]; then
        export DURATION=1200
    fi
    if [ -n "${MAX_MODEL_LEN:-}" ] && [ -z "$AIPERF_MAX_CONTEXT_LENGTH" ]; then
        note "MAX_MODEL_LEN is ignored, the context is the model's own; AIPERF_MAX_CONTEXT_LENGTH would cap it"
    fi
}

check_required() {
    local name missing=()
    for name in "${REQUIRED[@]}"; do
        if [ -z "${!name:-}" ]; then
            missing+=("$name")
        fi
    done
    if [ "${#missing[@]}" -gt 0 ]; then
        problem "variables that every run needs are not set: ${missing[*]}" \
            "set them in benchmark.env of the recipe, or let the launcher bind the point"
    fi
}

# An empty variable counts as one that is not set: workflows pass absent inputs that way. What stays empty is not passed
# on, because aiperf reads variables of its own and takes an empty one for a wrong value.
default() { # variable, value
    local value=${!1:-$2}
    unset "$1"
    if [ -n "$value" ]; then
        export "$1=$value"
    else
        declare -g "$1="
    fi
}

read_switch() { # variable, default
    default "$1" "$2"
    case ${!1,,} in
        1 | true) export "$1=true" ;;
        0 | false) export "$1=false" ;;
        *) problem "$1 is $(quoted "${!1}"), expected true or false (or 1 or 0)" ;;
    esac
}

read_number() { # variable, default, pattern, what is expected
    default "$1" "$2"
    # A required one that is missing has been told already.
    if [ -n "${!1}" ] && ! [[ ${!1} =~ ^($3)$ ]]; then
        problem "$1 is $(quoted "${!1}"), expected $4"
    fi
}

read_count() { # variable, default
    read_number "$1" "$2" '[1-9][0-9]*' 'a whole number of 1 or more'
}

read_seconds() { # variable, default
    read_number "$1" "$2" '[0-9]+([.][0-9]+)?' 'a number of seconds, such as 1800'
}

read_ratio() { # variable, default
    read_number "$1" "$2" '0?[.][0-9]+|0|1|1[.]0*' 'a ratio between 0 and 1, such as 0.10'
}

check_port() { # variable
    if ! [[ ${!1} =~ ^[1-9][0-9]{0,4}$ ]] || [ "${!1}" -gt 65535 ]; then
        problem "$1 is $(quoted "${!1}"), expected a port between 1 and 65535"
    fi
}

# aiperf refuses to start otherwise, after it has loaded everything.
check_time_outs() {
    local dataset=${AIPERF_DATASET_CONFIGURATION_TIMEOUT%%.*} profile=${AIPERF_SERVICE_PROFILE_CONFIGURE_TIMEOUT%%.*}
    if [[ $dataset$profile =~ ^[0-9]+$ ]] && ((10#$profile < 10#$dataset)); then
        problem "AIPERF_SERVICE_PROFILE_CONFIGURE_TIMEOUT is $profile, below AIPERF_DATASET_CONFIGURATION_TIMEOUT, which is $dataset" \
            "the profile is configured after the data set is, so give it at least as long"
    fi
}

check_file_name() {
    if [[ ${RESULT_FILENAME:-} == */* || ${RESULT_FILENAME:-} =~ [[:cntrl:]] ]]; then
        problem "RESULT_FILENAME is $(quoted "$RESULT_FILENAME"), expected a plain file name without its ending"
    fi
}

check_without_srtx() {
    if [ "$AGENTX_WITHOUT_SRTX" != fail ] && [ "$AGENTX_WITHOUT_SRTX" != allow ]; then
        problem "AGENTX_WITHOUT_SRTX is $(quoted "$AGENTX_WITHOUT_SRTX"), expected fail or allow"
    fi
}

# The concurrencies of this run: the words of CONC_LIST when it is set, else CONC.
read_concurrencies() {
    local word seen=' '
    if [ -n "${CONC:-}" ]; then
        check_concurrencies CONC "$CONC"
        CONCURRENCIES=("$CONC")
    fi
    if [ -z "${CONC_LIST+set}" ]; then
        return
    fi
    read -r -d '' -a CONCURRENCIES <<<"$CONC_LIST" || true
    if [ "${#CONCURRENCIES[@]}" = 0 ]; then
        problem "CONC_LIST is $(quoted "$CONC_LIST"), expected one concurrency or more, separated by spaces" \
            "unset it when the job has only CONC"
        return
    fi
    check_concurrencies CONC_LIST "${CONCURRENCIES[@]}"
    for word in "${CONCURRENCIES[@]}"; do
        if [[ $seen == *" $word "* ]]; then
            problem "CONC_LIST is $(quoted "$CONC_LIST") and names $(quoted "$word") twice" \
                "both points would write the same files; name each concurrency once"
        fi
        seen+="$word "
    done
}

check_concurrencies() { # variable, words...
    local name=$1 word wrong=() help=
    shift
    for word in "$@"; do
        if ! [[ $word =~ ^[1-9][0-9]*$ ]]; then
            wrong+=("$(quoted "$word")")
        fi
    done
    if [ "${#wrong[@]}" = 0 ]; then
        return
    fi
    if [[ ${!name} =~ Array|Object|[][{},] ]]; then
        help="a list was put into a text on its way here, as in '[\${{ matrix.config.conc }}]' where conc is a list"
        help+=" already; pass toJson(conc) on, and join(fromJson(list), ' ') as CONC_LIST"
    fi
    problem "$name is $(quoted "${!name}"): ${wrong[*]} is no concurrency, expected a whole number of 1 or more" "$help"
}
