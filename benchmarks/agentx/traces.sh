# shellcheck shell=bash
# Which traces are replayed. A loader is aiperf's name of a set; a data set is where the hub keeps it.

LOADER_STEM=semianalysis_cc_traces_weka
GENERATIONS=(
    062126 061526 061326 060826 060526 060226
    with_subagents with_subagents_060826 with_subagents_060526 with_subagents_060226
)

# The override, or the set that fits the native context of the model's family: one million tokens, or 256 k.
choose_trace_set() {
    local generation loaders=()
    case ${MODEL_PREFIX:-} in
        dsv4* | glm5.2* | minimaxm3* | kimik3*) default WEKA_LOADER_OVERRIDE "${LOADER_STEM}_062126" ;;
        *) default WEKA_LOADER_OVERRIDE "${LOADER_STEM}_062126_256k" ;;
    esac
    for generation in "${GENERATIONS[@]}"; do
        loaders+=("${LOADER_STEM}_$generation" "${LOADER_STEM}_${generation}_256k")
    done
    if [[ " ${loaders[*]} " != *" $WEKA_LOADER_OVERRIDE "* || $WEKA_LOADER_OVERRIDE == *' '* ]]; then
        problem "WEKA_LOADER_OVERRIDE is $(quoted "$WEKA_LOADER_OVERRIDE"), which is no trace set" \
            "the sets are: ${loaders[*]}"
    fi
}

# The hub's name of the set of a loader.
data_set_of() { # loader
    local generation=${1#"${LOADER_STEM}_"} size=
    if [[ $generation == *_256k ]]; then
        size=-256k
        generation=${generation%_256k}
    fi
    if [ "$generation" = with_subagents ]; then
        generation=061526
    fi
    generation=${generation#with_subagents_}
    case $generation in
        0602* | 0605* | 0608*) generation=with-subagents-$generation ;;
    esac
    printf 'semianalysisai/cc-traces-weka-%s%s' "$generation" "$size"
}

# Into the shared hub cache, so that the replay's own time-outs are not spent on a download.
fetch_trace_set() {
    local set code=0
    set=$(data_set_of "$WEKA_LOADER_OVERRIDE")
    note "fetching the traces $set"
    HF_HUB_DISABLE_PROGRESS_BARS=1 run "$HUB_CLIENT" download --repo-type dataset "$set" >&2 || code=$?
    end_when_stopped "while the traces were being fetched"
    if [ "$code" != 0 ]; then
        complain "the traces $set could not be fetched: $HUB_CLIENT ended with exit code $code" \
            "check the hub's address and the cache folder (HF_HUB_CACHE); HF_HUB_OFFLINE=1 uses only what is cached"
        exit "$code"
    fi
}

HUB_CLIENT=

find_hub_client() { # where aiperf is
    local candidate
    for candidate in hf "$(dirname -- "$1")/hf" huggingface-cli; do
        if command -v "$candidate" >/dev/null; then
            HUB_CLIENT=$candidate
            return
        fi
    done
    problem "neither hf nor huggingface-cli is on the path, so the traces cannot be fetched" \
        "they come with huggingface_hub, which aiperf depends on; put its folder on the path"
}
