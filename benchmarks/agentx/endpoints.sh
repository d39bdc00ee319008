# shellcheck shell=bash
# Where requests go, and where metrics come from.

# AIPERF_SERVER_URL, or the frontend that srt-slurm announces, or this host.
resolve_server_url() {
    local host=${SRT_FRONTEND_HOST:-localhost}
    if [ -n "${AIPERF_SERVER_URL:-}" ]; then
        check_url AIPERF_SERVER_URL "$AIPERF_SERVER_URL"
        export AIPERF_SERVER_URL=${AIPERF_SERVER_URL%/}
        return
    fi
    if [ -n "${SRT_FRONTEND_HOST:-}" ] && [ -z "${SRT_FRONTEND_PORT:-}" ]; then
        problem "SRT_FRONTEND_HOST is $(quoted "$SRT_FRONTEND_HOST") but SRT_FRONTEND_PORT is not set" \
            "set both, or AIPERF_SERVER_URL"
        return
    fi
    default SRT_FRONTEND_PORT "$PORT"
    check_port SRT_FRONTEND_PORT
    if [[ $host == *:* && $host != \[* ]]; then
        host="[$host]"
    fi
    export AIPERF_SERVER_URL=http://$host:$SRT_FRONTEND_PORT
    check_url SRT_FRONTEND_HOST "$AIPERF_SERVER_URL"
}

check_url() { # variable, url
    if ! [[ $2 =~ ^https?://[^/[:space:]]+(/[^[:space:]]*)?$ ]]; then
        problem "$1 gives the URL $(quoted "$2"), expected http://host:port without spaces"
    elif [[ $2 =~ ^https?://[^/]*@ ]]; then
        # The value itself stays out of the message.
        problem "$1 gives a URL with a user or a password" "a URL stands in command lines and logs; leave the secret out"
    fi
}

frontend_metrics_url() {
    printf '%s/metrics' "$AIPERF_SERVER_URL"
}

# Only a Dynamo frontend shows the engines' metrics. Behind any other, each worker is asked itself.
resolve_metric_urls() {
    local name
    if [ -n "${AIPERF_SERVER_METRICS_URLS:-}" ]; then
        check_metric_urls
        return
    fi
    default AIPERF_SERVER_METRICS_URLS ''
    if [ "${SRTCTL_FRONTEND_TYPE:-}" = dynamo ]; then
        return
    fi
    if [ -n "${SRT_AGG_ENDPOINTS:-}" ]; then
        add_endpoints SRT_AGG_ENDPOINTS
        return
    fi
    for name in SRT_PREFILL_ENDPOINTS SRT_DECODE_ENDPOINTS; do
        if [ -n "${!name:-}" ]; then
            add_endpoints "$name"
        elif [ -n "${SRT_PREFILL_ENDPOINTS:-}${SRT_DECODE_ENDPOINTS:-}" ]; then
            warn "$name is not set, so the metrics of that role are not read"
        fi
    done
}

add_endpoints() { # variable
    local endpoint rest=${!1},
    while [ -n "$rest" ]; do
        endpoint=${rest%%,*}
        rest=${rest#*,}
        if ! [[ $endpoint =~ ^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+):[0-9]+$ ]]; then
            problem "$1 is $(quoted "${!1}"): $(quoted "$endpoint") is no endpoint, expected host:port" \
                "separate endpoints by a comma alone, without spaces"
        elif [[ ,$AIPERF_SERVER_METRICS_URLS, != *",http://$endpoint/metrics,"* ]]; then
            export AIPERF_SERVER_METRICS_URLS+=${AIPERF_SERVER_METRICS_URLS:+,}http://$endpoint/metrics
        fi
    done
}

check_metric_urls() {
    local url rest=$AIPERF_SERVER_METRICS_URLS,
    while [ -n "$rest" ]; do
        url=${rest%%,*}
        rest=${rest#*,}
        if [ -z "$url" ]; then
            problem "AIPERF_SERVER_METRICS_URLS is $(quoted "$AIPERF_SERVER_METRICS_URLS") and holds an empty URL" \
                "separate URLs by one comma"
        else
            check_url AIPERF_SERVER_METRICS_URLS "$url"
        fi
    done
}

metric_urls_into() { # array
    # They were checked: none is empty, none has a space.
    IFS=, read -r -a "$1" <<<"$AIPERF_SERVER_METRICS_URLS"
}
