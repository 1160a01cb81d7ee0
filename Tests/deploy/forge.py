"""A repository with campaigns, an emulator, and what a forge's runner does with a recipe."""

import json
import pathlib
import signal
import subprocess
import tempfile
import unittest
import urllib.request

from places import HERALD, run

GIT = ["git", "-c", "user.name=Anna", "-c", "user.email=anna@example.com", "-c", "commit.gpgsign=false"]

SETTINGS = "herald: 1\nproject: tide-app-demo\n"
CAMPAIGN = """kind: campaign
name: welcome
target: {fids: [cDemoInstallation_0001, cDemoInstallation_0002]}
message: {notification: {title: Welcome aboard, body: Your tides are ready}}
"""


class ForgeTestCase(unittest.TestCase):
    """In `self.checkout` is a clone on a branch that adds a campaign. Nothing is on disk after the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        origin, self.checkout = self.folder / "origin", self.folder / "checkout"
        run(*GIT, "init", "--quiet", "--initial-branch=main", origin)
        (origin / "campaigns").mkdir()
        (origin / "campaigns/herald.yaml").write_text(SETTINGS)
        self.commit(origin, "A workspace")
        run(*GIT, "clone", "--quiet", origin, self.checkout)
        run(*GIT, "checkout", "--quiet", "-b", "welcome", cwd=self.checkout)
        (self.checkout / "campaigns/welcome.yaml").write_text(CAMPAIGN)
        self.commit(self.checkout, "A campaign")

    def commit(self, folder, message):
        run(*GIT, "add", "--all", cwd=folder)
        run(*GIT, "commit", "--quiet", "--message", message, cwd=folder)

    def change(self, name, text):
        (self.checkout / "campaigns" / name).write_text(text)
        self.commit(self.checkout, f"Change {name}")

    def start_emulator(self):
        """Sends of this test go to an emulator of its own."""
        process = subprocess.Popen([HERALD, "emulator"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        def end():
            process.send_signal(signal.SIGTERM)
            process.wait()
            process.stdout.close()

        self.addCleanup(end)
        name, address = process.stdout.readline().strip().split("=")
        self.assertEqual(name, "FCM_EMULATOR_HOST")
        self.emulator = address
        return {"FCM_EMULATOR_HOST": address, "HERALD_STATE": str(self.folder / "state.sqlite")}

    def accepted(self):
        """How many sends the emulator accepted."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://{self.emulator}/emulator/v1/ledger") as answer:
            return sum(1 for line in answer.read().splitlines() if json.loads(line))
