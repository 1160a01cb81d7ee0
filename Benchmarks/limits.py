"""Measures send windows by each person's clock and frequency caps, beside the same message without them: how fast it is
sent, and how long plans take.

Arguments: herald, the sink, and a folder to work in.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

from figures import ROUNDS, apart, fid, goal, measured, shuffled, token
from sink import Sink
from workspace import Workspace

HERALD, SINK, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3]) / "limits"
RECIPIENTS = int(os.environ.get("BENCH_RECIPIENTS", "100000"))
PLANNED = int(os.environ.get("BENCH_PLANNED", "1000000"))
FCM = "  rate: unlimited\n  ramp: 0s\n  max_in_flight: 2000\n"
MESSAGE = {"notification": {"title": "High tide", "body": "At 18:40"}}
# Forty zones. In a window of all but the last minute of the day everybody may be sent to, most of the time.
ZONES = ["Pacific/Honolulu", "America/Los_Angeles", "America/New_York", "America/Sao_Paulo", "Europe/London", "Europe/Rome",
         "Africa/Cairo", "Asia/Dubai", "Asia/Kolkata", "Asia/Shanghai", "Asia/Tokyo", "Australia/Sydney",
         *(f"+{n:02}:00" for n in range(14)), *(f"-{n:02}:00" for n in range(1, 12)), "+05:30", "+09:30", "Z"]
CAPS = """frequency_caps:
  - {name: promo, max: 3, per: 7d, tags: [promo]}
  - {name: all, max: 9, per: 1d}
"""
WINDOW = """tags: [promo]
delivery:
  expires_after: 20h
  window: {from: "00:00", to: "23:59", timezone: {field: zone, default: Europe/Rome}}
"""


def fill(path, column, registration, count):
    """In no order, as lists are."""
    with open(path, "w") as file:
        file.write(f"{column},zone\n")
        for n in shuffled(range(count)):
            file.write(f"{registration(n)},{ZONES[n * 7919 % len(ZONES)]}\n")


def workspaces(sink, column, registration, count):
    """One without limits and one with them, and the same list."""
    rest = f"guards: {{max_recipients: {count}}}\n"
    plain = Workspace(WORK / "plain", sink, MESSAGE, FCM, rest)
    limited = Workspace(
        WORK / "limited", sink, MESSAGE, FCM, rest + CAPS, audience="fields: {zone: {type: timezone}}\n", campaign=WINDOW,
        version=2)
    for place in (plain, limited):
        apart(fill, place.list, column, registration, count)
    return plain, limited


def remove():
    shutil.rmtree(WORK / "plain")
    shutil.rmtree(WORK / "limited")


def avoid_closing():
    """Just before and in the last minute of an hour or half hour, the window is closed for many."""
    while datetime.now(timezone.utc).minute % 30 in (28, 29):
        time.sleep(5)


def sending(sink):
    plain, limited = workspaces(sink, "token", token, RECIPIENTS)
    # The sink's first round is slower than the others.
    plain.apply(HERALD)
    ours, theirs = [], []
    for number in range(ROUNDS):
        avoid_closing()
        pair = [(plain, theirs), (limited, ours)]
        for place, seconds in pair if number % 2 else reversed(pair):
            seconds.append(place.apply(HERALD)[1])
    ratios = [b / a for a, b in zip(ours, theirs)]
    goal(f"{RECIPIENTS} by 40 zones' windows and two caps, the send step", statistics.median(ratios), 0.85,
         "of the plain rate", least=True, recipients_per_second=RECIPIENTS / statistics.median(ours))
    remove()


def plan(place):
    seconds, mebibytes, code = measured([HERALD, "-w", place.folder, "--quiet", "plan"])
    if code != 0:
        sys.exit(f"herald plan ended with {code}")
    return seconds, mebibytes


def compared(name, plain, limited, limit, memory):
    ours, theirs, peak, base = [], [], 0, 0
    for number in range(ROUNDS):
        pair = [(plain, theirs), (limited, ours)]
        for place, figures in pair if number % 2 else reversed(pair):
            seconds, mebibytes = plan(place)
            figures.append(seconds)
            peak, base = (max(peak, mebibytes), base) if place is limited else (peak, max(base, mebibytes))
    ratios = [a / b for a, b in zip(ours, theirs)]
    goal(name, statistics.median(ratios), limit, "× plain", seconds=statistics.median(ours))
    goal(f"{name}: memory at the peak", peak, memory, "MiB", plain=base)


def planning(sink):
    plain, limited = workspaces(sink, "fid", fid, PLANNED)
    avoid_closing()
    compared(f"the first plan of {PLANNED} with zones and caps", plain, limited, 1.3, 96)
    for place in (plain, limited):
        subprocess.run([HERALD, "-w", place.folder, "--quiet", "apply", "--auto-approve"], check=True)
        place.revise()
    compared(f"a plan of {PLANNED} unchanged rows with zones and caps", plain, limited, 1.5, 64)
    remove()


WORK.mkdir(parents=True)
print("\n== Send windows by each person's clock and frequency caps, beside the same message without them")
with Sink(SINK, WORK) as sink:
    sending(sink)
    planning(sink)
shutil.rmtree(WORK)
