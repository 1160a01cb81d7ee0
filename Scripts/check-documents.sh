#!/usr/bin/env bash
# Lets herald write every kind of JSON document in every form, and checks the documents against schemas/, the calendar
# with a parser of its format. Argument: a Python with Tests/requirements.txt.
set -euo pipefail
python="$1"
cd "$(dirname "$0")/.."

# shellcheck source=Scripts/with-emulator.sh
. Scripts/with-emulator.sh
move_briefing
mkdir "$work/documents"
run() { "$herald" -w "$work/campaigns" --quiet "$@"; }
document() { cat >"$work/documents/$1"; }
# Runs a command that must exit with the status `$1`.
exits() {
    local wanted=$1 status=0
    shift
    "$@" 2>"$work/errors" || status=$?
    [ "$status" -eq "$wanted" ] && return
    echo "check-documents: exit $status instead of $wanted from: $*" >&2
    cat "$work/errors" >&2
    exit 1
}
edit() { sed -i.bak "$1" "$work/campaigns/$2" && rm "$work/campaigns/$2.bak"; }

# Before there is a state. One more campaign sends to tokens.
tablet="$(sed -n 2p campaigns/lists/stations.csv | cut -d, -f1)"
cat >"$work/campaigns/tablet.yaml" <<END
kind: campaign
name: tablet
target: {tokens: ["$tablet"]}
message: {data: {action: restart}}
END
run validate --format json | document diagnostics.json
run plan --format json | document plan-first.json
printf 'kind: audience\nname: lately\nfrom: club\nwhere: {last_seen: {within: 30d}}\n' >"$work/campaigns/lately.yaml"
run plan --format json | document plan-left-out.json
rm "$work/campaigns/lately.yaml"
run plan --days 0 --campaign mackerel-run --campaign tablet --format json | document plan-limited.json
run plan --days 366 --format json | document plan-long.json
run plan --lists skip --format json | document plan-skip.json
from="$(clock UTC "$(date +%s)" %Y-%m-%dT%H:%M:%SZ)"
run calendar --days 366 --at "$from" --format json | document calendar.json
run calendar --days 366 --at "$from" --format ics >"$work/calendar.ics"
run calendar --days 366 --at "$from" --format ics >"$work/again.ics"
run preview --all --format json | document previews.json
run preview mackerel-run --format json | document preview.json
run preview club-points --format json | document previews-personal.json
run preview club-points --sample 1 --variant points --lists skip --format json | document preview-personal.json
run doctor --format json | document doctor-first.json
run apply --dry-run --at "$earlier" --report "$work/documents/report-dry.json"

exits 4 run status --format json | document status-first.json

# An empty state, then everything: topics, condition, groups, audience, tokens, fids.
run state init
run state show --format json | document state-empty.json
run apply --at "$earlier" --auto-approve --report "$work/documents/report.json"
run plan --format json | document plan-due.json
edit 's/members: each/members: key/' station-briefing.yaml
run plan --format json | document plan-key.json
edit 's/members: key/members: each/' station-briefing.yaml

# One tablet is dead, and the group's report must say so.
curl -sS --fail -X PUT "http://$FCM_EMULATOR_HOST/emulator/v1/registrations" \
    --data "[{\"registration\":\"$tablet\",\"state\":\"unregistered\"}]" >"$work/answer"
exits 0 run run --report "$work/documents/report-run.json"
run state find "$tablet" --format json | document trace-dead.json
run state export --dead | document export-dead.ndjson
run plan --format json | document plan-after-death.json

# Memberships change: a group gains and loses members, and is then deleted.
edit '3,4d' lists/venice.csv
sed 's/0002/9002/' campaigns/lists/stations.csv >"$work/campaigns/lists/stations.csv"
run plan --format json | document plan-members.json
run apply --auto-approve --report "$work/documents/report-members.json"
run state find "$(sed -n 4p campaigns/lists/stations.csv | cut -d, -f1)" --format json | document trace.json
run state export | document export.ndjson
run --reveal-registrations state export | document export-revealed.ndjson

# FCM fails: two outcomes of the team are unknown, and one is rejected.
faults() { curl -sS --fail -X PUT "http://$FCM_EMULATOR_HOST/emulator/v1/faults" --data "$1" >"$work/answer"; }
cat >"$work/campaigns/lost.yaml" <<END
kind: campaign
name: lost
target: {audience: team}
message: {data: {action: refresh}}
END
faults '[{"match":{"service":"send","first":1},"do":{"close":"after"}},
  {"match":{"service":"send","after":1,"first":2},"do":{"status":504}},
  {"match":{"service":"send","after":2,"first":3},"do":{"code":"SENDER_ID_MISMATCH"}}]'
exits 6 run apply --auto-approve --campaign lost --report "$work/documents/report-unknown.json"
faults '[]'
run plan --format json | document plan-unknown.json
run state show --format json | document state-unknown.json
run state show lost --format json | document state-unknown-one.json
exits 4 run status --format json | document status-unknown.json

# A snapshot of all of this, and what is made from it.
run state snapshot --out "$work/documents/snapshot.json"
run state snapshot | document snapshot-printed.json
run plan --snapshot "$work/documents/snapshot.json" --format json | document plan-snapshot.json
run plan --snapshot "$work/documents/snapshot.json" --lists skip --format json | document plan-snapshot-skip.json
exits 4 run status --snapshot "$work/documents/snapshot.json" --format json | document status-snapshot.json
run calendar --snapshot "$work/documents/snapshot.json" --format json | document calendar-snapshot.json

