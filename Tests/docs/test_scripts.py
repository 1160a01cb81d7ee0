"""The checks of the docs find what is wrong."""

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Scripts"))


def script(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), ROOT / "Scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


commands, follow, links, readability, reference = map(
    script, ["commands", "follow-docs", "check-links", "readability", "reference"])

TREE = {
    "commandName": "herald",
    "subcommands": [
        {"commandName": "plan", "arguments": [
            {"names": [{"kind": "long", "name": "days"}], "preferredName": {"name": "days"}, "kind": "option",
             "isOptional": True, "allValues": ["7", "8"]}]},
        {"commandName": "state", "subcommands": [{"commandName": "lock"}]},
    ],
}  # fmt: skip


class FollowTests(unittest.TestCase):
    def test_output(self):
        for shown, printed, fits in [
            ("a\nb\n", "a\nb\n", True), ("a\n", "a\nb\n", False), ("a\n...\n", "a\nb\nc\n", True), ("...\nc\n", "c\n", True),
            ("run ...: ok\n", "run 7: ok\n", True), ("run ...: ok\n", "run 7\n: ok\n", False), ("a.c\n", "abc\n", False),
        ]:  # fmt: skip
            with self.subTest(shown=shown, printed=printed):
                self.assertEqual(follow.fits(shown, printed), fits)

    def test_a_page_that_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            for text, found in [
                ("```txt a/b\nx\n```\n\n```sh\ncat a/b\n```\n\n```output\nx\n```\n", None),
                ("```sh\necho a\n```\n\n```output\nb\n```\n", "this was printed instead:\na"),
                ("```sh\nfalse\n```\n", "ended with 1"),
                ("```sh\nread -r word && echo \"$word\"\n```\n\n```output\nyes\n```\n", None),
            ]:
                with self.subTest(text=text):
                    page = Path(folder) / "page.md"
                    page.write_text(text)
                    problems = follow.follow([page], "/usr/bin")
                    self.assertEqual(len(problems), 1 if found else 0, problems)
                    self.assertTrue(not found or found in problems[0])


class CommandTests(unittest.TestCase):
    def test_commands_and_options(self):
        for text, is_whole, problem in [
            ("plan --days 7", True, None), ("plan --dayz 7", True, "herald plan has no --dayz"), ("state lock", True, None),
            ("plans", True, "herald herald takes no 'plans'"), ("state lock --days", True, "herald lock has no --days"),
            ("plan --days", True, "--days needs a value"), ("plan --days -", True, "--days cannot be '-'"),
            ("plan --days", False, None),
            ("plan --days 9", True, "--days cannot be '9'"), ("plan --days N", True, None),
        ]:  # fmt: skip
            with self.subTest(text=text, is_whole=is_whole):
                try:
                    commands.Commands(TREE).check(text.split(), is_whole)
                    found = None
                except commands.Unknown as unknown:
                    found = str(unknown)
                self.assertEqual(found, problem)

    def test_where_commands_are(self):
        page = (
            "Say `herald plan --days` now. Not `herald`.\n\n```sh\nA=b herald plan 2>log & (herald state lock)\n"
            "# herald gone\nherald -w 'a b' plan \\\n  --days 7; printf 'herald said' >herald x\n```\n\n"
            "```yaml\n- run: herald plan\n- herald state\n```\n\n```output\nherald plans\n```\n")
        self.assertEqual(
            list(commands.page_commands(page)),
            [(["plan"], True), (["state", "lock"], True), (["-w", "a b", "plan", "--days", "7"], True),
             (["said"], True), (["plan"], True), (["state"], True), (["plan", "--days"], False)])  # fmt: skip


    def test_what_was_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            one, other = Path(folder) / "one.md", Path(folder) / "other.md"
            one.write_text("```sh\ntrue\n```\n")
            other.write_text("```shell\ngcloud\n```\n\n```sh\ntrue\n```\n\n```shell\ngcloud\n```\n")
            self.assertEqual(
                follow.account([[one, other], [one]]), "follow-docs: 2 pages, 2 blocks run, 2 left out (other.md 2)")
            self.assertEqual(follow.account([[one]]), "follow-docs: 1 pages, 1 blocks run, 0 left out")


