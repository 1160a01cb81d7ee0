#!/usr/bin/env bash
# Compares a release's tag with the changelog and with what was built.
#
#   Scripts/check-release.sh v1.2.3 FOLDER     fail if something in FOLDER has another version, or is missing
#   Scripts/check-release.sh v1.2.3 --notes    print what the changelog says of this release
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: Scripts/check-release.sh TAG FOLDER, or Scripts/check-release.sh TAG --notes" >&2
    exit 64
fi
if [[ ! $1 =~ ^v[0-9]+\.[0-9]+\.[0-9]+$ ]]; then
    echo "check-release: '$1' is no tag of a release, such as v1.2.3" >&2
    exit 1
fi
version="${1#v}"
changelog="$(dirname "$0")/../CHANGELOG.md"
notes="$(awk -v title="## $version" '/^## / { inside = ($0 == title || index($0, title " ") == 1); next } inside' "$changelog")"
[ -n "$notes" ] || { echo "check-release: CHANGELOG.md has no section '## $version'" >&2; exit 1; }

if [ "$2" = --notes ]; then
    echo "$notes"
    exit 0
fi
for name in "herald-$version-linux-x86_64.tar.gz" "herald-$version-linux-aarch64.tar.gz" \
    "herald-$version-macos-aarch64.tar.gz" "herald_${version}_amd64.deb" "herald_${version}_arm64.deb"; do
    [ -f "$2/$name" ] || { echo "check-release: $2 has no $name; is the version in the sources $version?" >&2; exit 1; }
done
