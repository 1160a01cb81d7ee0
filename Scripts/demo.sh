#!/usr/bin/env bash
# Shows herald at work: the example workspace against the emulator. It writes only into a temporary folder. It exits
# with 1 if a result is not as expected.
set -euo pipefail
cd "$(dirname "$0")/.."

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' plain=$'\033[0m'; fi

say() { printf '\n# %s\n' "$*"; }

# Shows a command as a person would type it, then runs it.
show() {
    # Most tokens repeat the same few words, so they are shortened.
    printf '\n%s$ herald -w campaigns %s%s\n' "$bold" "$*" "$plain" | sed -E 's/(EXAMPLE_NOT_A_REAL_TOKEN-?)+[A-Z]*/…/'
    "$herald" -w campaigns "$@"
}

# Stops the demo if the text `$1` does not contain the text `$2`.
expect() { grep -qF -- "$2" <<<"$1" || { echo "demo: '$2' is missing from: $1" >&2; exit 1; }; }

say "A local FCM: nothing leaves this machine."
# shellcheck source=Scripts/with-emulator.sh
. Scripts/with-emulator.sh
move_briefing
cd "$work"
ask() { curl -sS --fail "http://$FCM_EMULATOR_HOST/emulator/v1/$1"; }
echo "$line"

say "Are the files right?"
show validate

say "What would happen?"
show plan

say "The same as a comment on a pull request, for a CI that must not see the lists (its beginning):"
show plan --lists skip --format markdown | sed -n 1,13p

say "What comes tomorrow and the day after, on the clocks of Rome?"
show calendar --days 2

say "What would a phone show?"
show preview beta-charts --platform ios | sed '/^Payload/,$d'

say "Do it. (--at is for the emulator only: let it be half an hour ago.)"
show apply --at "$earlier" --auto-approve --quiet --report report.json
show report report.json

say "Since then one campaign, station-briefing, has come due. Cron calls run."
show run --quiet --report run.json
briefing="$(show report run.json)"
echo "$briefing"
expect "$briefing" "4 of 4 accepted"

say "Again: nothing is left to do, and the plan is empty."
show run
show plan --detailed-exitcode --days 0

# A tablet in the Ostia station: it follows topics, matches a condition and is in a group.
tablet="$(sed -n 2p campaigns/lists/stations.csv | cut -d, -f1)"
say "What one tablet received: by topic, by condition, in its group."
inbox="$(ask "devices/$tablet/inbox")"
grep -E '"(topic|title|action)"' <<<"$inbox"
for text in '"forecast-data"' '"Mistral, force 9"' '"open_briefing"'; do expect "$inbox" "$text"; done

say "What does the state know of that tablet?"
show state find "$tablet"

say "A message is tried on the team's own phones. The campaign itself stays as it is."
show test mistral-gale --audience team

say "FCM is overloaded for a moment, and asks for a second's patience."
curl -sS --fail -X PUT "http://$FCM_EMULATOR_HOST/emulator/v1/faults" \
    --data '[{"match": {"service": "send", "first": 1}, "do": {"status": 503, "retry_after": "1"}}]' >/dev/null
patient="$(show test mistral-gale --audience team)"
echo "$patient"
expect "$patient" "1 retr"

say "Somebody has doubts about Friday's message."
friday="$("$herald" -w campaigns calendar --days 8 --format json | grep -o 'weekend-fishing@[^"]*' | cut -d@ -f2 | sed -n '$p')"
show pause weekend-fishing
show plan --at "$friday" --campaign weekend-fishing --days 0
show resume weekend-fishing
show plan --at "$friday" --campaign weekend-fishing --days 0

say "Two rows of a list are gone, and the project has only the older topic API, in batches."
sed -i.bak '3,4d' campaigns/lists/venice.csv
sed -i.bak 's/topic_api: auto/topic_api: iid/' campaigns/herald.yaml
show apply --auto-approve --quiet
batches="$(ask requests | grep /iid/)"
echo "$batches"
expect "$batches" batchRemove

say "What it remembers:"
show state show

say "The emulator accepted $(wc -l <ledger.ndjson | tr -d ' ') sends in all."
