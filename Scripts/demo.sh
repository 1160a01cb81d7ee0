#!/usr/bin/env bash
# Shows herald at work: the example workspace against the emulator. Everything it writes is in a temporary folder.
set -euo pipefail
cd "$(dirname "$0")/.."

herald="$(swift build --show-bin-path)/herald"
work="$(mktemp -d)"
emulator=
end() {
    if [ -n "$emulator" ]; then
        kill "$emulator" 2>/dev/null || true
        wait "$emulator" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap end EXIT

# Shows a command as a person would type it, then runs it.
show() {
    printf '\n\033[1m$ herald %s\033[0m\n' "$*"
    "$herald" -w "$work/campaigns" "$@"
}
say() { printf '\n# %s\n' "$*"; }

cp -R campaigns "$work/campaigns"
export HERALD_STATE="$work/state.sqlite"

say "A local FCM: nothing leaves this machine."
mkfifo "$work/ready"
"$herald" emulator --ledger "$work/ledger.ndjson" >"$work/ready" &
emulator=$!
read -r line <"$work/ready"
echo "$line"
export "${line?}"

say "Are the files right?"
show validate

say "What would happen?"
show plan

say "Do it."
show apply --auto-approve --report "$work/report.json"

say "The report, for programs (its summary):"
sed -n '/"summary"/,/}/p' "$work/report.json"

# Somebody who follows Venice's tides: the first registration of that list.
registration="$(sed -n 2p campaigns/lists/venice.csv | cut -d, -f1)"
say "What one phone in Venice received:"
curl -sS --fail "http://$FCM_EMULATOR_HOST/emulator/v1/devices/$registration/inbox"
echo

say "Again: nothing is left to do."
show apply --auto-approve

say "Two people leave a list. The plan is small."
sed -i.bak '3,4d' "$work/campaigns/lists/venice.csv"
rm "$work/campaigns/lists/venice.csv.bak"
show plan

say "The emulator accepted $(wc -l <"$work/ledger.ndjson" | tr -d ' ') sends in all."
