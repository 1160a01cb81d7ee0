"""The pages that `preview`, `plan` and `report` make, in a headless Chromium, with texts that mean no good.

Needs HERALD, the program; CHROMIUM may name a browser. PICTURES=FOLDER keeps pictures of the pages."""

import base64
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

from chromium import Chromium, Page, installed
from looks import PALE

SCRIPT = "<img src=x onerror=\"window.ran='title'\"><script>window.ran='script'</script>"
# A character before the tag and an accent behind the quotation mark that make one grapheme with them.
GRAPHEMES = "\U000111c2<script>window.ran='grapheme'</script>\"\u0301 onmouseover=\"window.ran='accent'"
BIDI = "\u202egnihton\u2066 \u200fשלום גאות גבוהה באוסטיה בשעה 18:42"
WORD = "W" * 3500
EMOJI = "👩‍👩‍👧‍👦 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f 👋🏽 🇮🇹"
ARABIC = "مد عال في أوستيا عند الساعة " * 12

HERALD_YAML = "herald: 1\nproject: demo-project\ntimezone: Europe/Rome\nfcm: {endpoint: http://127.0.0.1:9}\n"
LONG = "High tide in the Venetian lagoon tonight: bring boots, park high and follow the sirens. " * 8


def message(title, body, **more):
    notification = {"title": title, "body": body, "image": "https://example.com/tide.png"}
    actions = [{"action": "map", "title": "Map"}, {"action": "mute", "title": title}, {"action": "c", "title": "C"}]
    return {
        "notification": notification, "data": {"spot": title},
        "apns": {"payload": {"aps": {"mutable-content": 1, "category": "TIDE", "sound": "default"}}},
        "webpush": {"notification": {"actions": actions}}, **more,
    }  # fmt: skip


CAMPAIGNS = {
    "plain": message("High tide", "18:42 at Ostia"), "long": message("High tide " * 6, LONG),
    "script": message(SCRIPT, SCRIPT * 3), "graphemes": message(GRAPHEMES, GRAPHEMES),
    "bidi": message(BIDI, BIDI), "arabic": message("مد عال", ARABIC), "word": message("Short", WORD),
    "emoji": message(EMOJI, EMOJI * 20), "rtl": {"notification": {"title": ARABIC, "body": ARABIC}},
    "body": {"notification": {"body": LONG}},
    "rtl-body": {"notification": {"body": ARABIC}}, "data-only": {"data": {"spot": SCRIPT}},
}  # fmt: skip
SCHEDULES = ["30 9 * * MON", "0 8,18 * * *", "15 12 * * TUE,THU"]


def workspace(folder):
    """A workspace whose texts are hostile. JSON is YAML."""
    (folder / "herald.yaml").write_text(HERALD_YAML)
    topics = [{"kind": "topic", "name": "tides"}]
    campaigns = [
        {"kind": "campaign", "name": name, "target": {"topic": "tides"}, "message": content,
         **({"schedule": {"cron": SCHEDULES[index % 3]}} if index % 2 else {})}
        for index, (name, content) in enumerate(CAMPAIGNS.items())
    ]  # fmt: skip
    documents = [json.dumps(each, ensure_ascii=False) for each in topics + campaigns]
    # YAML does not allow all characters that JSON does.
    text = "\n---\n".join(documents).translate({each: f"\\u{each:04x}" for each in (0x202E, 0x2066, 0x200F)})
    (folder / "all.yaml").write_text(text + "\n")


