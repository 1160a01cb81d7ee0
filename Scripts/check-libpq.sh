#!/usr/bin/env bash
# Holds what Sources/CLibPQ says of libpq against the headers of the libpq that is installed here. A function, a type or
# a constant that differs is an error of the compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
include="$(PKG_CONFIG_PATH="${PKG_CONFIG_PATH:-}:/opt/homebrew/opt/libpq/lib/pkgconfig" \
    pkg-config --cflags-only-I libpq 2>/dev/null)" || {
    echo "The headers of libpq are not here, so Sources/CLibPQ was not held against them: run make setup." >&2
    [ "${CI:-}" != true ]
    exit
}
read -ra flags <<<"$include -ISources/CLibPQ/include"
printf '#include <libpq-fe.h>\n#include "CLibPQ.h"\n' | "${CC:-cc}" -x c -Werror -fsyntax-only "${flags[@]}" -
