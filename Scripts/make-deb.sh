#!/usr/bin/env bash
# Makes a Debian package of a herald that is built: herald_VERSION_ARCHITECTURE.deb. It needs Debian's dpkg-dev, which
# works out from the program which libraries' packages it depends on.
# Arguments: the program, the folder for the package, and options for dpkg-deb, such as -Zgzip.
# DEB_MAINTAINER names who answers for the package, SHLIBDEPS is an option for dpkg-shlibdeps, SOURCE_DATE_EPOCH fixes
# the times in the package.
set -euo pipefail
scripts="$(cd "$(dirname "$0")" && pwd)"

[ $# -ge 2 ] || { echo "usage: Scripts/make-deb.sh PROGRAM FOLDER [OPTION]…" >&2; exit 64; }
program="$1"
folder="$(cd "$2" && pwd)"
shift 2
version="$("$program" --version | cut -d' ' -f1)"
architecture="$(dpkg --print-architecture)"
maintainer="${DEB_MAINTAINER:-The authors of herald <herald@localhost>}"
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(stat -c %Y "$program")}"
export SOURCE_DATE_EPOCH

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
tree="$work/herald"
"$scripts/install.sh" "$program" "$tree/usr"

# Where Debian wants what others have elsewhere.
mv "$tree/usr/share/zsh/site-functions" "$tree/usr/share/zsh/vendor-completions"
gzip -9n "$tree"/usr/share/man/man1/*.1
documents="$tree/usr/share/doc/herald"
install -d "$documents/examples"
gzip -9nc "$scripts/../CHANGELOG.md" >"$documents/CHANGELOG.md.gz"
gzip -9n >"$documents/changelog.gz" <<END
herald ($version) unstable; urgency=medium

  * CHANGELOG.md.gz says what is new.

 -- $maintainer  $(date -uR -d "@$SOURCE_DATE_EPOCH")
END
install -m 644 "$scripts/../deploy/systemd/herald.service" "$scripts/../deploy/systemd/herald.timer" "$documents/examples/"
cat >"$documents/copyright" <<'END'
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: herald

Files: *
Copyright: 2026 the authors of herald
License: Apache-2.0

License: Apache-2.0
 On Debian systems the text of this license is in
 /usr/share/common-licenses/Apache-2.0.
END
chmod 644 "$documents"/*.gz "$documents/copyright"

# dpkg-shlibdeps reads the program and finds the packages with its libraries. It wants to stand in a source package.
# It does not see libpq, which herald loads only for a state in PostgreSQL.
install -d "$work/debian"
printf 'Source: herald\n\nPackage: herald\nArchitecture: any\n' >"$work/debian/control"
libraries="$(cd "$work" && dpkg-shlibdeps ${SHLIBDEPS:+"$SHLIBDEPS"} -O "$tree/usr/bin/herald" 2>"$work/told" | sed -n 's/^shlibs:Depends=//p')"
[ -n "$libraries" ] || { cat "$work/told" >&2; exit 1; }

install -d "$tree/DEBIAN"
cat >"$tree/DEBIAN/control" <<END
Package: herald
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$tree" | cut -f1)
Depends: $libraries, libpq5 (>= 14), ca-certificates, tzdata
Recommends: git
Section: net
Priority: optional
Description: push campaigns for Firebase Cloud Messaging, kept as files
 herald sends push notifications that are declared in YAML files. It shows
 what it would do before it does it, sends nothing twice, and records what
 became of every recipient. It brings an emulator of Firebase Cloud Messaging.
END
(cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
chmod 644 "$tree"/DEBIAN/*
find "$tree" -type d -exec chmod 755 {} +
find "$tree" -newermt "@$SOURCE_DATE_EPOCH" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +

package="$folder/herald_${version}_$architecture.deb"
dpkg-deb "$@" --root-owner-group --build "$tree" "$package" >/dev/null
echo "$package"
