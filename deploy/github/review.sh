#!/usr/bin/env bash
# Checks the files of a pull request and writes the plan into herald-review. The action calls it, in the checkout.
# WORKSPACE is the folder with herald.yaml, BASE what to compare with, LISTS required or skip, SNAPSHOT a file or empty.
set -euo pipefail

# A pull request can bring a folder or a link of that name. What it brings is neither written through nor shown.
rm -rf herald-review
# The comment is written from here: only this job can write into RUNNER_TEMP.
review="$RUNNER_TEMP/herald-review"
rm -rf "$review"

arguments=(--lists "$LISTS" --out "$review")
[ -z "${BASE:-}" ] || arguments+=(--base "$BASE")
[ -z "${SNAPSHOT:-}" ] || arguments+=(--snapshot "$SNAPSHOT")
status=0
# herald writes annotations, the job's summary and the outputs itself.
herald -w "$WORKSPACE" review "${arguments[@]}" || status=$?
[ ! -d "$review" ] || cp -R "$review" herald-review
exit $status