# Held, missed, refused. The last Friday of eight days is more than a day ahead, so that something else is due by then.
friday="$("$herald" -w "$work/campaigns" calendar --days 8 --format json | grep -o 'weekend-fishing@[^"]*' | cut -d@ -f2 | sed -n '$p')"
run plan --at "${friday%T*}T23:30:00Z" --format json | document plan-missed.json
run pause weekend-fishing
run plan --at "$friday" --format json | document plan-held.json
exits 4 run apply --at "$friday" --auto-approve --report "$work/documents/report-held.json"
run pause
run state show --format json | document state-paused.json
run resume
mv "$work/campaigns/groups.yaml" "$work/campaigns/station-briefing.yaml" "$work"
run plan --format json | document plan-group-gone.json
head -n 40 campaigns/lists/venice.csv >"$work/campaigns/lists/venice.csv"
exits 3 run plan --detailed-exitcode --format json | document plan-guard.json
exits 3 run apply --auto-approve

# FCM tells the project's quota, and doctor that it finds nothing to sign in with.
faults '[{"match":{"service":"send","first":1},"do":{"quota":"project","quota_limit":1200,"retry_after":"0"}}]'
sed 's/^name: lost/name: quick/' "$work/campaigns/lost.yaml" >"$work/campaigns/quick.yaml"
run apply --auto-approve --campaign quick --report "$work/documents/report-quick.json"
faults '[]'
run state show --format json | document state-quota.json
run doctor --format json | document doctor.json
exits 1 env -u FCM_EMULATOR_HOST HOME="$work" NO_GCE_CHECK=true HERALD_STATE="$work/none.sqlite" \
    "$herald" -w "$work/campaigns" --quiet doctor --format json >"$work/documents/doctor-wrong.json"

# What is true at FCM: an app left a topic by itself.
run drift --budget 3 --format json | document drift-part.json
phone="$(curl -sS --fail "http://$FCM_EMULATOR_HOST/emulator/v1/topics/tides-venice" | grep '"' | sed -n '1s/[", ]//gp')"
curl -sS --fail -X PUT "http://$FCM_EMULATOR_HOST/emulator/v1/devices/$phone" \
    --data '{"unsubscribe":["tides-venice"]}' >"$work/answer"
run drift --sample 30 --seed a --format json | document drift-sample.json
exits 2 run drift --record --detailed-exitcode --topic tides-venice --format json | document drift.json

# Tests, and the state at the end.
run test mistral-gale --audience team --report "$work/documents/report-test.json"
run test club-points --audience team --locale de --variant points --report "$work/documents/report-test-personal.json"
run state show --format json | document state.json
run state show mistral-gale --format json | document state-one.json

# Whatever is due by now, the lines are of one form.
run run --events "$work/documents/events.ndjson" 2>"$work/errors" || true

edit 's/^project:.*/project: 12_000/; s/^timezone:.*/timezon: UTC/' herald.yaml
exits 1 run validate --format json | document diagnostics-wrong.json

# The documents contain what they must contain.
has() { grep -qF -- "$2" "$work/documents/$1" || { echo "check-documents: no $2 in $1" >&2; exit 1; }; }
for target in topic condition group audience tokens fids; do has plan-first.json "\"$target\" : "; done
for action in subscribe unsubscribe group_add group_remove; do has plan-members.json "\"$action\""; done
has plan-group-gone.json '"group_delete"'
has plan-first.json '"group_create"'
has plan-first.json '"held_out"'
has report.json '"locales"'
has previews-personal.json '"filled_with" : "sample"'
has preview-personal.json '"locale" : "it"'
has report-test-personal.json 'club-points@test'
has plan-skip.json '"recipients" : null'
has plan-held.json 'is paused'
has plan-missed.json 'max_lateness'
has plan-guard.json 'max_unsubscribe_percent'
has plan-long.json '"days" : 366'
has report-run.json '"failed_registration_ids"'
has report-run.json '"forgotten"'
has report-held.json '"note"'
has report-unknown.json '"result" : "unknown"'
has report-unknown.json '"CONNECTION_LOST"'
has report-unknown.json '"DEADLINE_EXCEEDED"'
has report-unknown.json '"SENDER_ID_MISMATCH"'
has plan-snapshot.json '"estimated" : true'
has plan-snapshot.json '"unjudged"'
has plan-snapshot-skip.json '"snapshot"'
has calendar-snapshot.json '"snapshot"'
has plan-unknown.json 'herald state resolve lost@once'
has report-test.json 'mistral-gale@test'
has state-paused.json '"everything" : true'
has state-quota.json '"per_minute" : 1200'
has doctor.json '1,200 messages a minute'
has drift.json '"left" : 1'
has drift-sample.json '"low" : '
has drift-part.json '"complete" : false'
has doctor-wrong.json 'GOOGLE_APPLICATION_CREDENTIALS'
has state.json '"topic_api" : "registrations"'
has trace.json '"group" : "station-ostia"'
has trace-dead.json '"dead" : true'
has export.ndjson 'r_'
has status-unknown.json 'herald state resolve lost@once --accept'
has status-snapshot.json 'herald state resolve lost@once --accept'
has events.ndjson '"event":"finished"'
has export-dead.ndjson '"dead":true'
has export-revealed.ndjson 'DEMO'

"$python" Tests/schemas/check.py --documents "$work/documents"
"$python" Tests/calendar/check.py "$work/calendar.ics" "$work/documents/calendar.json" "$work/again.ics"
