"""Measures sending over HTTP/2 and TLS against the sink: how fast, beside h2load, and how evenly when 100 ms away.

Arguments: herald, the sink, and a folder to work in.
"""

import json
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from figures import ROUNDS, goal, keep, token
from sink import Sink
from workspace import Workspace

HERALD, SINK, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3]) / "sending-h2"
RECIPIENTS = 100_000
BODY = 400
RATE, RAMP, SECONDS = 10_000, 2, 15
IN_FLIGHT = 2000


def message():
    """What makes a request of BODY bytes with a token."""
    text = {"notification": {"title": "High tide", "body": "18:42 at Ostia"}, "data": {"note": ""}}
    size = len(json.dumps({"message": {"token": token(0), **text}}, separators=(",", ":")))
    text["data"]["note"] = "x" * (BODY - size)
    return text


def load(sink, body):
    """Requests a second, by h2load's own account."""
    done = subprocess.run(
        ["h2load", "-c", "4", "-m", "100", "-n", str(RECIPIENTS), "-d", body, "-H", "content-type: application/json",
         f"{sink.origin}/v1/projects/bench/messages:send"], check=True, capture_output=True, text=True).stdout
    if f"{RECIPIENTS} succeeded, 0 failed" not in done:
        sys.exit(f"not every request of h2load's succeeded:\n{done}")
    return float(re.search(r"([\d.]+) req/s", done)[1])


def saturating():
    """As fast as it goes, the record durable as always."""
    body = WORK / "body.json"
    body.write_text(json.dumps({"message": {"token": token(0), **message()}}, separators=(",", ":")))
    whole, step, theirs = [], [], []
    with Sink(SINK, WORK) as sink:
        workspace = Workspace(
            WORK / "saturating", sink, message(), f"  rate: unlimited\n  ramp: 0s\n  max_in_flight: {IN_FLIGHT}\n")
        workspace.fill("token", token, RECIPIENTS)
        for _ in range(ROUNDS):
            theirs.append(load(sink, body))
            of_command, of_step = workspace.apply(HERALD)
            whole.append(RECIPIENTS / of_command)
            step.append(RECIPIENTS / of_step)
    for name, ours in [("the send step", step), ("the whole apply", whole)]:
        ratio = statistics.median(a / b for a, b in zip(ours, theirs))
        print(f"{name}: {statistics.median(ours):,.0f} recipients/s, h2load -c 4 -m 100: "
              f"{statistics.median(theirs):,.0f} requests/s")
        goal(f"{RECIPIENTS} recipients, {name}, against h2load", ratio, 0.6, "of its rate", least=True,
             recipients_per_second=statistics.median(ours), h2load_per_second=statistics.median(theirs),
             rounds=[{"herald": a, "h2load": b} for a, b in zip(ours, theirs)])


def pacing():
    """At a rate, with answers that take 100 ms; what counts is when requests arrive."""
    sink = Sink(SINK, WORK, "--latency", "100ms", "--after", f"{RAMP + 1}s")
    with sink:
        workspace = Workspace(
            WORK / "pacing", sink, message(),
            f"  rate: {RATE}/s\n  ramp: {RAMP}s\n  max_in_flight: {IN_FLIGHT}\n")
        # While it ramps up it sends half of what it could.
        workspace.fill("token", token, RATE * (SECONDS - RAMP // 2))
        workspace.apply(HERALD)
    figures = sink.figures
    name = f"{RATE}/s, answers after 100 ms"
    keep(f"{name}: arrivals", **figures)
    goal(f"{name}: requests/s after the ramp", figures["rate_after"], RATE * 0.98, "requests/s", least=True)
    goal(f"{name}: most in a sliding second", figures["most_in_a_second"], RATE * 1.02, "requests")
    print(f"{figures['connections']} connections, at most {figures['most_in_flight']} requests in flight")


WORK.mkdir(parents=True)
print("\n== Sending over HTTP/2 and TLS to a sink that shares the machine, medians of", ROUNDS, "rounds")
if shutil.which("h2load"):
    saturating()
else:
    print("h2load is not installed: what can be reached here is not known, and was not measured")
pacing()
