#!/usr/bin/env bash
# Holds what Sources/CLibPQ says of libpq against the headers of the libpq that is installed here. A function, a type or
# a constant that differs is an error of the compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
read -ra flags <<<"$(pkg-config --cflags libpq)"
printf '#include <libpq-fe.h>\n#include "CLibPQ.h"\n' |
    "${CC:-cc}" -x c -std=c11 -Werror -fsyntax-only "${flags[@]}" -ISources/CLibPQ/include -
