#!/usr/bin/env bash
# Checks the files of a pull request and writes the plan into herald-review. The action calls it, in the checkout.
# WORKSPACE is the folder with herald.yaml, BASE what to compare with, LISTS required or skip, SNAPSHOT a file or empty.
set -euo pipefail

arguments=(--lists "$LISTS" --out herald-review)
[ -z "${BASE:-}" ] || arguments+=(--base "$BASE")
[ -z "${SNAPSHOT:-}" ] || arguments+=(--snapshot "$SNAPSHOT")
# herald writes annotations, the job's summary and the outputs itself.
herald -w "$WORKSPACE" review "${arguments[@]}"
