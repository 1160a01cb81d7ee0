#!/usr/bin/env bash
# Installs herald below a folder: the program, its man pages, and completions for bash, zsh and fish.
#
#   Scripts/install.sh PROGRAM ROOT     install this program into ROOT/bin and ROOT/share
#   Scripts/install.sh --remove ROOT    remove what is there
set -euo pipefail
scripts="$(cd "$(dirname "$0")" && pwd)"

[ $# -eq 2 ] || { echo "usage: Scripts/install.sh PROGRAM ROOT, or Scripts/install.sh --remove ROOT" >&2; exit 64; }
root="$2"
man="$root/share/man/man1"
bash="$root/share/bash-completion/completions/herald"
zsh="$root/share/zsh/site-functions/_herald"
fish="$root/share/fish/vendor_completions.d/herald.fish"

if [ "$1" = --remove ]; then
    [ -x "$root/bin/herald" ] || { echo "There is no herald in $root/bin." >&2; exit 1; }
    # The program says which pages it has, so that nobody else's page is removed.
    pages="$("$scripts/manual.py" "$root/bin/herald")"
    for page in $pages; do rm -f "$man/$page"; done
    rm -f "$bash" "$zsh" "$fish" "$root/bin/herald"
    exit 0
fi

program="$1"
install -d "$root/bin" "$man" "$(dirname "$bash")" "$(dirname "$zsh")" "$(dirname "$fish")"
install -s -m 755 "$program" "$root/bin/herald"
"$scripts/manual.py" "$program" "$man"
"$program" --generate-completion-script bash >"$bash"
"$program" --generate-completion-script zsh >"$zsh"
"$program" --generate-completion-script fish >"$fish"
chmod 644 "$man"/herald*.1 "$bash" "$zsh" "$fish"
