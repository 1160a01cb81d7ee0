#!/usr/bin/env bash
# Does what an approved plan says. The action calls it, in the checkout. It can be run again after any failure: herald
# does only what is missing.
# WORKSPACE is the folder with herald.yaml, PLAN the plan.json of a review. herald-report.json is what became of it.
set -euo pipefail

rm -f herald-report.json
status=0
herald -w "$WORKSPACE" apply --approved "$PLAN" --report herald-report.json || status=$?
if [ -f herald-report.json ]; then
    herald report herald-report.json --format markdown >>"$GITHUB_STEP_SUMMARY"
fi
case $status in
0) ;;
3) echo "::error::A guard refused, or nobody approved something. The log names it, and says what to do." ;;
5) echo "::error::Another run works on the state. Start this job again when it has ended." ;;
6) echo "::error::Some outcomes are unknown. 'herald state show' names them, 'herald state resolve' settles them." ;;
7) echo "::error::The files, or the size of a list, are not what was approved. Review them again." ;;
*) echo "::error::The apply failed with exit code $status. The log says why." ;;
esac
exit $status
