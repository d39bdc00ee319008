#!/usr/bin/env bash
# Puts srtx-gh on the runner and writes its path to the step output `path`. In this order:
#   1. SRTX_BINARY_PATH, a binary that is already there
#   2. the tool cache
#   3. a release asset, checked against the digest that is committed in release.sha256 (host: SRTX_MIRROR_URL)
#   4. cargo build --release --locked of this checkout
# curl, then wget; no releases API, so no rate limit. bash 3.2, as on macOS.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/.." && pwd)
releases=https://github.com/org/srtx/releases/download

# Inputs are data: a line break in one must start no second command.
escaped() {
    local text=${1//'%'/%25}
    text=${text//$'\r'/%0D}
    printf '%s' "${text//$'\n'/%0A}"
}

fail() {
    printf '::error title=srtx install::%s\n' "$(escaped "$1")"
    exit 1
}

warn() {
    printf '::warning title=srtx install::%s\n' "$(escaped "$1")"
}

# An input that was not given arrives as an empty text; blanks are as good as none.
given() {
    case "$1" in
    *[![:space:]]*) return 0 ;;
    *) return 1 ;;
    esac
}

found() { # PATH HOW
    printf 'path=%s\n' "$1" >>"${GITHUB_OUTPUT:?is not set, run this from an action}"
    if [ "${SRTX_ADD_TO_PATH:-}" = true ]; then
        dirname "$1" >>"${GITHUB_PATH:?is not set, run this from an action}"
    fi
    printf 'srtx-gh: %s (%s)\n' "$1" "$2"
    exit 0
}

sha256_of() {
    if command -v sha256sum >/dev/null; then
        sha256sum <"$1" | cut -d ' ' -f 1
    elif command -v shasum >/dev/null; then
        shasum -a 256 <"$1" | cut -d ' ' -f 1
    else
        return 1
    fi
}

download() { # URL FILE
    if command -v curl >/dev/null; then
        # A server that stalls is given up, for the job would wait for hours.
        curl --silent --show-error --fail --location --retry 3 --connect-timeout 20 --speed-limit 1 --speed-time 30 \
            --output "$2" "$1"
    elif command -v wget >/dev/null; then
        wget --no-verbose --tries 3 --timeout 20 --output-document "$2" "$1"
    else
        echo 'neither curl nor wget is on this runner'
        return 1
    fi
}

# Renames in one step: of two installs at once the later wins and both are whole. Windows refuses to replace a file that
# runs; then the one that is there is as good.
publish() { # FILE TARGET
    mkdir -p "$(dirname "$2")"
    chmod +x "$1"
    mv -f "$1" "$2" || [ -x "$2" ]
}

if given "${SRTX_BINARY_PATH:-}"; then
    binary=$SRTX_BINARY_PATH
    case "$binary" in
    *[$'\r\n']*) fail "binary-path is $binary, which has a line break in it" ;;
    # Later steps may run in another folder, and a bare name would be looked up on the path.
    /* | [A-Za-z]:*) ;;
    *) binary=$PWD/$binary ;;
    esac
    [ -f "$binary" ] || fail "binary-path is $SRTX_BINARY_PATH, which is no file"
    [ -x "$binary" ] || fail "binary-path is $SRTX_BINARY_PATH, which is not executable: chmod +x it"
    found "$binary" 'binary-path'
fi

system=${RUNNER_OS:-$(uname -s)}
machine=${RUNNER_ARCH:-$(uname -m)}
suffix=
case "$system-$machine" in
Linux-X64 | Linux-x86_64) target=x86_64-unknown-linux-musl ;;
Linux-ARM64 | Linux-aarch64) target=aarch64-unknown-linux-musl ;;
macOS-X64 | Darwin-x86_64) target=x86_64-apple-darwin ;;
macOS-ARM64 | Darwin-arm64) target=aarch64-apple-darwin ;;
Windows-X64) target=x86_64-pc-windows-msvc ;;
*) target= ;;
esac
case "$system" in
Windows) suffix=.exe ;;
esac

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
asset=srtx-gh-$version-$target.tar.gz
digest=
if [ -n "$target" ]; then
    digest=$(sed -n "s/^\([0-9a-f]\{64\}\)  $asset\$/\1/p" "$here/release.sha256")
fi

temp=${RUNNER_TEMP:-${TMPDIR:-/tmp}}
cache=${RUNNER_TOOL_CACHE:-$temp/srtx-tool-cache}
if ! mkdir -p "$cache/srtx-gh" 2>/dev/null || ! [ -w "$cache/srtx-gh" ]; then
    # What an earlier install left there can still be read.
    readonly_cache=$cache
    cache=$temp/srtx-tool-cache
    mkdir -p "$cache/srtx-gh" 2>/dev/null && [ -w "$cache/srtx-gh" ] ||
        fail "neither $readonly_cache nor $temp can be written: set RUNNER_TEMP to a folder that can"
fi

cached() { # FILE BELOW THE CACHE
    local folder
    for folder in "$cache" ${readonly_cache:+"$readonly_cache"}; do
        [ -x "$folder/srtx-gh/$1" ] && found "$folder/srtx-gh/$1" 'tool cache'
    done
    return 0
}

work=$(mktemp -d "$cache/srtx-gh/install.XXXXXX")
trap 'rm -rf "$work"' EXIT

missing="there is no release of srtx $version for $system $machine"
if [ -n "$digest" ]; then
    # Pinning the action by commit pins the digest, and so the bytes.
    place=$version-${digest:0:12}/$target/srtx-gh$suffix
    cached "$place"
    url=$releases/v$version
    if given "${SRTX_MIRROR_URL:-}"; then url=$SRTX_MIRROR_URL; fi
    if download "${url%/}/$asset" "$work/$asset"; then
        actual=$(sha256_of "$work/$asset") || fail 'neither sha256sum nor shasum is on this runner'
        [ "$actual" = "$digest" ] ||
            fail "$asset has the SHA-256 $actual, expected $digest: it is not the file that was released"
        # By its name alone: tar takes the drive of a path on Windows for a host.
        (cd "$work" && tar -xzf "$asset" "srtx-gh$suffix") || fail "$asset holds no srtx-gh$suffix"
        publish "$work/srtx-gh$suffix" "$cache/srtx-gh/$place"
        found "$cache/srtx-gh/$place" 'release'
    fi
    missing="$asset could not be fetched from $url"
fi

command -v cargo >/dev/null || fail "$missing, and there is no cargo to build it: give binary-path or mirror-url"
if [ -n "$digest" ]; then warn "$missing, building it instead"; fi
(cd "$root" && find Cargo.toml Cargo.lock src -type f | LC_ALL=C sort | while IFS= read -r file; do
    printf '%s\n' "$file"
    cat "$file"
done) >"$work/sources"
sources=$(sha256_of "$work/sources") || fail 'neither sha256sum nor shasum is on this runner'
place=source-${sources:0:12}/srtx-gh$suffix
cached "$place"
printf '::group::cargo build --release --locked\n'
# A target of the caller's own would put the binary elsewhere.
built=0
(cd "$root" && env -u CARGO_BUILD_TARGET \
    cargo build --release --locked --bin srtx-gh --target-dir "$work/target") || built=$?
printf '::endgroup::\n'
[ "$built" = 0 ] || fail "$missing, and cargo could not build it: its messages stand above"
publish "$work/target/release/srtx-gh$suffix" "$cache/srtx-gh/$place"
found "$cache/srtx-gh/$place" 'built from source'
