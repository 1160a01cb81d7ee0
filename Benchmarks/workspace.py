"""A workspace that herald can send to a sink again and again."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path


class Workspace:
    """One campaign to the audience `all`. A loopback endpoint needs no credentials."""

    def __init__(self, folder, sink, message, fcm="  rate: unlimited\n  ramp: 0s\n", rest="", shared=False, audience="",
                 campaign="", version=1):
        """With `shared` the state may be in PostgreSQL: at the address `state`, if there is one. `audience` and
        `campaign` are further lines of these two, `version` that of the format."""
        self.folder = Path(folder)
        self.folder.mkdir(parents=True)
        self.list = self.folder / "all.csv"
        self._message = json.dumps(message)
        self._audience, self._campaign = audience, campaign
        self._revision = 0
        self.state = None
        # Workers have no workspace that could name the sink.
        self._sink = {"FCM_EMULATOR_HOST": sink.origin, "FCM_EMULATOR_CA": str(sink.certificate)} if shared else {}
        self.revise()
        (self.folder / "ca.pem").write_bytes(sink.certificate.read_bytes())
        (self.folder / "herald.yaml").write_text(
            f"herald: {2 if shared else version}\nproject: bench\nstate: state.sqlite\n{rest}"
            + ("workspace: bench\n" if shared else "") +
            f"fcm:\n  endpoint: {sink.origin}\n  ca: ca.pem\n{fcm}")

    def revise(self):
        """Writes the next revision of the campaign, which is sent to all recipients anew."""
        self._revision += 1
        (self.folder / "all.yaml").write_text(
            f"kind: audience\nname: all\nsource: {{file: all.csv}}\n{self._audience}---\n"
            f"kind: campaign\nname: tide\nrevision: {self._revision}\ntarget: {{audience: all}}\n"
            f"message: {self._message}\n{self._campaign}")

    @property
    def environment(self):
        """What commands need besides the workspace."""
        return {**self._sink, **({"HERALD_STATE": self.state} if self.state else {})}

    def initialize(self, herald):
        """Makes the state, which only a person does in PostgreSQL."""
        subprocess.run([herald, "-w", self.folder, "--quiet", "state", "init"], check=True,
                       env={**os.environ, **self.environment})

    def fill(self, column, registration, count):
        """Writes the list. Returns how many bytes its registrations have."""
        length = 0
        with open(self.list, "w") as file:
            file.write(f"{column}\n")
            for n in range(count):
                line = registration(n)
                length += len(line)
                file.write(f"{line}\n")
        return length

    def apply(self, herald, known=False):
        """Seconds of the whole command and of its step. Normally to recipients that the state does not know. With
        `known`, which needs an apply before, to the same recipients with the next revision."""
        if known:
            self.revise()
        else:
            for file in self.folder.glob("state.sqlite*"):
                file.unlink()
        report = self.folder / "report.json"
        begin = time.perf_counter()
        done = subprocess.run(
            [herald, "-w", self.folder, "--quiet", "apply", "--auto-approve", "--report", report],
            capture_output=True, text=True, env={**os.environ, **self.environment})
        seconds = time.perf_counter() - begin
        if done.returncode != 0:
            sys.exit(f"herald ended with {done.returncode}:\n{done.stderr}")
        [step] = json.loads(report.read_text())["steps"]
        if step["accepted"] != step["planned"]:
            sys.exit(f"not everybody was sent to: {step['accepted']} of {step['planned']}")
        return seconds, step["duration_ms"] / 1000
