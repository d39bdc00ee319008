#!/usr/bin/env bash
# Puts srtx-gh on the runner and writes its path to the step output `path`. In this order:
#   1. SRTX_BINARY_PATH, a binary that is already there
#   2. the tool cache
#   3. a release asset, checked against the digest that is committed in release.sha256 (host: SRTX_MIRROR_URL)
#   4. cargo build --release --locked of this checkout
# curl, then wget; no releases API, so no rate limit. bash 3.2, as on macOS.
set -euo pipefail

# Paths of the runner on Windows hold backslashes, which bash takes as they are inside quotes.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/.." && pwd)
releases=https://github.com/org/srtx/releases/download

fail() {
    printf '::error title=srtx install::%s\n' "$1"
    exit 1
}

found() {
    printf 'srtx-gh: %s (%s)\n' "$1" "$2"
    printf 'path=%s\n' "$1" >>"${GITHUB_OUTPUT:?is not set, run this from an action}"
    if [ "${SRTX_ADD_TO_PATH:-}" = true ]; then
        dirname "$1" >>"${GITHUB_PATH:?is not set, run this from an action}"
    fi
    exit 0
}

sha256_of() {
    if command -v sha256sum >/dev/null; then
        sha256sum "$1" | cut -d ' ' -f 1
    else
        shasum -a 256 "$1" | cut -d ' ' -f 1
    fi
}

download() { # URL FILE
    if command -v curl >/dev/null; then
        curl --silent --show-error --fail --location --retry 3 --connect-timeout 20 --output "$2" "$1"
    elif command -v wget >/dev/null; then
        wget --quiet --tries 3 --timeout 20 --output-document "$2" "$1"
    else
        echo 'neither curl nor wget is on this runner'
        return 1
    fi
}

# Renames in one step: of two installs at once the later wins and both are whole.
publish() { # FILE TARGET
    mkdir -p "$(dirname "$2")"
    chmod +x "$1"
    mv -f "$1" "$2"
}

if [ -n "${SRTX_BINARY_PATH:-}" ]; then
    [ -f "$SRTX_BINARY_PATH" ] || fail "binary-path is $SRTX_BINARY_PATH, which is no file"
    [ -x "$SRTX_BINARY_PATH" ] || fail "binary-path is $SRTX_BINARY_PATH, which is not executable: chmod +x it"
    found "$SRTX_BINARY_PATH" 'binary-path'
fi

case "${RUNNER_OS:-$(uname -s)}-${RUNNER_ARCH:-$(uname -m)}" in
Linux-X64 | Linux-x86_64) target=x86_64-unknown-linux-musl ;;
Linux-ARM64 | Linux-aarch64) target=aarch64-unknown-linux-musl ;;
macOS-X64 | Darwin-x86_64) target=x86_64-apple-darwin ;;
macOS-ARM64 | Darwin-arm64) target=aarch64-apple-darwin ;;
Windows-X64) target=x86_64-pc-windows-msvc ;;
*) target= ;;
esac
case "${RUNNER_OS:-}" in
Windows) suffix=.exe ;;
*) suffix= ;;
esac

version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
asset=srtx-gh-$version-$target.tar.gz
digest=
if [ -n "$target" ]; then
    digest=$(sed -n "s/^\([0-9a-f]\{64\}\)  $asset\$/\1/p" "$here/release.sha256")
fi

cache=${RUNNER_TOOL_CACHE:-${RUNNER_TEMP:-${TMPDIR:-/tmp}}/srtx-tool-cache}
mkdir -p "$cache/srtx-gh" 2>/dev/null && [ -w "$cache/srtx-gh" ] || cache=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/srtx-tool-cache
mkdir -p "$cache/srtx-gh"

if [ -n "$digest" ]; then
    # Pinning the action by commit pins the digest, and so the bytes.
    binary=$cache/srtx-gh/$version-${digest:0:12}/$target/srtx-gh$suffix
    [ -x "$binary" ] && found "$binary" 'tool cache'
    work=$(mktemp -d "$cache/srtx-gh/install.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    url=${SRTX_MIRROR_URL:-$releases/v$version}
    if download "${url%/}/$asset" "$work/$asset"; then
        actual=$(sha256_of "$work/$asset")
        [ "$actual" = "$digest" ] || fail "$asset has the SHA-256 $actual, expected $digest: it is not the file that was released"
        tar -xzf "$work/$asset" -C "$work"
        publish "$work/srtx-gh$suffix" "$binary"
        found "$binary" 'release'
    fi
    printf '::warning title=srtx install::%s could not be fetched from %s, building it instead\n' "$asset" "$url"
fi

command -v cargo >/dev/null || fail "there is no release of this commit for ${RUNNER_OS:-this system} ${RUNNER_ARCH:-} and no cargo to build it: give binary-path"
sources=$(cd "$root" && find Cargo.toml Cargo.lock src -type f | LC_ALL=C sort | while IFS= read -r file; do sha256_of "$file"; done >"$cache/srtx-gh/sources.$$" && sha256_of "$cache/srtx-gh/sources.$$" && rm -f "$cache/srtx-gh/sources.$$")
binary=$cache/srtx-gh/source-${sources:0:12}/srtx-gh$suffix
[ -x "$binary" ] && found "$binary" 'tool cache'
printf '::group::cargo build --release --locked\n'
build=$(mktemp -d "$cache/srtx-gh/build.XXXXXX")
trap 'rm -rf "$build"' EXIT
(cd "$root" && cargo build --release --locked --bin srtx-gh --target-dir "$build")
printf '::endgroup::\n'
publish "$build/release/srtx-gh$suffix" "$binary"
found "$binary" 'built from source'
