"""Measures personal messages, with two fields, five locales and two variants, beside the same message without them: how
fast they are sent, and how long the first plan of a list takes that checks every row. Also the shares of a split, and
memory.

Arguments: herald, the sink, and a folder to work in.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from figures import ROUNDS, apart, fid, goal, measured, token
from sink import Sink
from texts import FIELDS, MESSAGE, PERSONAL, PLAIN, campaign, fill
from workspace import Workspace

HERALD, SINK, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3]) / "personal"
RECIPIENTS = int(os.environ.get("BENCH_RECIPIENTS", "100000"))
PLANNED = int(os.environ.get("BENCH_PLANNED", "1000000"))
FCM = "  rate: unlimited\n  ramp: 0s\n  max_in_flight: 2000\n"


def workspaces(sink, column, registration, count):
    """One with the plain message and one with the personal ones, and the same list."""
    rest = f"guards: {{max_recipients: {count}}}\n"
    plain = Workspace(WORK / "plain", sink, PLAIN, FCM, rest)
    personal = Workspace(
        WORK / "personal", sink, MESSAGE, FCM, rest, audience=FIELDS, campaign=campaign({"a": 50, "b": 50}))
    for place in (plain, personal):
        apart(fill, place.list, column, registration, count)
    return plain, personal


def remove():
    shutil.rmtree(WORK / "plain")
    shutil.rmtree(WORK / "personal")


def sending(sink):
    plain, personal = workspaces(sink, "token", token, RECIPIENTS)
    # The sink's first round is slower than the others.
    plain.apply(HERALD)
    ours, theirs = [], []
    for number in range(ROUNDS):
        pair = [(plain, theirs), (personal, ours)]
        for place, seconds in pair if number % 2 else reversed(pair):
            seconds.append(place.apply(HERALD)[1])
    print(f"the send step: {RECIPIENTS / statistics.median(ours):,.0f} recipients/s, "
          f"{RECIPIENTS / statistics.median(theirs):,.0f} with one message for all")
    ratios = [b / a for a, b in zip(ours, theirs)]
    goal(f"{RECIPIENTS} personal messages, the send step", statistics.median(ratios), 0.7, "of the plain rate",
         least=True, recipients_per_second=RECIPIENTS / statistics.median(ours))
    remove()


def run(place, *arguments):
    seconds, mebibytes, code = measured([HERALD, "-w", place.folder, "--quiet", *arguments])
    if code != 0:
        sys.exit(f"herald {arguments[0]} ended with {code}")
    return seconds, mebibytes


def planning(sink):
    """Plans without a state. In the end one apply to all, for its memory."""
    plain, personal = workspaces(sink, "fid", fid, PLANNED)
    ours, theirs, peak = [], [], 0
    for number in range(ROUNDS):
        pair = [(plain, theirs), (personal, ours)]
        for place, figures in pair if number % 2 else reversed(pair):
            seconds, mebibytes = run(place, "plan")
            figures.append(seconds)
            peak = max(peak, mebibytes)
    ratios = [a / b for a, b in zip(ours, theirs)]
    name = f"the first plan of {PLANNED} personal messages, all rows checked"
    goal(name, statistics.median(ratios), 2, "× plain", seconds=statistics.median(ours))
    goal(f"{name}: memory at the peak", peak, 96, "MiB")
    split(personal)
    personal.revise()
    seconds, mebibytes = run(personal, "apply", "--auto-approve")
    goal(f"apply of {PLANNED} personal messages: memory at the peak", mebibytes, 96, "MiB", seconds=seconds)
    remove()


def split(place):
    """How far the groups are from their shares. The holdout is not among those who are sent to."""
    shares = {"a": 45, "b": 45, "none": 10}
    text = (place.folder / "all.yaml").read_text()
    (place.folder / "all.yaml").write_text(text.partition(PERSONAL)[0] + campaign(shares))
    plan = json.loads(subprocess.run(
        [HERALD, "-w", place.folder, "--quiet", "plan", "--format", "json"], check=True, capture_output=True).stdout)
    [personal] = plan["personal"]
    counts = {"a": personal["variants"]["a"], "b": personal["variants"]["b"], "none": personal["held_out"]}
    if sum(counts.values()) != PLANNED:
        sys.exit(f"not everybody is in a group: {counts}")
    off = max(abs(100 * counts[name] / PLANNED - share) for name, share in shares.items())
    goal(f"{PLANNED} split among 45, 45 and 10 percent: farthest from its share", off, 0.2, "points")


WORK.mkdir(parents=True)
print("\n== Personal messages beside one message for all")
with Sink(SINK, WORK) as sink:
    sending(sink)
    planning(sink)
shutil.rmtree(WORK)