class OwnerTests(unittest.TestCase):
    """Whoever publishes herald replaces OWNER once, as docs/releasing.md says."""

    PLACES = [".github", "deploy", "docs", "README.md", "action.yml", "Scripts", ".pre-commit-hooks.yaml"]

    def named(self, root):
        """The files that name an owner."""
        files = [file for place in self.PLACES for file in [root / place, *(root / place).rglob("*")] if file.is_file()]
        found = {str(file.relative_to(root)) for file in files
                 if re.search(r"OWNER/herald|@OWNER", file.read_text(errors="replace"))}  # fmt: skip
        return found - {"docs/releasing.md"}

    def test_every_place_is_replaced(self):
        if not self.named(ROOT):
            self.skipTest("it was replaced here")
        page = (ROOT / "docs/releasing.md").read_text()
        commands = next(text for text in re.findall(r"```shell\n(.*?)```", page, re.DOTALL) if "OWNER" in text)
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder)
            for place in self.PLACES:
                if (ROOT / place).is_dir():
                    shutil.copytree(ROOT / place, copy / place)
                else:
                    shutil.copy(ROOT / place, copy / place)
            subprocess.run(["bash", "-euc", commands], cwd=copy, check=True)
            self.assertEqual(self.named(copy), set())
            self.assertIn("ghcr.io/tide-app/herald:", (copy / "deploy/kubernetes/cronjob.yaml").read_text())
            self.assertIn("\n* @tide-app/push\n", (copy / ".github/CODEOWNERS").read_text())
            self.assertEqual(list(copy.rglob("*.bak")), [])


class LinkTests(unittest.TestCase):
    def test_links(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text("# A `page`, with marks\n\n```\n# no heading\n```\n\n## Twice\n\n## Twice\n")
            for link, is_right in [
                ("page.md", True), ("gone.md", False), ("page.md#a-page-with-marks", True), ("page.md#no-heading", False),
                ("page.md#twice-1", True), ("page.md#twice-2", False),
            ]:  # fmt: skip
                with self.subTest(link=link):
                    self.assertEqual(links.problem(Path(folder), link) is None, is_right)

    def test_pages_that_sources_name(self):
        name, page = "promises", "docs/explanation/promises"
        for text, is_right in [
            (f"see {page}.md#exit-codes.", True), (f"{page}.md#gone", False), (f"{page}-gone.md", False),
            (f"as {name}.md#exit-codes says", False), (f"as '{name}.md' says", True),
        ]:  # fmt: skip
            with self.subTest(text=text):
                self.assertEqual(not list(links.problems_of_source(text)), is_right)


    def test_what_pages_about_the_code_name(self):
        with tempfile.TemporaryDirectory() as folder:
            code = Path(folder) / "Sources" / "Core" / "Planning"
            code.mkdir(parents=True)
            (code / "Planner+Sends.swift").write_text("struct Planner {\n    mutating func begin() {}\n}\nenum Plan.Work {}\n")
            sources = links.Sources(Path(folder))
            for span, is_right in [
                ("Planner", True), ("Planners", False), ("Planner.begin", True), ("Planner.end", False), ("Work", True),
                ("Planner+Sends.swift", True), ("Planning/Planner+Sends.swift", True), ("Sends.swift", False),
                ("Planning", True), ("Running", False), ("Planning.begin", False), ("Sources/Core", True),
                ("Sources/Gone", False), ("herald plan", True), ("SIGTERM", True), ("commit", True),
            ]:  # fmt: skip
                with self.subTest(span=span):
                    page = f"As `{span}` says.\n\n```\n`Gone`\n```\n"
                    self.assertEqual(not links.problems_of_page_about_code(page, sources), is_right)
            for types, is_right in [("`Planner`", True), ("`Work`, `Planner`", True), ("`Plan`", False)]:
                with self.subTest(types=types):
                    (code / "Plan.swift").write_text("struct Plan {}\n")
                    row = f"| {types} | `Planner+Sends.swift` | plans |\n"
                    self.assertEqual(not links.problems_of_page_about_code(row, links.Sources(Path(folder))), is_right)


class ReadabilityTests(unittest.TestCase):
    def test_prose(self):
        page = "# Title\n\nOne `two` three. Four\nfive.\n\n- [six](seven.md)\n- eight\n\n| nine |\n\n```\nten\n```\n"
        self.assertEqual(readability.prose(page), ["One three. Four five.", "six", "eight"])
        self.assertEqual(list(readability.sentences(readability.prose(page))), ["One three.", "Four five.", "six", "eight"])

    def test_grade(self):
        easy, hard = "The cat sat on the mat.", "Reconsideration necessitates organisational interdependency considerations."
        self.assertLess(readability.grade([easy]), readability.GRADE)
        self.assertGreater(readability.grade([hard]), readability.GRADE)


class ReferenceTests(unittest.TestCase):
    def test_rows(self):
        schema = {
            "properties": {"a": {"$ref": "#/$defs/b", "description": "Own."}}, "required": ["a"],
            "$defs": {"b": {"type": "object", "properties": {"c": {"enum": [1, 2], "default": 1, "description": "x | y"}}}},
        }  # fmt: skip
        self.assertEqual(
            reference.rows(schema, schema, ""),
            ["| `a` | object | Own. Required. |", "| `a.c` | `1`, `2` | x \\| y Default: `1`. |"])

    def test_quotes(self):
        self.assertEqual(reference.marked("the owner's 'plan' and <ref>"), "the owner's `plan` and `ref`")


if __name__ == "__main__":
    unittest.main()
