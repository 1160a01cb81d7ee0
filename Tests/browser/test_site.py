"""The pages that `site` makes, in a headless Chromium, with texts that mean no good.

Needs HERALD, the program, and git; CHROMIUM may name a browser. PICTURES=FOLDER keeps pictures of the pages. AXE may name
a file with axe-core, which then looks at each page, too."""

import base64
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from chromium import Chromium, Page, installed
from looks import PALE
from selenium.webdriver.common.keys import Keys
from test_documents import BIDI, EMOJI, GRAPHEMES, SCRIPT, WIDE, WORD, report, workspace

AT = "2026-12-01T07:00:00Z"


class SiteTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Chromium(installed())
        cls.addClassCleanup(cls.browser.close)
        folder = tempfile.TemporaryDirectory(prefix="herald-site-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "workspace").mkdir()
        workspace(cls.folder / "workspace")
        cls.run_program("git", "init", "--quiet", "--initial-branch", "main")
        for date, subject in (("2026-10-01T00:00:00Z", "Begin"), ("2026-11-20T00:00:00Z", SCRIPT + BIDI)):
            cls.run_program("git", "add", "--all")
            cls.run_program(
                "git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "-m", subject, date=date)
            (cls.folder / "workspace" / "word.yaml").write_text(json.dumps(
                {"kind": "campaign", "name": "w" * 63, "target": {"topic": "tides"}, "description": WORD + SCRIPT,
                 "message": {"notification": {"title": EMOJI, "body": GRAPHEMES}}}, ensure_ascii=False))
        cls.herald("state", "init")
        lineage = json.loads(cls.herald("state", "snapshot"))["lineage"]
        (cls.folder / "runs").mkdir(exist_ok=True)
        for number, text in enumerate((SCRIPT + BIDI + WORD, "20261130T070000Z-ab12")):
            saved = {**report(text), "state": {"lineage": lineage, "serial": 1}}
            (cls.folder / "runs" / f"2026113{number}.json").write_text(json.dumps(saved))
        cls.site = cls.folder / "site"
        cls.herald("site", "--out", str(cls.site), "--at", AT)
        cls.pages = sorted(str(each.relative_to(cls.site)) for each in cls.site.rglob("*.html"))

    @classmethod
    def run_program(cls, *arguments, date=AT):
        found = subprocess.run(
            arguments, cwd=cls.folder / "workspace", capture_output=True, text=True,
            env={**os.environ, "HERALD_STATE": str(cls.folder / "state.sqlite"), "GIT_AUTHOR_DATE": date,
                 "GIT_COMMITTER_DATE": date})  # fmt: skip
        assert found.returncode == 0, found.stderr
        return found.stdout

    @classmethod
    def herald(cls, *arguments):
        return cls.run_program(os.environ["HERALD"], "--quiet", *arguments)

    def setUp(self):
        self.page = Page(self.browser)
        self.addCleanup(self.page.close)

    def tearDown(self):
        self.assertIsNone(self.page.value("window.ran"))
        self.assertEqual(self.page.complaints, [])
        strangers = [each for each in self.page.addresses if not each.startswith(("file://", "data:,"))]
        self.assertEqual(strangers, [])

    def open(self, name):
        self.page.open((self.site / name).as_uri())

    def test_it_has_all_its_pages(self):
        for name in ("index.html", "health.html", "changes.html", "runs.html", "months/2026-12.html", "months/2027-01.html",
                     "campaigns/script.html", "runs/20261130T070000Z-ab12.html"):  # fmt: skip
            self.assertIn(name, self.pages)
        self.assertEqual(len([each for each in self.pages if each.startswith("runs/")]), 2)

    def test_every_page_fits_and_can_be_read(self):
        for name in self.pages:
            self.open(name)
            self.page.value("document.querySelectorAll('details').forEach(each => { each.open = true; })")
            for scheme in ("light", "dark"):
                self.page.scheme(scheme)
                for width in (320, 1280):
                    with self.subTest(name, scheme=scheme, width=width):
                        self.page.resize(width, 900)
                        self.assertLessEqual(self.page.value("document.documentElement.scrollWidth"), width)
                        self.assertEqual(self.page.value(WIDE), [])
                        self.assertEqual(self.page.value(PALE), [])
                        self.assertEqual(self.axe(), [])
                        self.picture(f"{name.replace('/', '-')[:-5]}-{scheme}-{width}")

    def test_texts_stay_texts(self):
        for name in self.pages:
            with self.subTest(name):
                self.open(name)
                scripts = 1 if name == "index.html" else 0
                self.assertEqual(self.page.value("document.querySelectorAll('script').length"), scripts)
                self.assertEqual(self.page.value("document.querySelectorAll('img, iframe, form, object').length"), 0)
                self.assertEqual(self.page.value(HANDLERS), 0)
                self.assertNotIn("\u202e", self.page.value("document.body.textContent"))

    def test_headings_and_names_are_in_order(self):
        for name in self.pages:
            with self.subTest(name):
                self.open(name)
                levels = self.page.value("[...document.querySelectorAll('h1,h2,h3,h4')].map(each => +each.tagName[1])")
                self.assertEqual(levels.count(1), 1)
                self.assertEqual(levels[0], 1)
                self.assertTrue(all(after <= before + 1 for before, after in zip(levels, levels[1:])), levels)
                self.assertNotIn("", self.page.names("link", "button", "searchbox", "img", "image", "heading", "navigation"))
                self.assertEqual(self.page.value("document.querySelectorAll('main, nav').length"), 2)

    def test_the_keyboard_reaches_everything(self):
        self.open("index.html")
        focused = "document.activeElement.textContent.trim()"
        self.page.press(Keys.TAB)
        self.assertEqual(self.page.value(focused), "Skip to the content")
        self.assertGreaterEqual(self.page.value("document.activeElement.getBoundingClientRect().left"), 0)
        self.page.press(Keys.ENTER)
        self.assertTrue(self.page.value("location.hash === '#main'"))
        links = self.page.value("document.querySelectorAll('a, input').length")
        seen = set()
        for _ in range(links + 2):
            self.page.press(Keys.TAB)
            # Behind the last one comes the browser's own bar.
            if self.page.value("document.activeElement !== document.body"):
                seen.add(self.page.value("document.activeElement.outerHTML"))
                self.assertNotEqual(self.page.value("getComputedStyle(document.activeElement).outlineStyle"), "none")
        self.assertTrue(any('type="search"' in each for each in seen))

    def test_the_search_finds_words_of_texts_whatever_their_accents(self):
        self.open("index.html")
        shown = "[...document.querySelectorAll('tr[data-find]')].filter(each => each.checkVisibility()).length"
        whole = self.page.value(shown)
        for width in (320, 1280):
            self.page.resize(width, 900)
            for typed, wanted in (("RTL body", 1), ("18:42 plain", 1), ("nowhere-at-all", 0)):
                self.page.value("document.getElementById('find').select()")
                self.page.value("document.getElementById('find')").send_keys(typed)
                self.assertEqual(self.page.value(shown), wanted, typed)
                self.assertEqual(self.page.value("document.getElementById('found').textContent"), f"{wanted} of {whole}")
            self.page.value("document.getElementById('find').select()")
            self.page.press(Keys.DELETE)
            self.assertEqual(self.page.value(shown), whole)

    def test_without_scripts_everything_is_there(self):
        self.page.call("Emulation.setScriptExecutionDisabled", value=True)
        self.addCleanup(self.page.call, "Emulation.setScriptExecutionDisabled", value=False)
        self.open("index.html")
        self.assertEqual(self.page.names("searchbox"), [])
        names = self.page.names("link")
        for name in ("plain", "What goes out", "Health", "December 2026"):
            self.assertIn(name, names)

    def axe(self):
        """What axe-core finds, if it is here."""
        if not (path := os.environ.get("AXE")):
            return []
        if not self.page.value("Boolean(window.axe)"):
            self.page.call("Runtime.evaluate", expression=pathlib.Path(path).read_text())
        found = self.page.value("axe.run().then(result => result.violations.map(each => each.id + ': ' + each.nodes[0].html))")
        return found

    def picture(self, name):
        if folder := os.environ.get("PICTURES"):
            path = pathlib.Path(folder) / f"site-{name[:60]}.png"
            path.write_bytes(base64.b64decode(self.page.picture()))


HANDLERS = """[...document.querySelectorAll('*')].filter(each => [...each.attributes].some(a => /^on/i.test(a.name))).length"""
