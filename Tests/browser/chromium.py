"""Drives a headless Chromium over the pipe of its DevTools protocol; the standard library is enough for that."""

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import threading

DEADLINE = 30
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def installed():
    """The path of a Chromium; None where there is none. CHROMIUM names another."""
    named = os.environ.get("CHROMIUM")
    return shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """A browser with a profile of its own, which ends with it."""

    def __init__(self, path):
        self._profile = tempfile.TemporaryDirectory(prefix="herald-browser-", ignore_cleanup_errors=True)
        to_browser, self._output = os.pipe()
        self._input, from_browser = os.pipe()
        # It reads from 3 and writes to 4.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (to_browser, from_browser)]
        self._process = subprocess.Popen(
            [
                path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--remote-debugging-pipe", f"--user-data-dir={self._profile.name}",
                # Whatever it would look for elsewhere, it does not find.
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(3, 4), preexec_fn=lambda: [os.dup2(end, 3 + index) for index, end in enumerate(ends)],
        )  # fmt: skip
        for end in (to_browser, from_browser, *ends):
            os.close(end)
        self._news = threading.Condition()
        self._last, self._answers, self._listeners, self._is_over = 0, {}, {}, False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        with os.fdopen(self._input, "rb") as stream:
            rest = b""
            while piece := stream.read1(1 << 16):
                *messages, rest = (rest + piece).split(b"\0")
                for message in map(json.loads, messages):
                    with self._news:
                        if "id" in message:
                            self._answers[message["id"]] = message
                        elif listener := self._listeners.get(message.get("sessionId")):
                            listener(message["method"], message["params"])
                        self._news.notify_all()
        with self._news:
            self._is_over = True
            self._news.notify_all()

    def call(self, method, session=None, **params):
        with self._news:
            self._last += 1
            number = self._last
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._output, json.dumps(message).encode() + b"\0")
        with self._news:
            self._news.wait_for(lambda: number in self._answers or self._is_over, DEADLINE)
            answer = self._answers.pop(number, {"error": {"message": "no answer"}})
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def listen(self, session, listener):
        with self._news:
            self._listeners[session] = listener

    def close(self):
        with contextlib.suppress(OSError, RuntimeError):
            self.call("Browser.close")
        try:
            self._process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._output)
        self._profile.cleanup()


class Page:
    """One tab: what it shows, what it asks for, what it complains of."""

    def __init__(self, browser, width=1280, height=900):
        self._browser = browser
        self._target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser.call("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        self.complaints, self.addresses = [], []
        browser.listen(self._session, self._hear)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def _hear(self, method, params):
        if method == "Network.requestWillBeSent":
            self.addresses.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(params["args"])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"])

    def call(self, method, **params):
        return self._browser.call(method, self._session, **params)

    def resize(self, width, height):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, url):
        self.call("Page.navigate", url=url)

    def value(self, expression):
        """What an expression gives, or what the promise that it gives does."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise AssertionError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def until(self, expression):
        """Waits until an expression gives something true, and gives that."""
        return self.value(
            "new Promise((found, lost) => { const end = Date.now() + %d; (function look() {"
            " let value; try { value = (%s); } catch (error) { value = null; }"
            " if (value) found(value);"
            " else if (Date.now() > end) lost(new Error('it never came: ' + %s)); else setTimeout(look, 20); })(); })"
            % (DEADLINE * 500, expression, json.dumps(expression))
        )

    def click(self, expression):
        """Clicks into the middle of an element, as a mouse does."""
        self.until(expression)
        # Where it still moves, or something lies over it, the click would hit something else.
        x, y = self.value(
            "new Promise((found, lost) => { const end = Date.now() + %d; let before = ''; (function look() {"
            " const element = (%s); element?.scrollIntoView({block: 'center'});"
            " const box = element?.getBoundingClientRect();"
            " const middle = box && [box.x + box.width / 2, box.y + box.height / 2];"
            " if (middle && `${middle}` === before && element.contains(document.elementFromPoint(...middle)))"
            " found(middle); else if (Date.now() > end) lost(new Error('it never stood still: ' + %s));"
            " else { before = `${middle}`; setTimeout(look, 50); } })(); })"
            % (DEADLINE * 500, expression, json.dumps(expression)))
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))  # fmt: skip

    def choose(self, expression, value):
        """Chooses from a list of options."""
        self.until(expression)
        self.value(
            f"(element => {{ element.value = {json.dumps(value)};"
            f" element.dispatchEvent(new Event('change', {{bubbles: true}})); }})({expression})")

    def picture(self):
        """A PNG, in base64, of the whole page."""
        return self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]

    def close(self):
        self._browser.call("Target.closeTarget", targetId=self._target)
