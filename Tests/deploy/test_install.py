"""What make install and a release's archive and Debian package put where, and that it works there."""

import pathlib
import re
import tarfile
import tempfile
import unittest

from commands import Commands
from places import HERALD, ROOT, run, tool

VERSION = run(HERALD, "--version").split()[0]


def pages():
    """A man page for each command."""
    def names(command, path):
        path = [*path, command["commandName"]]
        yield "-".join(path) + ".1"
        for child in command.get("subcommands", []):
            if child["commandName"] != "help":
                yield from names(child, path)

    return sorted(names(Commands.of(HERALD).root, []))


class InstallTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        # A name with a space, as a person's folder may have.
        cls.root = pathlib.Path(folder.name, "my programs")
        run(ROOT / "Scripts/install.sh", HERALD, cls.root)
        cls.man = cls.root / "share/man/man1"

    def shown(self, page):
        """The words of a page as a person sees them, without bold and line breaks."""
        said = run(tool("mandoc"), "-T", "utf8", self.man / page)
        return " ".join(re.sub(r".\x08", "", said).split())

    def test_the_program_runs(self):
        self.assertEqual(run(self.root / "bin/herald", "--version").split()[0], VERSION)

    def test_each_command_has_a_page_without_mistakes(self):
        self.assertEqual(sorted(path.name for path in self.man.iterdir()), pages())
        self.assertEqual(run(tool("mandoc"), "-T", "lint", "-W", "warning", *self.man.iterdir()), "")

    def test_a_page_says_what_the_help_says(self):
        page = self.shown("herald-run.1")
        for words in [
            "herald run [options]", "Nothing to do is success.", "--if-locked <if-locked>",
            "When another run works on the state: fail, skip, or wait=30s. (default: fail)",
        ]:
            self.assertIn(words, page)
        # What a command cannot do without is in its first line.
        self.assertIn("herald work [options] --project project", self.shown("herald-work.1"))

    def test_bash_completes_commands_and_options(self):
        script = self.root / "share/bash-completion/completions/herald"
        for typed, wanted in [
            ("herald sta", "state"), ("herald run --if", "--if-locked"), ("herald state sn", "snapshot"),
        ]:
            words = typed.split()
            said = run("bash", "-c", f"""
                source "{script}"
                COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; COMP_LINE='{typed}'; COMP_POINT={len(typed)}
                _herald herald {words[-1]} {words[-2]}
                printf '%s\\n' "${{COMPREPLY[@]}}" """)
            self.assertIn(wanted, said.split())

    def test_other_shells_have_completions(self):
        self.assertTrue((self.root / "share/zsh/site-functions/_herald").read_text().startswith("#compdef herald"))
        self.assertIn("complete -c 'herald'", (self.root / "share/fish/vendor_completions.d/herald.fish").read_text())

    def test_removing_leaves_what_others_put_there(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            run(ROOT / "Scripts/install.sh", HERALD, root)
            other = root / "share/man/man1/herald-of-others.1"
            other.touch()
            run(ROOT / "Scripts/install.sh", "--remove", root)
            self.assertEqual([path for path in root.rglob("*") if path.is_file()], [other])
            self.assertIn("There is no herald", run(ROOT / "Scripts/install.sh", "--remove", root, status=1))

    def test_make_installs_and_removes_below_destdir(self):
        for target, command in [("install", "Scripts/install.sh"), ("uninstall", "Scripts/install.sh --remove")]:
            said = run("make", "--no-print-directory", "--dry-run", target, "DESTDIR=/stage", "PREFIX=/opt/x")
            self.assertRegex(said, re.escape(command) + r'.* "/stage/opt/x"')


class PackageTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {"SOURCE_DATE_EPOCH": "1790000000"}

    def test_the_archive_unpacks_into_a_prefix(self):
        archive = pathlib.Path(
            run(ROOT / "Scripts/make-archive.sh", HERALD, self.folder, environment=self.environment).strip())
        self.assertRegex(archive.name, rf"^herald-{re.escape(VERSION)}-(linux|macos)-(x86_64|aarch64)\.tar\.gz$")
        with tarfile.open(archive) as opened:
            members = opened.getmembers()
        self.assertEqual({member.uid for member in members}, {0})
        self.assertEqual({member.mtime for member in members}, {1790000000})
        run("tar", "-xzf", archive, "--strip-components=1", "-C", self.folder)
        self.assertEqual(run(self.folder / "bin/herald", "--version").split()[0], VERSION)
        self.assertTrue((self.folder / "share/doc/herald/LICENSE").exists())

    def test_the_debian_package_has_all_and_names_its_libraries(self):
        tool("dpkg-shlibdeps")
        # A debug build has the Swift runtime from the toolchain, which no package of Debian has.
        environment = {
            **self.environment, "SHLIBDEPS": "--ignore-missing-info", "DEB_MAINTAINER": "Anna <anna@example.com>"}
        package = run(
            ROOT / "Scripts/make-deb.sh", HERALD, self.folder, "-Znone", environment=environment).strip()
        fields = dict(
            line.split(": ", 1)
            for line in run("dpkg-deb", "--field", package).splitlines() if not line.startswith(" "))
        self.assertEqual((fields["Package"], fields["Version"]), ("herald", VERSION))
        self.assertEqual(fields["Maintainer"], "Anna <anna@example.com>")
        needs = {need.split()[0] for need in fields["Depends"].split(", ")}
        self.assertLessEqual(
            {"libc6", "libpq5", "libsqlite3-0", "libyaml-0-2", "zlib1g", "ca-certificates", "tzdata"}, needs)

        run("dpkg-deb", "--extract", package, self.folder / "tree")
        found = sorted(
            str(path.relative_to(self.folder / "tree")) for path in (self.folder / "tree").rglob("*") if path.is_file())
        documents = ["CHANGELOG.md.gz", "changelog.gz", "copyright", "examples/herald.service", "examples/herald.timer"]
        self.assertEqual(found, sorted([
            "usr/bin/herald", "usr/share/bash-completion/completions/herald",
            "usr/share/fish/vendor_completions.d/herald.fish", "usr/share/zsh/vendor-completions/_herald",
            *(f"usr/share/doc/herald/{name}" for name in documents),
            *(f"usr/share/man/man1/{name}.gz" for name in pages())]))
        self.assertEqual(run(self.folder / "tree/usr/bin/herald", "--version").split()[0], VERSION)
        # The sums that dpkg --verify compares with.
        run("dpkg-deb", "--control", package, self.folder / "control")
        run("md5sum", "--quiet", "--check", self.folder / "control/md5sums", cwd=self.folder / "tree")
        owners = {line.split()[1] for line in run("dpkg-deb", "--contents", package).splitlines()}
        self.assertEqual(owners, {"root/root"})


class ReleaseTests(unittest.TestCase):
    def test_a_formula_has_the_archive_and_its_sum(self):
        with tempfile.TemporaryDirectory() as folder:
            archive = pathlib.Path(folder, "herald-1.2.3-macos-aarch64.tar.gz")
            archive.write_bytes(b"archive")
            formula = run(ROOT / "Scripts/make-formula.sh", archive, "tide/herald")
            sum_ = run("sha256sum", archive).split()[0]
            self.assertIn(f'url "https://github.com/tide/herald/releases/download/v1.2.3/{archive.name}"', formula)
            self.assertIn(f'sha256 "{sum_}"', formula)
            other = pathlib.Path(folder, "herald-1.2.3-linux-x86_64.tar.gz")
            other.touch()
            run(ROOT / "Scripts/make-formula.sh", other, "tide/herald", status=1)

    def test_a_tag_must_be_the_version_that_was_built(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "Scripts").mkdir()
            script = root / "Scripts/check-release.sh"
            script.write_text((ROOT / "Scripts/check-release.sh").read_text())
            script.chmod(0o755)
            (root / "CHANGELOG.md").write_text(
                "# Changelog\n\n## Unreleased\n\n- Later.\n\n## 1.2.3 (2026-12-01)\n\n- New.\n\n## 1.2.2\n\n- Old.\n")
            self.assertEqual(run(script, "v1.2.3", "--notes").strip(), "- New.")
            self.assertIn("no section '## 1.2.4'", run(script, "v1.2.4", "--notes", status=1))
            self.assertIn("is no tag", run(script, "1.2.3", "--notes", status=1))
            for name in [
                "herald-{}-linux-x86_64.tar.gz", "herald-{}-linux-aarch64.tar.gz", "herald-{}-macos-aarch64.tar.gz",
                "herald_{}_amd64.deb", "herald_{}_arm64.deb",
            ]:
                self.assertIn("has no", run(script, "v1.2.3", root, status=1))
                (root / name.format("1.2.3")).touch()
            run(script, "v1.2.3", root)
