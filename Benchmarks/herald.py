"""Measures the release build of herald: loading against PyYAML, sending against h2load. Medians of interleaved runs.

Arguments: the program, the program made of events.c, and a folder to work in.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import yaml

HERALD, EVENTS, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3])
ROUNDS = 5
CAMPAIGNS = 1000
INLINE = 200_000
RECIPIENTS = 20_000

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


def fid(n):
    return f"cBENCH{n:016d}"


def token(n):
    """As long as FCM's are today."""
    return f"{fid(n)}:APA91b" + f"{n * 2654435761 % (1 << 64):016x}" * 8 + "_-A0b1"


def settings(folder):
    folder.mkdir(parents=True)
    (folder / "herald.yaml").write_text(
        "herald: 1\nproject: bench\nfcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s}\n")


def timed(action):
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def row(name, ours, theirs, other):
    ratio = statistics.median(a / b for a, b in zip(ours, theirs))
    print(f"{name:44} {statistics.median(ours):8.3f} s   {other:28} {statistics.median(theirs):8.3f} s   ratio {ratio:.2f}")


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


print("\n== herald, medians of", ROUNDS, "rounds")
loading()
inline("tokens", token)
inline("fids", fid)
if shutil.which("h2load"):
    sending()
else:
    print("h2load is not installed: sending was not measured")
