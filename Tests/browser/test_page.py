"""The emulator's page in a headless Chromium: what people see of the emulator, and what they can do there.

Needs HERALD, the program; CHROMIUM may name a browser. PICTURES=FOLDER keeps pictures of the page."""

import base64
import http.server
import json
import os
import pathlib
import sys
import threading
import unittest

sys.path.append(str(pathlib.Path(__file__).parent.parent / "sdk"))

from chromium import Chromium, Page, installed  # noqa: E402
from emulator import Emulator  # noqa: E402
from looks import PALE  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

HOSTILE = "<img src=x onerror=\"window.ran='title'\"><script>window.ran='script'</script>&amp;\u202e"
PHONES = "document.querySelectorAll('.phone')"


def fid(number):
    return f"d{number:021}"


def phone(number):
    return f"document.querySelector('.phone[aria-label$=\"{fid(number)}\"]')"


class PageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.emulator = Emulator()
        cls.addClassCleanup(cls.emulator.stop)
        cls.browser = Chromium(installed())
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.emulator.reset()
        self.page = Page(self.browser)
        self.addCleanup(self.page.close)

    def show(self):
        self.page.open(self.emulator.url + "/")
        # The connection stands, and what there is has been shown.
        self.page.until("document.getElementById('live').textContent === 'live' && $('clock').textContent !== ''")
        self.page.value("window.mark = 'never loaded again'")

    def tearDown(self):
        # Whatever a test has done: nothing ran that was not the page's, nothing left it, nothing was wrong.
        if self.page.addresses:
            self.assertEqual(self.page.value("window.mark"), "never loaded again")
        self.assertIsNone(self.page.value("window.ran"))
        self.assertEqual(self.page.complaints, [])
        strangers = [each for each in self.page.addresses if not each.startswith((self.emulator.url + "/", "data:,"))]
        self.assertEqual(strangers, [])

    def send(self, **message):
        return self.emulator.call("POST", "/v1/projects/p/messages:send", {"message": message})[0]

    def control(self, method, path, body=None):
        status, text = self.emulator.call(method, "/emulator/v1/" + path, body)
        self.assertEqual(status, 200, text)
        return json.loads(text)

    def texts(self, selector):
        return self.page.value(f"[...document.querySelectorAll({json.dumps(selector)})].map(each => each.textContent)")

    def test_devices_and_messages_appear_as_they_come(self):
        self.show()
        self.page.until("!document.getElementById('empty').hidden")
        self.emulator.enrol(
            {"registration": fid(1), "platform": "ios", "topics": ["tides"]},
            {"registration": fid(2), "platform": "web"})
        self.page.until(f"{PHONES}.length === 2 && document.getElementById('empty').hidden")
        self.send(topic="tides", notification={"title": "High tide", "body": "18:42"})
        self.page.until(f"{phone(1)}.querySelector('.note.fresh b').textContent === 'High tide'")
        self.assertEqual(self.page.value(f"{phone(2)}.querySelectorAll('.note').length"), 0)
        self.send(fid=fid(3), data={"spot": "ostia"})
        self.page.until(f"{phone(3)}.querySelector('.note.silent b').textContent === 'data'")
        self.assertEqual(self.texts("#sends span"), [f"fid {fid(3)}", "topic tides"])
        self.assertEqual(self.texts("#count"), ["3"])

    def test_the_empty_page_tells_a_command_that_works(self):
        self.show()
        self.page.until("!document.getElementById('empty').hidden")
        command = " ".join(self.page.value("document.querySelector('#empty code').textContent").split())
        url, body = command.removeprefix("curl ").removesuffix("'").split(" -d '")
        status, text = self.emulator.call("POST", url.removeprefix(self.emulator.url), json.loads(body))
        self.assertEqual(status, 200, text)
        self.page.until(f"{PHONES}.length === 1")

    def test_what_a_message_says_stays_text(self):
        self.emulator.enrol({"registration": fid(1), "platform": "web", "topics": ["%3Cimg%20src%3E"]})
        members = {"operation": "create", "notification_key_name": HOSTILE, "registration_ids": [fid(1)]}
        headers = {"access_token_auth": "true", "project_id": "123456789012"}
        self.assertEqual(self.emulator.call("POST", "/fcm/notification", members, headers)[0], 200)
        self.emulator.fault({"match": {"service": "iid"}, "do": {"status": 400, "code": HOSTILE[:-1]}})
        self.show()
        notification = {"title": HOSTILE, "body": HOSTILE, "image": "https://example.com/x.png"}
        self.assertEqual(self.send(fid=fid(1), notification=notification, data={HOSTILE: HOSTILE}), 200)
        self.page.until(f"{phone(1)}.querySelector('.note b').textContent === {json.dumps(HOSTILE)}")
        self.assertEqual(self.texts("#groups span"), [HOSTILE])
        self.assertEqual(self.texts("#topics span"), ["%3Cimg%20src%3E"])
        self.assertIn("onerror", self.texts("#entries code")[0])
        self.page.click(f"{phone(1)}.querySelector('.note')")
        self.page.until("document.getElementById('message').open")
        self.assertEqual(json.loads(self.texts("#sent")[0])["message"]["data"], {HOSTILE: HOSTILE})
        self.assertEqual(self.page.value("document.querySelectorAll('img, iframe, body script').length"), 0)

    def test_markup_would_be_noticed(self):
        """The others' silence means something: the policy stops even what gets into the page."""
        self.show()
        self.page.value("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\">')")
        self.page.until("document.querySelector('img')")
        self.page.value("new Promise(done => requestAnimationFrame(done))")
        self.page.value("fetch('/emulator/v1/clock').then(reply => reply.text())")
        self.assertTrue(any("Content Security Policy" in json.dumps(each) for each in self.page.complaints))
        self.assertIsNone(self.page.value("window.ran"))
        self.page.complaints.clear()

    def test_request_and_payload_are_side_by_side(self):
        self.emulator.enrol({"registration": fid(1), "platform": "ios", "topics": ["tides"]})
        self.send(topic="tides", notification={"title": "High tide"}, apns={"headers": {"apns-priority": "10"}})
        self.show()
        for opener in (f"{phone(1)}.querySelector('.note')", "document.querySelector('.send')"):
            self.page.click(opener)
            self.page.until("document.getElementById('message').open")
            self.assertEqual(json.loads(self.texts("#sent")[0])["message"]["topic"], "tides")
            payload = json.loads(self.texts("#got")[0])["payload"]
            self.assertEqual(payload["aps"]["alert"], {"title": "High tide"})
            left, right = self.page.value(
                "['sent', 'got'].map(id => { const box = document.getElementById(id).getBoundingClientRect();"
                " return [box.left, box.right, box.top]; })")
            self.assertLess(left[1], right[0])
            self.assertEqual(left[2], right[2])
            self.page.press(Keys.ESCAPE)
            self.page.until("!document.getElementById('message').open")
            self.assertTrue(self.page.value(f"document.activeElement === {opener}"))

    def test_topics_and_groups_follow(self):
        self.show()
        self.emulator.enrol(*({"registration": fid(each), "topics": ["tides", "storms"][:each]} for each in (1, 2)))
        self.page.until("document.getElementById('topics').children.length === 2")
        self.assertEqual(self.texts("#topics li"), ["storms1 subscribed", "tides2 subscribed"])
        headers = {"access_token_auth": "true", "project_id": "123456789012"}
        members = {"operation": "create", "notification_key_name": "chris", "registration_ids": [fid(1), fid(2)]}
        self.emulator.call("POST", "/fcm/notification", members, headers)
        self.page.until("document.getElementById('groups').children.length === 1")
        self.assertEqual(self.texts("#groups li"), ["chris2 members"])
        self.emulator.enrol({"registration": fid(2), "topics": []})
        self.page.until("document.getElementById('topics').textContent === 'tides1 subscribed'")

    def test_a_fault_is_switched_on_and_off(self):
        self.show()
        faults = "document.getElementById('faults')"
        self.page.choose(faults, "2")
        self.page.until("!document.getElementById('script').hidden")
        self.assertEqual(self.send(fid=fid(1)), 429)
        self.page.until("document.querySelector('#entries small').textContent === '1 of 1'")
        self.page.choose(faults, "0")
        self.page.until("document.getElementById('script').hidden")
        self.assertEqual(self.send(fid=fid(1)), 200)

    def test_the_fault_switch_follows_others_and_knows_a_script_of_their_own(self):
        self.show()
        faults = "document.getElementById('faults')"
        self.emulator.fault({"do": {"code": "UNAVAILABLE", "status": 503}, "match": {"every": 2, "service": "send"}})
        self.page.until(f"{faults}.value === '1'")
        own = {"match": {"probability": 1}, "do": {"status": 500, "code": "INTERNAL"}}
        self.emulator.fault(own, {"match": {"service": "iid"}, "do": {"delay_ms": 1}})
        self.page.until(f"{faults}.value === 'custom' && {faults}.selectedOptions[0].textContent === 'a script of 2'")
        self.assertEqual(self.send(fid=fid(1)), 500)
        self.page.until("document.querySelector('#entries small').textContent === '1 of 1'")
        self.page.click("document.getElementById('off')")
        self.page.until(f"{faults}.value === '0'")
        self.assertEqual(self.control("GET", "faults"), [])
        self.emulator.fault(own)
        self.page.until(f"{faults}.value === 'custom'")
        self.emulator.reset()
        self.page.until(f"{faults}.value === '0'")

    def test_a_device_goes_offline_and_comes_back(self):
        self.emulator.enrol({"registration": fid(1), "platform": "android"})
        self.show()
        online = f"{phone(1)}.querySelector('[aria-pressed]')"
        self.page.click(online)
        self.page.until(f"{online}.getAttribute('aria-pressed') === 'false'")
        self.send(fid=fid(1), notification={"title": "Kept"}, android={"ttl": "3600s"})
        self.send(fid=fid(1), notification={"title": "Lost"}, android={"ttl": "0s"})
        self.page.until(f"{phone(1)}.querySelector('.facts').textContent === '1 waiting · lost: not connected 1'")
        # By keyboard: the focus has stayed where it was, although the phone was drawn anew.
        self.assertTrue(self.page.value(f"document.activeElement === {online}"))
        self.page.press(Keys.ENTER)
        self.page.until(f"{phone(1)}.querySelector('.note b').textContent === 'Kept'")
        self.assertEqual(self.page.value(f"{phone(1)}.querySelectorAll('.note').length"), 1)

    def test_an_app_is_put_in_front(self):
        self.emulator.enrol({"registration": fid(1), "platform": "ios"})
        self.show()
        self.page.choose(f"{phone(1)}.querySelector('select')", "foreground")
        self.page.until("devices[0].app === 'foreground'")
        self.send(fid=fid(1), notification={"title": "T"})
        self.page.until(f"{phone(1)}.querySelector('.note.silent small').textContent.includes('willPresent')")

    def test_the_clock_is_put_forward(self):
        self.show()
        self.page.click("document.querySelector('[data-advance=\"1h\"]')")
        self.page.until("document.getElementById('ahead').textContent === '1 h ahead'")
        self.page.click("document.querySelector('[data-advance=\"1d\"]')")
        self.page.until("document.getElementById('ahead').textContent === '1 d 1 h ahead'")
        clock = self.control("GET", "clock")
        self.assertEqual(clock["ahead_seconds"], 90000)
        self.assertEqual(self.texts("#clock")[0][:13].replace(" ", "T"), clock["time"][:13])

    def test_a_registration_is_found(self):
        self.emulator.enrol(*({"registration": fid(each)} for each in range(1, 61)))
        self.show()
        self.page.until("document.getElementById('count').textContent === '48 of 60'")
        self.page.click("document.getElementById('find')")
        self.page.press("059")
        self.page.until(f"{PHONES}.length === 1 && {phone(59)}")

    def test_what_fails_is_told(self):
        self.emulator.enrol({"registration": fid(1)})
        self.show()
        for _ in range(10):
            self.control("POST", "clock", {"advance": "366d"})
        self.page.click("document.querySelector('[data-advance=\"1d\"]')")
        self.page.until("!document.getElementById('problem').hidden")
        self.assertEqual(self.texts("#reason"), ["advance: ten years are the most"])
        self.page.click("document.getElementById('dismiss')")
        self.page.until("document.getElementById('problem').hidden")
        # The browser itself complains of the status.
        self.assertEqual(["Failed to load resource" in each["message"] for each in self.page.complaints], [True])
        self.page.complaints.clear()

    def test_all_can_be_read_and_named_in_any_window(self):
        for number, platform in enumerate(("ios", "android", "web"), 1):
            self.emulator.enrol({"registration": fid(number), "platform": platform, "topics": ["tides"]})
        self.emulator.fault({"match": {"topic": "x" * 300}, "do": {"status": 503}})
        self.control("PUT", f"devices/{fid(2)}", {"online": False})
        self.send(topic="tides", notification={"title": "High" * 60, "body": "18:42"})
        self.send(token=f"{fid(4)}:APA91b" + "A" * 120, data={"a": "1"})
        self.show()
        self.page.until(f"{PHONES}.length === 4 && document.querySelector('#entries code')")
        for scheme in ("light", "dark"):
            self.page.scheme(scheme)
            for width in (1280, 768, 320):
                self.page.resize(width, 800)
                self.assertLessEqual(self.page.value("document.documentElement.scrollWidth"), width)
                self.picture(f"{scheme}-{width}")
                self.page.click("document.querySelector('.note')")
                self.page.until("document.getElementById('message').open")
                self.picture(f"{scheme}-{width}-message")
                self.assertEqual(self.page.value(PALE), [])
                self.page.click("document.getElementById('close')")
                self.page.until("!document.getElementById('message').open")
        names = self.page.names("button", "combobox", "searchbox")
        self.assertGreater(len(names), 12)
        self.assertNotIn("", names)

    def picture(self, name):
        if folder := os.environ.get("PICTURES"):
            path = pathlib.Path(folder) / f"{name}.png"
            path.write_bytes(base64.b64decode(self.page.picture()))


