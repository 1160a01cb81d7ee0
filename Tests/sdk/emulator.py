"""Starts the built `herald emulator` and speaks its own interface."""

import json
import os
import ssl
import subprocess
import urllib.error
import urllib.request


class Emulator:
    """A running emulator on a port that the system gave."""

    def __init__(self, *options):
        self._process = subprocess.Popen(
            [os.environ["HERALD"], "emulator", *options], stdout=subprocess.PIPE, text=True
        )
        address = self._printed("FCM_EMULATOR_HOST")
        self.is_secure = address.startswith("https://")
        # A client cannot connect to the address that stands for all of them.
        address = address.replace("0.0.0.0", "127.0.0.1")
        self.url = address if self.is_secure else f"http://{address}"
        # What `host:port` clients want.
        self.authority = self.url.split("://")[1]
        self.certificate = self._printed("FCM_EMULATOR_CA") if self.is_secure else None
        # An emulator that other machines can reach wants it on its own interface.
        self.token = self._printed("FCM_EMULATOR_TOKEN") if "--host" in options else None
        self._trust = ssl.create_default_context(cafile=self.certificate) if self.is_secure else None

    def _printed(self, name):
        line = self._process.stdout.readline().strip()
        assert line.startswith(name + "="), f"the emulator printed {line!r}, not {name}"
        return line[len(name) + 1 :]

    def stop(self):
        self._process.terminate()
        self._process.wait(timeout=60)
        self._process.stdout.close()

    def call(self, method, path, body=None, headers=None):
        """One plain HTTP call: status, and the text of the answer."""
        request = urllib.request.Request(self.url + path, method=method, headers=headers or {})
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, context=self._trust, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def _control(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else None
        status, text = self.call(method, "/emulator/v1/" + path, body, headers)
        assert status == 200, text
        return text

    def reset(self):
        self._control("POST", "reset")

    def enrol(self, *registrations):
        self._control("PUT", "registrations", list(registrations))

    def register(self, registration):
        """An app registers, or registers anew."""
        return json.loads(self._control("POST", f"registrations/{registration}"))["displaced"]

    def fault(self, *rules):
        self._control("PUT", "faults", list(rules))

    def ledger(self):
        return [json.loads(line) for line in self._control("GET", "ledger").splitlines()]

    def requests(self):
        """Of the emulated services: method, path and status."""
        lines = [json.loads(line) for line in self._control("GET", "requests").splitlines()]
        return [(line["method"], line["path"], line["status"]) for line in lines]

    def inbox(self, registration):
        return json.loads(self._control("GET", f"devices/{registration}/inbox"))

    def members(self, topic):
        return set(json.loads(self._control("GET", f"topics/{topic}")))

    def group(self, name):
        status, text = self.call("GET", f"/emulator/v1/groups/{name}")
        return set(json.loads(text)) if status == 200 else None
