#!/usr/bin/env bash
# Installs the missing system libraries and tools that herald's build and tests need.
# With --for-checks also a PostgreSQL server, PgBouncer, a Chromium with its driver, in which the pages are tested, and
# what looks at scripts, man pages, units and packages.
set -euo pipefail

server=
browser=
lint=
if [ "${1:-}" = --for-checks ]; then
    server="postgresql pgbouncer"
    lint="shellcheck mandoc"
    browser=chromium
    # Those that Tests/browser/chromium.py takes.
    for name in ${CHROMIUM:-chromium chromium-browser google-chrome google-chrome-stable}; do
        ! command -v "$name" >/dev/null || browser=
    done
    command -v chromedriver >/dev/null || browser="$browser chromium-driver"
fi

command -v swift >/dev/null || { echo "herald needs Swift 6.2 or newer: https://www.swift.org/install" >&2; exit 1; }

case "$(uname -s)" in
Linux)
    command -v apt-get >/dev/null || {
        echo "Without apt-get, install the development files of libyaml, SQLite and zlib, libpq," \
            "curl, openssl, python3 ${server:+and a PostgreSQL server with PgBouncer} ${browser:+and chromium with its driver}" \
            "${lint:+and $lint}" >&2
        exit 0
    }
    missing=()
    for package in libyaml-dev libpq5 libsqlite3-dev zlib1g-dev pkg-config curl openssl $server $lint ${lint:+libpq-dev systemd dpkg-dev}; do
        dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
            missing+=("$package")
    done
    # Any python3 works. Debian's own needs one more package for virtual environments.
    command -v python3 >/dev/null || missing+=(python3)
    python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
    for package in $browser; do missing+=("$package"); done
    [ ${#missing[@]} -eq 0 ] && exit 0
    echo "Installing: ${missing[*]}"
    sudo=()
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    "${sudo[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    ;;
Darwin)
    command -v brew >/dev/null || { echo "herald needs libyaml and libpq; install Homebrew or them first." >&2; exit 1; }
    for formula in libyaml libpq ${server:+postgresql@17 pgbouncer} $lint; do
        brew list "$formula" >/dev/null 2>&1 || brew install "$formula"
    done
    ;;
esac
