#!/bin/sh
# Installs tdd from the archives of a release:
#
#   sh install.sh [BASE]
#
# BASE is the folder of the release on the network; the copy of this file that lies in a release knows its own.
# TDD_INSTALL_DIR  where to put the program (default: ~/.local/bin)
# TDD_TARGET       another build than the one for this machine, such as x86_64-unknown-linux-musl
# TDD_SHA256       what the archive must be, instead of what SHA256SUMS beside it says
set -eu

# Filled in by the release workflow.
RELEASE=""

fail() {
    printf 'install.sh: %s\n  next: %s\n' "$1" "$2" >&2
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

# The build for this machine, by its name in the release.
target() {
    case "$(uname -s)" in
    Linux)
        # musl's ldd names itself, and fails.
        libc=gnu
        if has ldd && ldd --version 2>&1 | grep -qi musl; then
            libc=musl
        fi
        system=unknown-linux-$libc
        ;;
    Darwin) system=apple-darwin ;;
    *) fail "there is no build for $(uname -s)" "build it from source: cargo install --path . in a clone" ;;
    esac
    case "$(uname -m)" in
    x86_64 | amd64) echo "x86_64-$system" ;;
    aarch64 | arm64) echo "aarch64-$system" ;;
    *) fail "there is no build for a processor of the kind $(uname -m)" "build it from source: cargo install --path . in a clone" ;;
    esac
}

download() {
    if has curl; then
        curl --fail --silent --show-error --location --output "$2" "$1"
    elif has wget; then
        wget --quiet --output-document "$2" "$1"
    else
        fail "there is neither curl nor wget" "install one of them"
    fi || fail "$1 can't be had" "look whether this release is there, and has a build for $TARGET"
}

sha256() {
    if has sha256sum; then
        sha256sum "$1" | cut -d ' ' -f 1
    else
        shasum -a 256 "$1" | cut -d ' ' -f 1
    fi
}

# All of it is read before anything is done: a download that was cut off does nothing.
main() {
    base=${1:-$RELEASE}
    [ -n "$base" ] || fail "no release was named" "sh install.sh BASE, with the folder that holds its archives"
    for program in tar gzip mktemp; do
        has "$program" || fail "there is no $program" "install it"
    done
    has sha256sum || has shasum ||
        fail "there is neither sha256sum nor shasum, so nothing can be verified" "install one of them"
    TARGET=${TDD_TARGET:-$(target)}
    folder=${TDD_INSTALL_DIR:-$HOME/.local/bin}
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    archive=tdd-$TARGET.tar.gz
    download "$base/$archive" "$work/$archive"
    wanted=${TDD_SHA256:-}
    if [ -z "$wanted" ]; then
        download "$base/SHA256SUMS" "$work/SHA256SUMS"
        wanted=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$archive\$/\1/p" "$work/SHA256SUMS")
        [ -n "$wanted" ] || fail "SHA256SUMS does not name $archive" "ask whoever made the release"
    fi
    found=$(sha256 "$work/$archive")
    [ "$found" = "$wanted" ] ||
        fail "$archive is not what it should be: its sha256 is $found, not $wanted" \
            "try again; if that is so again, do not use it, and tell whoever made the release"
    tar -xzf "$work/$archive" -C "$work"
    program=$work/tdd-$TARGET/tdd
    "$program" --version >/dev/null 2>&1 ||
        fail "the program for $TARGET does not start here" "try another: TDD_TARGET=x86_64-unknown-linux-musl"
    mkdir -p "$folder"
    # Beside its place and then moved: one that is at work keeps its file.
    cp "$program" "$folder/.tdd.$$"
    chmod 755 "$folder/.tdd.$$"
    mv -f "$folder/.tdd.$$" "$folder/tdd"
    echo "$("$folder/tdd" --version) is installed in $folder"
    case ":$PATH:" in
    *":$folder:"*) ;;
    *) echo "  next: export PATH=\"$folder:\$PATH\"" ;;
    esac
}

main "$@"
