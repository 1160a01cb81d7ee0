#!/usr/bin/env bash
# Has herald produce every JSON document it knows and holds them against schemas/. Argument: a Python with jsonschema.
set -euo pipefail
python="$1"
cd "$(dirname "$0")/.."

# shellcheck source=Scripts/with-emulator.sh
. Scripts/with-emulator.sh
mkdir "$work/documents"
run() { "$herald" -w "$work/campaigns" --quiet "$@"; }

run validate --format json >"$work/documents/diagnostics.json"
run plan --format json >"$work/documents/plan-first.json"
run plan --campaign mackerel-run --format json >"$work/documents/plan-limited.json"
run calendar --days 366 --format json >"$work/documents/calendar.json"
run apply --dry-run --report "$work/documents/report-dry.json"
run apply --auto-approve --report "$work/documents/report.json"
run state show --format json >"$work/documents/state.json"
run preview --all --format json >"$work/documents/previews.json"
run preview mackerel-run --format json >"$work/documents/preview.json"
sed -i.bak '3,4d' "$work/campaigns/lists/venice.csv"
run plan --format json >"$work/documents/plan-second.json"
sed -i.bak 's/^project:.*/project: 12_000/; s/^timezone:.*/timezon: UTC/' "$work/campaigns/herald.yaml"
run validate --format json >"$work/documents/diagnostics-wrong.json" && exit 1

"$python" Tests/schemas/check.py --documents "$work/documents"

# What Docs/ci.md has people type exists: every command, and every option of it.
while read -r _ command options; do
  help=$("$herald" help "$command")
  for option in $options; do
    [[ $option != --[a-z]* ]] || grep -q -- "$option" <<<"$help" ||
      { echo "Docs/ci.md: herald $command has no $option"; exit 1; }
  done
done < <(awk '/^```/ { code = !code } code && !/^ *#/' Docs/ci.md | sed 's/-w "$WORKSPACE" //' |
  grep -oE 'herald [a-z]+( [^|&>]*)?')
