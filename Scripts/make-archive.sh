#!/usr/bin/env bash
# Makes a release's archive of a herald that is built: herald-VERSION-SYSTEM-MACHINE.tar.gz, with the program, its man
# pages and completions. It unpacks into /usr/local as it is (tar --strip-components=1).
# Arguments: the program, and the folder for the archive. SOURCE_DATE_EPOCH fixes the times in it.
set -euo pipefail
scripts="$(cd "$(dirname "$0")" && pwd)"

[ $# -eq 2 ] || { echo "usage: Scripts/make-archive.sh PROGRAM FOLDER" >&2; exit 64; }
program="$1"
folder="$(cd "$2" && pwd)"
version="$("$program" --version | cut -d' ' -f1)"
system="$(uname -s | tr '[:upper:]' '[:lower:]' | sed 's/darwin/macos/')"
name="herald-$version-$system-$(uname -m | sed 's/arm64/aarch64/')"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$scripts/install.sh" "$program" "$work/$name"
install -d "$work/$name/share/doc/herald"
install -m 644 "$scripts/../LICENSE" "$scripts/../CHANGELOG.md" "$work/$name/share/doc/herald/"

# The same program gives the same archive. Only GNU's tar can say so; gzip -n leaves out its own time.
same=()
if tar --version | grep -q GNU; then
    same=(--sort=name --owner=0 --group=0 --numeric-owner "--mtime=@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$program")}")
fi
tar -C "$work" ${same[@]+"${same[@]}"} -cf - "$name" | gzip -9n >"$folder/$name.tar.gz"
echo "$folder/$name.tar.gz"