class Website(http.server.BaseHTTPRequestHandler):
    """A page of somebody else, without a policy that would hold it back."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title><iframe name=frame></iframe>")

    def log_message(self, *_):
        pass


class AccessTests(unittest.TestCase):
    """What a website that is open in the same browser can do with the emulator."""

    @classmethod
    def setUpClass(cls):
        cls.browser = Chromium(installed())
        cls.addClassCleanup(cls.browser.close)

    def start(self, *options):
        emulator = Emulator(*options)
        self.addCleanup(emulator.stop)
        page = Page(self.browser)
        self.addCleanup(page.close)
        return emulator, page

    def test_a_website_neither_reads_nor_changes_anything(self):
        emulator, page = self.start()
        emulator.enrol({"registration": fid(1)})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Website)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        page.open(f"http://127.0.0.1:{server.server_port}/")
        page.until("document.title === 'elsewhere'")
        for attempt in ATTEMPTS:
            with self.subTest(attempt):
                found = page.value(f"(async () => {{ const there = {json.dumps(emulator.url)}; {attempt} }})()")
                self.assertEqual(found, "nothing")
                status, text = emulator.call("GET", "/emulator/v1/registrations")
                self.assertEqual((status, fid(1) in text), (200, True))
                self.assertEqual(emulator.ledger(), [])
                self.assertEqual({status for _, _, status in emulator.requests()}, {403})

    def test_the_printed_link_opens_the_page(self):
        emulator, page = self.start("--host", "0.0.0.0")
        page.open(f"{emulator.url}/?token={emulator.token}")
        page.until("document.getElementById('live').textContent === 'live'")
        self.assertEqual(page.value("location.href"), emulator.url + "/")
        self.assertEqual(page.value("document.cookie"), "")
        emulator.enrol({"registration": fid(1)})
        page.until(f"{PHONES}.length === 1")
        # The browser has the token now.
        page.open(emulator.url + "/")
        page.until(f"{PHONES}.length === 1")
        self.assertEqual(page.complaints, [])


# Each ends with what it found out; "nothing" is what it should be.
ATTEMPTS = [
    # What HTML itself can do, without asking first.
    "await fetch(there + '/emulator/v1/reset', {method: 'POST', mode: 'no-cors', body: 'x'}); return 'nothing';",
    "await fetch(there + '/v1/projects/p/messages:send', {method: 'POST', mode: 'no-cors',"
    ' body: \'{"message": {"topic": "t"}}\'}); return "nothing";',
    "const form = Object.assign(document.createElement('form'), {method: 'post', target: 'frame',"
    " action: there + '/emulator/v1/reset'}); document.body.append(form);"
    " const loaded = new Promise(done => document.querySelector('iframe').addEventListener('load', done, {once: true}));"
    " form.submit(); await loaded; return 'nothing';",
    "return await new Promise(done => document.body.append(Object.assign(document.createElement('script'),"
    " {src: there + '/emulator/page.js', onload: () => done('the script'), onerror: () => done('nothing')})));",
    # What needs the emulator's leave.
    "return fetch(there + '/emulator/v1/registrations').then(answer => answer.text(), () => 'nothing');",
    "return fetch(there + '/emulator/v1/registrations', {method: 'PUT', body: '[]'}).then(() => 'a PUT', () => 'nothing');",
    "return fetch(there + '/emulator/v1/clock', {method: 'POST', headers: {'Content-Type': 'application/json'},"
    ' body: \'{"advance": "1h"}\'}).then(() => "a POST", () => "nothing");',
    "return await new Promise(done => { const events = new EventSource(there + '/emulator/v1/events');"
    " events.onopen = () => done('events'); events.onerror = () => { events.close(); done('nothing'); }; });",
    "return await new Promise(done => { const socket = new WebSocket(there.replace('http', 'ws') + '/emulator/v1/events');"
    " socket.onopen = () => done('a socket'); socket.onerror = () => done('nothing');"
    # The server does not speak WebSocket, and may say nothing at all.
    " setTimeout(() => { socket.close(); done('nothing'); }, 2000); });",
]
