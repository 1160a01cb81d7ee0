#!/usr/bin/env bash
# Keeps one comment with the plan on the pull request NUMBER. The action calls it after the review.
# The first line of plan.md marks the comment and names the workspace. GH_TOKEN may write pull requests.
set -euo pipefail

# What review.sh wrote, and not what is in the checkout: a pull request can put anything there.
plan="$RUNNER_TEMP/herald-review/plan.md"
if [ -L "$RUNNER_TEMP/herald-review" ] || [ -L "$plan" ] || [ ! -f "$plan" ]; then
    echo "There is no plan: the review ended before it could write one."
    exit 0
fi
if [ "$(wc -c <"$plan")" -gt 65536 ]; then
    echo "::error::The plan is too large for a comment. It is in the job's summary."
    exit 1
fi
mark="$(head -n 1 "$plan")"
comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments"
id="$(MARK="$mark" gh api --paginate "$comments" --jq \
    '.[] | select(.user.login == "github-actions[bot]" and (.body | startswith(env.MARK))) | .id' | head -n 1)"
if [ -n "$id" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$plan"
else
    gh api --silent --method POST "$comments" --field "body=@$plan"
fi
