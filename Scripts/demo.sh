#!/usr/bin/env bash
# Shows herald at work: the example workspace against the emulator. Everything it writes is in a temporary folder.
set -euo pipefail
cd "$(dirname "$0")/.."

bold= plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' plain=$'\033[0m'; fi

# Shows a command as a person would type it, then runs it.
show() {
    printf '\n%s$ herald %s%s\n' "$bold" "$*" "$plain"
    "$herald" -w "$work/campaigns" "$@"
}
say() { printf '\n# %s\n' "$*"; }

say "A local FCM: nothing leaves this machine."
# shellcheck source=Scripts/with-emulator.sh
. Scripts/with-emulator.sh
echo "$line"

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

say "Two rows of a list are gone. The plan is small."
sed -i.bak '3,4d' "$work/campaigns/lists/venice.csv"
rm "$work/campaigns/lists/venice.csv.bak"
show plan

say "The emulator accepted $(wc -l <"$work/ledger.ndjson" | tr -d ' ') sends in all."
