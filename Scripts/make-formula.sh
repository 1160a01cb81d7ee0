#!/usr/bin/env bash
# Prints the Homebrew formula for a release's archive for macOS. Homebrew takes it from a tap: a repository named
# homebrew-…, in its folder Formula.
# Arguments: the archive, and the repository with the releases, such as owner/herald.
set -euo pipefail

[ $# -eq 2 ] || { echo "usage: Scripts/make-formula.sh ARCHIVE REPOSITORY" >&2; exit 64; }
name="$(basename "$1")"
[[ $name =~ ^herald-([0-9]+\.[0-9]+\.[0-9]+)-macos-aarch64\.tar\.gz$ ]] ||
    { echo "make-formula: $name is no archive for macOS" >&2; exit 1; }
version="${BASH_REMATCH[1]}"
sum="$(openssl dgst -sha256 -r "$1" | cut -d' ' -f1)"

cat <<END
class Herald < Formula
  desc "Push campaigns for Firebase Cloud Messaging, kept as files"
  homepage "https://github.com/$2"
  url "https://github.com/$2/releases/download/v$version/$name"
  sha256 "$sum"
  license "Apache-2.0"

  depends_on arch: :arm64
  depends_on "libpq"
  depends_on "libyaml"
  depends_on macos: :sequoia

  def install
    bin.install "bin/herald"
    man1.install Dir["share/man/man1/*.1"]
    bash_completion.install "share/bash-completion/completions/herald"
    zsh_completion.install "share/zsh/site-functions/_herald"
    fish_completion.install "share/fish/vendor_completions.d/herald.fish"
  end

  test do
    system bin/"herald", "init", "demo"
    system bin/"herald", "-w", "demo", "validate"
  end
end
END
