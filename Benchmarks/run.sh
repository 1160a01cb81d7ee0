#!/usr/bin/env bash
# Measures herald's release build, prints ratios within this run and leaves them in Benchmarks/results.json.
# Figures of different runs are not comparable: machines differ, and so does what else they do.
# Arguments: a Python with PyYAML, one with Google's SDK, which need not be there, and another build of herald: with it
# nothing is measured but the two builds in turn.
set -euo pipefail
python="$1" sdk="$2" before="${3:-}"
cd "$(dirname "$0")/.."

if [ "$(uname -s)" = Linux ] && command -v apt-get >/dev/null; then
    missing=()
    for package in libroaring-dev nghttp2-client openssl gcc libc6-dev; do
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

static=()
[ "$(uname -s)" = Linux ] && static=(--static-swift-stdlib)
# One folder of products for both packages, and the same versions: what they share was compiled with herald.
cp Package.resolved Benchmarks/Package.resolved
swift build -c release --package-path Benchmarks --scratch-path .build --product sink "${static[@]}" >"$work/build" 2>&1 ||
    { cat "$work/build" >&2 && exit 1; }
products="$(swift build -c release --show-bin-path "${static[@]}")"
herald="$products/herald" sink="$products/sink"

export PYTHONDONTWRITEBYTECODE=1 BENCH_RESULTS="$PWD/Benchmarks/results.json"
if [ -n "$before" ]; then
    "$python" Benchmarks/compare.py "$before" "$herald" "$sink" "$work"
    exit
fi
rm -f "$BENCH_RESULTS"

echo "== The shapes a state could keep sets in, 2 million pairs (docs/explanation/decisions/0002)"
cc -O2 -o "$work/membership" Benchmarks/membership.c -lsqlite3 -lroaring
(cd "$work" && ./membership 2000000)

"$python" Benchmarks/sending.py "$herald" "$sink" "$work"
"$python" Benchmarks/memory.py "$herald" "$sink" "$work"
"$python" Benchmarks/planning.py "$herald" "$work"
"$python" Benchmarks/fetching.py "$herald" "$sink" "$work"
"$python" Benchmarks/personal.py "$herald" "$sink" "$work"
"$python" Benchmarks/drift.py "$herald" "$sink" "$work"
"$python" Benchmarks/limits.py "$herald" "$sink" "$work"
"$python" Benchmarks/shared.py "$herald" "$sink" "$work"
if [ -x "$sdk" ]; then
    "$sdk" Benchmarks/peer.py "$herald" "$sink" "$work"
else
    printf '\n== herald beside firebase-admin: not measured, "make test-sdk" installs it\n'
fi
cc -O2 -o "$work/events" Benchmarks/events.c -lyaml
"$python" Benchmarks/herald.py "$herald" "$work/events" "$work"
"$python" Benchmarks/reviewing.py "$herald" "$work"
"$python" Benchmarks/site.py "$herald" "$work"
"$python" Benchmarks/hostile.py "$herald" "$work"
printf '\nThe ratios as JSON: %s\n' "$BENCH_RESULTS"
