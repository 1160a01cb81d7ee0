#!/usr/bin/env bash
# Puts herald on the job's PATH. The action calls it.
# HERALD is a herald that is there already. Without one it installs the Debian package of release HERALD_VERSION from
# HERALD_REPOSITORY, if its checksum and its signed provenance are right. It needs GH_TOKEN for that.
set -euo pipefail

case "${HERALD_COMMAND:-}" in
review | apply) ;;
*)
    echo "::error::'command' of the herald action must be 'review' or 'apply', not '${HERALD_COMMAND:-}'."
    exit 1
    ;;
esac

if [ -n "${HERALD:-}" ]; then
    [ -x "$HERALD" ] || { echo "::error::There is no program at '$HERALD'."; exit 1; }
    folder="$(cd "$(dirname "$HERALD")" && pwd)"
    echo "$folder" >>"$GITHUB_PATH"
    "$HERALD" --version
    exit 0
fi

version="${HERALD_VERSION#v}"
if [[ ! $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]; then
    echo "::error::'$version' is not a release of herald. Use the action by a release's tag, or set 'version', such as 0.1.0."
    exit 1
fi
package="herald_${version}_$(dpkg --print-architecture).deb"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
gh release download "v$version" --repo "$HERALD_REPOSITORY" --pattern "$package" --pattern SHA256SUMS
# The line of this package alone: other files were not downloaded.
grep -F "  $package" SHA256SUMS >expected || { echo "::error::SHA256SUMS does not name $package."; exit 1; }
sha256sum --check --strict expected
gh attestation verify "$package" --repo "$HERALD_REPOSITORY"
# _apt reads the file, and mktemp's folder is for one user alone.
chmod 755 .
sudo apt-get update --quiet=2
sudo apt-get install --yes --no-install-recommends "./$package"
herald --version
