#!/usr/bin/env bash
# Helpers for the Slurm launchers. To be sourced.

log() { printf '%(%H:%M:%S)T %s\n' -1 "$*" >&2; }

# squash_name IMAGE: file name of the imported image.
squash_name() {
    local image=$1
    printf '%s.sqsh\n' "${image//[\/:@#]/_}"
}

# squash_ok FILE: a complete import can be listed; an interrupted one cannot.
squash_ok() { [[ -s "$1" ]] && unsquashfs -l "$1" >/dev/null 2>&1; }

# import_squash IMAGE FILE: one import at a time per file, on the machine where it is called.
import_squash() {
    local image=$1 file=$2
    (
        flock --timeout 1800 9 || exit 75
        if squash_ok "$file"; then
            log "image $file is there"
            exit 0
        fi
        rm -f "$file"
        enroot import --output "$file" "docker://${image}"
    ) 9>"${file}.lock"
}

# import_squash_on JOB IMAGE FILE: the same, on the first node of a job.
import_squash_on() {
    local job=$1 image=$2 file=$3
    srun --jobid="$job" --nodes=1 --ntasks=1 --overlap bash -s -- "$image" "$file" <<'REMOTE'
set -euo pipefail
image=$1
file=$2
exec 9>"${file}.lock"
flock --timeout 1800 9
if unsquashfs -l "$file" >/dev/null 2>&1; then
    exit 0
fi
rm -f "$file"
enroot import --output "$file" "docker://${image}"
REMOTE
}

# job_id_of NAME: the newest job of that name.
job_id_of() {
    local name=$1
    squeue --noheader --name="$name" --format=%A --sort=-i | awk 'NR == 1 { print $1 }'
}

# cancel_job ID: for traps; a job that is gone already is no error.
cancel_job() {
    local id=$1
    if [[ -n "$id" ]]; then
        scancel "$id" 2>/dev/null || true
    fi
}

# arm_cancel NAME: cancel every job of that name when the launcher ends, however it ends.
arm_cancel() {
    ARMED_JOB_NAME=$1
    trap 'scancel --name="$ARMED_JOB_NAME" 2>/dev/null || true' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

# spec_suffix: scripts for speculative decoding have their own files.
spec_suffix() {
    case "$SPEC_DECODING" in
        mtp | draft_model) printf '_mtp' ;;
        *) ;;
    esac
}

# note_node NAME: for the steps after this one.
note_node() {
    if [[ -n "${GITHUB_ENV:-}" ]]; then
        echo "BENCH_NODE=$1" >>"$GITHUB_ENV"
    fi
}
