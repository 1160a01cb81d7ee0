#!/bin/sh
# Makes pages of the campaigns and puts them into a bucket that only Cloud Run may read; see service.yaml beside this
# file. Call it on the server after 'herald run', or in a CI with a snapshot.
#
#   BUCKET     the bucket's name, without gs://
#   WORKSPACE  the folder with herald.yaml, by default campaigns
#   SNAPSHOT   a snapshot of the state, where there is no state; then lists are not read either
#
# Before the first time:
#
#   gcloud storage buckets create "gs://$BUCKET" --uniform-bucket-level-access --public-access-prevention
set -eu

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
set -- -w "${WORKSPACE:-campaigns}" site --out "$work/site"
if [ -n "${SNAPSHOT:-}" ]; then
    set -- "$@" --snapshot "$SNAPSHOT" --lists skip
fi
herald "$@"
# Pages that are gone go from the bucket, too. A browser asks each time whether a page is new.
gcloud storage rsync "$work/site" "gs://$BUCKET" \
    --recursive --delete-unmatched-destination-objects --exclude='^\.herald-site$' \
    --cache-control='private, no-cache'
