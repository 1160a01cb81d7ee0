"""Measures the release build of herald: loading against PyYAML, sending and the emulator against h2load. The
figures are medians of interleaved runs.

Arguments: herald, the program built from events.c, and a folder to work in.
"""

import json
import os
import shutil
import ssl
import statistics
import subprocess
import sys
import urllib.request
from pathlib import Path

import yaml

from figures import ROUNDS, fid, row, timed, token

HERALD, EVENTS, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3])
CAMPAIGNS = 1000
INLINE = 200_000
RECIPIENTS = 20_000
DEVICES = 100_000
SENDS = 50_000

CAMPAIGN = """kind: campaign
name: campaign-{n}
description: {text}
target: {{topic: tides}}
message:
  notification: {{title: High tide, body: "18:42 at Ostia"}}
  data: {{spot: ostia, note: "{text}"}}
  android: {{ttl: 3600s, notification: {{channel_id: tides}}}}
  apns: {{headers: {{apns-push-type: alert, apns-priority: "10"}}, payload: {{aps: {{sound: default}}}}}}
"""


def settings(folder):
    folder.mkdir(parents=True)
    (folder / "herald.yaml").write_text(
        "herald: 1\nproject: bench\nfcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s}\n")


def run(*arguments, environment=None):
    return subprocess.run(
        [HERALD, *arguments], check=True, capture_output=True, env={**os.environ, **(environment or {})})


def loading():
    folder = WORK / "loading"
    settings(folder)
    (folder / "topics.yaml").write_text(f"kind: audience\nname: all\nfids: [{fid(1)}]\n---\n"
                                        "kind: topic\nname: tides\nsubscribers: [all]\n")
    files = []
    for n in range(CAMPAIGNS):
        text = CAMPAIGN.format(n=n, text="tide " * 160)
        files.append(folder / f"campaign-{n}.yaml")
        files[-1].write_text(text)

    def parse():
        for file in files:
            yaml.load(file.read_text(), Loader=yaml.CSafeLoader)

    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(timed(lambda: run("-w", str(folder), "--quiet", "validate")))
        theirs.append(timed(parse))
    row(f"validate {CAMPAIGNS} files of 2 KiB", ours, theirs, "PyYAML's C loader, parse only")


def inline(kind, registration):
    folder = WORK / kind
    settings(folder)
    file = folder / "all.yaml"
    file.write_text(
        f"kind: audience\nname: all\n{kind}:\n" + "".join(f"  - {registration(n)}\n" for n in range(INLINE)))
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(timed(lambda: run("-w", str(folder), "--quiet", "validate")))
        theirs.append(timed(lambda: subprocess.run([EVENTS, file], check=True, capture_output=True)))
    row(f"validate {INLINE} {kind} in one file", ours, theirs, "libyaml's events alone")


def sending():
    folder = WORK / "sending"
    settings(folder)
    (folder / "all.txt").write_text("".join(f"{fid(n)}\n" for n in range(RECIPIENTS)))
    (folder / "all.yaml").write_text(
        "kind: audience\nname: all\nsource: {file: all.txt}\n---\n"
        + CAMPAIGN.format(n=1, text="x").replace("{topic: tides}", "{audience: all}"))
    emulator = subprocess.Popen([HERALD, "emulator"], stdout=subprocess.PIPE, text=True)
    try:
        host = emulator.stdout.readline().strip().split("=")[1]
        body = WORK / "body.json"
        body.write_text(json.dumps({"message": {"notification": {"title": "High tide"}, "fid": fid(0)}}))
        ours, theirs = [], []
        for number in range(ROUNDS):
            state = WORK / f"state-{number}.sqlite"
            environment = {"FCM_EMULATOR_HOST": host, "HERALD_STATE": str(state)}
            ours.append(timed(lambda: run(
                "-w", str(folder), "--quiet", "apply", "--auto-approve", "--report", str(WORK / "report.json"),
                environment=environment)))
            theirs.append(timed(lambda: subprocess.run(
                ["h2load", "--h1", "-n", str(RECIPIENTS), "-c", "32", "-d", str(body),
                 "-H", "content-type: application/json", f"http://{host}/v1/projects/bench/messages:send"],
                check=True, capture_output=True)))
    finally:
        emulator.terminate()
        emulator.wait()
    row(f"apply to {RECIPIENTS} recipients, durable ledger", ours, theirs, "h2load --h1, 32 connections")
    print(f"{'':44} {RECIPIENTS / statistics.median(ours):8.0f} recipients/s, the emulator on the same cores")


class Emulator:
    """A running emulator. What was started with it ends with it."""

    def __init__(self, *options):
        self.process = subprocess.Popen([HERALD, "emulator", *options], stdout=subprocess.PIPE, text=True)
        host = self.process.stdout.readline().strip().split("=")[1]
        self.origin, self.trust = f"http://{host}", None
        if "://" in host:
            self.origin = host
            self.trust = ssl.create_default_context(cafile=self.process.stdout.readline().strip().split("=")[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def call(self, method, path, body):
        request = urllib.request.Request(f"{self.origin}/emulator/v1/{path}", body, method=method)
        urllib.request.urlopen(request, context=self.trust).read()

    def load(self, path, *options):
        """Seconds for SENDS requests. All must succeed."""
        done = {}

        def measure():
            done["output"] = subprocess.run(
                ["h2load", "-n", str(SENDS), *options, f"{self.origin}{path}"],
                check=True, capture_output=True, text=True).stdout

        seconds = timed(measure)
        if f"{SENDS} succeeded, 0 failed" not in done["output"]:
            sys.exit(f"not every request succeeded:\n{done['output']}")
        return seconds


def emulating():
    """The rate of sends with 100,000 devices, compared with that of an empty reply from the same server."""
    body = WORK / "send.json"
    body.write_text(json.dumps({"message": {"notification": {"title": "High tide", "body": "18:42"}, "fid": fid(7)}}))
    devices = json.dumps([{"registration": fid(n), "topics": ["tides"]} for n in range(DEVICES)]).encode()
    post = ["-d", str(body), "-H", "content-type: application/json"]
    for name, options, connections in [
        ("HTTP/1.1", [], ["--h1", "-c", "32"]), ("HTTP/2 and TLS", ["--tls"], ["-c", "4", "-m", "25"]),
        ("HTTP/1.1, --data and --ledger", ["--data", str(WORK / "data"), "--ledger", str(WORK / "ledger")],
         ["--h1", "-c", "32"]),
    ]:
        ours, theirs = [], []
        with Emulator(*options) as emulator, Emulator(*[o for o in options if o == "--tls"]) as idle:
            emulator.call("PUT", "registrations", devices)
            for _ in range(ROUNDS):
                # Nothing was sent to it, so its ledger and the reply are empty.
                theirs.append(idle.load("/emulator/v1/ledger", *connections))
                ours.append(emulator.load("/v1/projects/bench/messages:send", *connections, *post))
        row(f"emulator, {SENDS} sends, {name}", ours, theirs, "an empty reply of it")
        print(f"{'':44} {SENDS / statistics.median(ours):8.0f} sends/s")


print("\n== herald, medians of", ROUNDS, "rounds")
loading()
inline("tokens", token)
inline("fids", fid)
if shutil.which("h2load"):
    sending()
    emulating()
else:
    print("h2load is not installed: sending was not measured")
