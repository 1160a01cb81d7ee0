"""Measures sending over HTTP/2 and TLS against the sink: how fast, compared with h2load, and how
evenly if answers take 100 ms.

Arguments: herald, the sink, and a folder to work in.
"""

import json
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from figures import ROUNDS, compared, goal, keep, token
from sink import Sink
from workspace import Workspace

HERALD, SINK, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3]) / "sending-h2"
RECIPIENTS = 100_000
BODY = 400
RATE, RAMP, SECONDS, PACED_ROUNDS = 10_000, 2, 15, 3
IN_FLIGHT = 2000


def message():
    """Content that makes a request of BODY bytes, together with a token."""
    text = {"notification": {"title": "High tide", "body": "18:42 at Ostia"}, "data": {"note": ""}}
    size = len(json.dumps({"message": {"token": token(0), **text}}, separators=(",", ":")))
    text["data"]["note"] = "x" * (BODY - size)
    return text


def load(sink, body):
    """Requests per second, as h2load reports them."""
    done = subprocess.run(
        ["h2load", "-c", "4", "-m", "100", "-n", str(RECIPIENTS), "-d", body, "-H", "content-type: application/json",
         f"{sink.origin}/v1/projects/bench/messages:send"], check=True, capture_output=True, text=True).stdout
    if f"{RECIPIENTS} succeeded, 0 failed" not in done:
        sys.exit(f"not every request of h2load's succeeded:\n{done}")
    return float(re.search(r"([\d.]+) req/s", done)[1])


def saturating():
    """As fast as possible, with a durable state as always.

    Before it sends, a command reads the list, plans, and adds new recipients to the state. h2load does nothing like
    that, so only the step has a goal.
    """
    body = WORK / "body.json"
    body.write_text(json.dumps({"message": {"token": token(0), **message()}}, separators=(",", ":")))
    theirs, ours = [], {"the send step": [], "the whole command": [], "the same with a new state": []}
    with Sink(SINK, WORK) as sink:
        workspace = Workspace(
            WORK / "saturating", sink, message(), f"  rate: unlimited\n  ramp: 0s\n  max_in_flight: {IN_FLIGHT}\n")
        workspace.fill("token", token, RECIPIENTS)
        # The sink's first round is slower than the others.
        load(sink, body)
        for _ in range(ROUNDS):
            theirs.append(load(sink, body))
            for seconds, name in zip(workspace.apply(HERALD), ["the same with a new state", "the send step"]):
                ours[name].append(RECIPIENTS / seconds)
            ours["the whole command"].append(RECIPIENTS / workspace.apply(HERALD, known=True)[0])
    print(f"medians of {ROUNDS} rounds; h2load -c 4 -m 100: {statistics.median(theirs):,.0f} requests/s")
    for name, rates in ours.items():
        ratios = [a / b for a, b in zip(rates, theirs)]
        ratio = statistics.median(ratios)
        print(f"{name}: {statistics.median(rates):,.0f} recipients/s")
        figures = {**compared(ratios, "higher"),
                   "recipients_per_second": statistics.median(rates), "h2load_per_second": statistics.median(theirs),
                   "rounds": [{"herald": a, "h2load": b} for a, b in zip(rates, theirs)]}
        title = f"{RECIPIENTS} recipients, {name}, against h2load"
        if name == "the send step":
            goal(title, ratio, 0.6, "of its rate", least=True, **figures)
        else:
            print(f"{title:60} {ratio:12,.2f} of its rate")
            keep(title, value=ratio, unit="of its rate", **figures)


def pacing():
    """At a limited rate, with answers that take 100 ms. What counts is when requests arrive."""
    runs = []
    for number in range(PACED_ROUNDS):
        sink = Sink(SINK, WORK, "--latency", "100ms", "--after", f"{RAMP + 1}s")
        with sink:
            workspace = Workspace(
                WORK / f"pacing-{number}", sink, message(),
                f"  rate: {RATE}/s\n  ramp: {RAMP}s\n  max_in_flight: {IN_FLIGHT}\n")
            # During the ramp it sends half of what it could.
            workspace.fill("token", token, RATE * (SECONDS - RAMP // 2))
            workspace.apply(HERALD)
        runs.append(sink.figures)
    name = f"{RATE}/s, answers after 100 ms"
    keep(f"{name}: arrivals", runs=runs)
    sustained = statistics.median(run["rate_after"] for run in runs)
    most = max(run["most_in_a_second"] for run in runs)
    goal(f"{name}: requests/s after the ramp, median", sustained, RATE * 0.98, "requests/s", least=True)
    goal(f"{name}: most in any sliding second", most, RATE * 1.02, "requests")
    for run in runs:
        print(f"{run['rate_after']:,.0f}/s, at most {run['most_in_a_second']:,} in a second, "
              f"{run['connections']} connections, at most {run['most_in_flight']} requests in flight")


WORK.mkdir(parents=True)
print("\n== Sending over HTTP/2 and TLS to a sink that shares the machine")
if shutil.which("h2load"):
    saturating()
else:
    print("h2load is not installed: what can be reached here is not known, and was not measured")
pacing()
