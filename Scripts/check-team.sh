#!/usr/bin/env bash
# Follows docs/team.md word by word: runs its `sh` blocks one after the other in an empty folder. HERALD can name
# another binary than the one of the debug build.
set -euo pipefail
cd "$(dirname "$0")/.."

herald="${HERALD:-$(swift build --show-bin-path)/herald}"
if ! command -v initdb >/dev/null && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    echo "check-team: PostgreSQL is not installed (make setup)" >&2
    [ -z "${CI:-}" ] || exit 1
    exit 0
fi

work="$(mktemp -d)"
end() {
    [ ! -f "$work/db/postmaster.pid" ] || kill -QUIT "$(head -n 1 "$work/db/postmaster.pid")" 2>/dev/null || true
    rm -rf "$work"
}
trap end EXIT
mkdir "$work/bin"
cp "$herald" "$work/bin/herald"
{
    echo 'set -euo pipefail'
    echo "PATH='$work/bin':\$PATH"
    awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' docs/team.md
} >"$work/steps.sh"

# PostgreSQL refuses to run as root, so root lets nobody follow it.
as=()
if [ "$(id -u)" -eq 0 ]; then
    chown -R nobody "$work"
    as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
fi
status=0
(cd "$work" && env -i PATH="$PATH" HOME="$work" LC_ALL=C ${as[@]+"${as[@]}"} bash steps.sh) >"$work/output" 2>&1 || status=$?
cat "$work/output"
[ $status -eq 0 ] || { echo "check-team: docs/team.md ended with $status" >&2; exit 1; }
for words in "0 errors, 0 warnings" "Plan: 1 send. Lists were not read" "its lease ends in" "200 accepted, finished" \
    "4000 accepted, finished"; do
    grep -qF -- "$words" "$work/output" || { echo "check-team: '$words' is missing" >&2; exit 1; }
done
[ "$(grep -c '^  worker .*storm@once' "$work/output")" -eq 2 ] ||
    { echo "check-team: 'state show' does not name two workers" >&2; exit 1; }
for worker in worker-1.txt worker-2.txt; do
    grep -qE '^herald: storm@once: [1-9][0-9,]* accepted' "$work/$worker" ||
        { echo "check-team: $worker sent nothing" >&2; exit 1; }
done