def report(text):
    """A saved report with this text in all its places."""
    figures = {"planned": 9, "accepted": 3, "rejected": 2, "unknown": 1, "skipped": 1, "held": 1, "pending": 1}
    failure = {"registration": "r_0123456789abcdef", "code": "UNREGISTERED", "http_status": 404, "message": text,
               "attempts": 1, "action": "forgotten"}  # fmt: skip
    step = {"id": f"send:{text}", "action": "send", "occurrence": "tide@once", **figures, "duration_ms": 4200,
            "message_ids": [], "failures": [failure, {**failure, "code": "INTERNAL"}], "note": text}  # fmt: skip
    topic = {"id": "subscribe:tides", "action": "subscribe", "topic": "tides", **dict.fromkeys(figures, 0),
             "planned": 1200000, "accepted": 1200000, "duration_ms": 61000, "message_ids": [],
             "failures": []}  # fmt: skip
    totals = {**figures, "subscribed": 0, "unsubscribed": 0, "missed": 0, "retries": 3, "forgotten": 1,
              "possible_duplicates": 2}  # fmt: skip
    return {
        "schema": "herald.report/1", "run": text, "plan_digest": "sha256:" + "0" * 64, "dry_run": False,
        "started": "2026-12-01T08:00:00Z", "finished": "2026-12-01T08:01:30Z", "result": "unknown",
        "endpoint": "emulator", "project": "tide-app", "herald_version": "0.1.0", "git_commit": None,
        "overrides": [], "state": {"lineage": "6f0c", "serial": 12}, "summary": totals, "steps": [topic, step],
        "missed": [], "superseded": [], "notes": [text],
    }  # fmt: skip


class DocumentTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Chromium(installed())
        cls.addClassCleanup(cls.browser.close)
        folder = tempfile.TemporaryDirectory(prefix="herald-pages-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        workspace(cls.folder)
        cls.pages = {"preview": cls.made("preview", "--all"), "plan": cls.made("plan", "--at", "2026-12-01T07:00:00Z")}
        (cls.folder / "report.json").write_text(json.dumps(report(SCRIPT + BIDI + EMOJI + GRAPHEMES + WORD)))
        cls.pages["report"] = cls.made("report", str(cls.folder / "report.json"))

    @classmethod
    def made(cls, command, *arguments):
        """The address of the page that a command writes."""
        found = subprocess.run(
            [os.environ["HERALD"], "-w", str(cls.folder), "--quiet", command, *arguments, "--format", "html"],
            capture_output=True, text=True, env={**os.environ, "HERALD_STATE": str(cls.folder / "state.sqlite")},
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
        file = cls.folder / f".{command}.html"
        file.write_text(found.stdout)
        return file.as_uri()

    def setUp(self):
        self.page = Page(self.browser)
        self.addCleanup(self.page.close)

    def tearDown(self):
        self.assertIsNone(self.page.value("window.ran"))
        self.assertEqual(self.page.complaints, [])
        strangers = [each for each in self.page.addresses if not each.startswith(("file://", "data:,", "http://127.0.0.1:"))]
        self.assertEqual(strangers, [])

    def test_every_page_fits_and_can_be_read(self):
        for name, address in self.pages.items():
            self.page.open(address)
            self.page.value("document.querySelectorAll('details').forEach(each => { each.open = true; })")
            for scheme in ("light", "dark"):
                self.page.scheme(scheme)
                for width in (320, 768, 1280):
                    with self.subTest(name, scheme=scheme, width=width):
                        self.page.resize(width, 900)
                        self.assertLessEqual(self.page.value("document.documentElement.scrollWidth"), width)
                        self.assertEqual(self.page.value(WIDE), [])
                        self.assertEqual(self.page.value(PALE), [])
                        self.picture(f"{name}-{scheme}-{width}")

    def test_texts_stay_texts(self):
        for name, address in self.pages.items():
            with self.subTest(name):
                self.page.open(address)
                self.assertEqual(self.page.value("document.querySelectorAll('script, img, iframe, b > b').length"), 0)
                handlers = "[...document.querySelectorAll('*')].filter(each => [...each.attributes].some(a => /^on/i.test(a.name))).length"
                self.assertEqual(self.page.value(handlers), 0)
                self.assertIn(SCRIPT if name == "report" else "High tide" if name == "preview" else "script", self.text())
        self.page.open(self.pages["preview"])
        quoted = json.dumps(SCRIPT)
        for wanted in (quoted, EMOJI, "‹U+202E›", "\U000111c2<script>", "שלום", "مد عال"):
            self.assertIn(wanted, self.text())
        self.assertNotIn("\u202e", self.text())

    def test_a_text_runs_in_its_own_direction(self):
        self.page.open(self.pages["preview"])
        sides = self.page.value("[...document.querySelectorAll('.mock .title')].map(each => [each.dir, each.textContent])")
        self.assertIn(["rtl", "مد عال"], sides)
        self.assertIn(["ltr", "High tide"], sides)

    def test_no_text_lies_under_the_time(self):
        self.page.open(self.pages["preview"])
        for width in (320, 768, 1280):
            with self.subTest(width=width):
                self.page.resize(width, 900)
                self.assertEqual(self.page.value(UNDER_TIME), [])

    def test_every_control_has_a_name(self):
        for address in self.pages.values():
            self.page.open(address)
            names = self.page.names("link", "button", "DisclosureTriangle", "image", "img", "navigation", "article")
            self.assertNotIn("", names)
            self.assertEqual(len(self.page.names("heading")), len([each for each in self.page.names("heading") if each]))
            summaries = self.page.value("[...document.querySelectorAll('summary')].map(each => each.textContent.trim())")
            self.assertNotIn("", summaries)

    def text(self):
        return self.page.value("document.body.textContent")

    def picture(self, name):
        if folder := os.environ.get("PICTURES"):
            path = pathlib.Path(folder) / f"{name}.png"
            path.write_bytes(base64.b64decode(self.page.picture()))


class ServeTests(unittest.TestCase):
    """`preview --serve`: a page that follows the files."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="herald-serve-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "herald.yaml").write_text(HERALD_YAML)
        self.write("High tide")
        self.process = subprocess.Popen(
            [os.environ["HERALD"], "-w", folder.name, "preview", "--serve"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)  # fmt: skip
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.wait, 10)
        self.addCleanup(self.process.kill)
        self.url = self.process.stdout.readline().strip()
        self.assertRegex(self.url, r"^http://127\.0\.0\.1:[0-9]+/$")

    def write(self, title, rest=""):
        text = "kind: topic\nname: tides\n---\nkind: campaign\nname: tide\ntarget: {topic: tides}\n"
        (self.folder / "tide.yaml").write_text(text + f"message: {{notification: {{title: {json.dumps(title)}}}}}\n" + rest)

    def test_the_page_follows_the_files(self):
        browser = Chromium(installed())
        self.addCleanup(browser.close)
        page = Page(browser)
        page.open(self.url)
        self.assertEqual(page.value("document.querySelector('.mock .title').textContent"), "High tide")
        self.write("Higher tide")
        page.until("document.querySelector('.mock .title').textContent === 'Higher tide'")
        self.write("Tide", "shedule: {}\n")
        page.until("document.body.textContent.includes('shedule')")
        self.write("Low tide")
        page.until("document.querySelector('.mock .title').textContent === 'Low tide'")
        self.assertEqual(page.complaints, [])
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(10), 0)

    def test_it_answers_to_this_machine_only(self):
        for host, status in [("127.0.0.1", 200), ("localhost:1", 200), ("evil.example", 403), ("127.0.0.1.evil.example", 403),
                             ("evil.example:80", 403), ("[::1]", 403), ("127.0.0.1:80:x", 403)]:  # fmt: skip
            with self.subTest(host):
                self.assertEqual(self.status(self.url, Host=host), status)
        self.assertEqual(self.status(self.url + "herald.yaml"), 404)
        self.assertEqual(self.status(self.url + "..%2fherald.yaml"), 404)

    def status(self, url, **headers):
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            with error:
                return error.code


# Lines of texts in a drawing that overlap the time in its corner.
UNDER_TIME = """[...document.querySelectorAll(".mock")].flatMap(mock => {
  const time = mock.querySelector(".when").getBoundingClientRect();
  if (!time.width) throw new Error("a drawing shows no time");
  const overlaps = box => box.left < time.right && box.right > time.left && box.top < time.bottom && box.bottom > time.top;
  return [...mock.querySelectorAll(".words p")].filter(text => {
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT), range = document.createRange();
    while (walker.nextNode()) {
      range.selectNode(walker.currentNode);
      if ([...range.getClientRects()].some(box => box.width > 0 && overlaps(box))) return true;
    }
    return false;
  }).map(text => mock.className + ": " + text.className + ", " + text.dir);
})"""

# Elements that are wider than the window, or that would have to be scrolled sideways.
WIDE = """[...document.querySelectorAll("body *")].filter(each => each.checkVisibility()
  && (each.getBoundingClientRect().right > innerWidth + 1 || (each.scrollWidth > each.clientWidth + 1
    && ["auto", "scroll"].includes(getComputedStyle(each).overflowX)))).map(each => each.outerHTML.slice(0, 100))"""
