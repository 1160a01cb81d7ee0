#!/usr/bin/env bash
# Measures herald's release build and prints ratios within this run. Argument: a Python with PyYAML.
# Figures of different runs are not comparable: machines differ, and so does what else they do.
set -euo pipefail
python="$1"
cd "$(dirname "$0")/.."

if [ "$(uname -s)" = Linux ] && command -v apt-get >/dev/null; then
    missing=()
    for package in libroaring-dev nghttp2-client gcc libc6-dev; do
        dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
            missing+=("$package")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        echo "Installing what is only measured against: ${missing[*]}"
        sudo=()
        [ "$(id -u)" -eq 0 ] || sudo=(sudo)
        "${sudo[@]}" apt-get update -qq
        DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null
    fi
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

echo "== The shapes a record could keep sets in, 2 million pairs (Docs/Decisions/0002)"
cc -O2 -o "$work/membership" Benchmarks/membership.c -lsqlite3 -lroaring
(cd "$work" && ./membership 2000000)

cc -O2 -o "$work/events" Benchmarks/events.c -lyaml

static=()
[ "$(uname -s)" = Linux ] && static=(--static-swift-stdlib)
herald="$(swift build -c release --show-bin-path "${static[@]}")/herald"
"$python" Benchmarks/herald.py "$herald" "$work/events" "$work"
"$python" Benchmarks/hostile.py "$herald" "$work"
