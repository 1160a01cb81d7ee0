"""Compares two builds of herald: the same work in turns, on one machine in one sitting.

Arguments: the herald from before, the one from after, the sink, and a folder to work in.

A time is worse if its median ratio after/before is above LIMIT and the quartiles of the two builds do not overlap. Such
times are printed, and the exit code is then 1. Memory is only shown: memory.py has goals for it. BENCH_ROUNDS sets the
rounds (default 9).
"""

import json
import os
import shutil
import statistics
import sys
from pathlib import Path

os.environ.setdefault("BENCH_ROUNDS", "9")

from figures import ROUNDS, fid, measured, token
from sink import Sink
from workspace import Workspace

BEFORE, AFTER, SINK, WORK = sys.argv[1], sys.argv[2], sys.argv[3], Path(sys.argv[4]) / "compare"
LIMIT = 1.05
RECIPIENTS = 100_000
MILLION = 1_000_000
MESSAGE = {"notification": {"title": "High tide", "body": "18:42 at Ostia"}, "data": {"note": "x" * 150}}


def quartiles(values):
    return statistics.quantiles(values, n=4, method="inclusive")


def compare(name, unit, turn):
    """Runs `turn(program)` for each build in turn. It returns one number; lower is better."""
    before, after = [], []
    for number in range(ROUNDS + 1):
        pair = [(BEFORE, before), (AFTER, after)]
        # The builds take turns at going first. The first round warms up and does not count.
        for program, values in pair if number % 2 else reversed(pair):
            value = turn(program)
            if number:
                values.append(value)
    ratio = statistics.median(a / b for a, b in zip(after, before))
    (low, middle, high), (low_after, middle_after, high_after) = quartiles(before), quartiles(after)
    is_worse = unit == "s" and ratio > LIMIT and low_after > high
    print(f"{name:44} before {middle:9.3f} ({low:.3f} to {high:.3f})  after {middle_after:9.3f} "
          f"({low_after:.3f} to {high_after:.3f}) {unit:5} ratio {ratio:.3f}{'  WORSE' if is_worse else ''}", flush=True)
    return name if is_worse else None


def sending():
    with Sink(SINK, WORK) as sink:
        folders = {}
        for program in (BEFORE, AFTER):
            folder = WORK / f"sending-{len(folders)}"
            folders[program] = Workspace(
                folder, sink, MESSAGE, "  rate: unlimited\n  ramp: 0s\n  max_in_flight: 2000\n")
            folders[program].fill("token", token, RECIPIENTS)
        yield compare(f"apply to {RECIPIENTS}, a new state", "s", lambda program: folders[program].apply(program)[0])
        yield compare(f"apply to {RECIPIENTS}, a state that knows them", "s",
                      lambda program: folders[program].apply(program, known=True)[0])
        yield compare(f"the send step to {RECIPIENTS}", "s", lambda program: folders[program].apply(program)[1])


def command(name, unit, value, *arguments, folder):
    def turn(program):
        seconds, mebibytes, code = measured([program, "-w", folder, "--quiet", *arguments])
        if code != 0:
            sys.exit(f"{program} {' '.join(arguments)} ended with {code}")
        return seconds if value == "seconds" else mebibytes

    return compare(name, unit, turn)


def reading():
    folder = WORK / "files"
    folder.mkdir(parents=True)
    (folder / "herald.yaml").write_text("herald: 1\nproject: bench\n")
    (folder / "topic.yaml").write_text(f"kind: audience\nname: all\nfids: [{fid(1)}]\n---\n"
                                       "kind: topic\nname: tides\nsubscribers: [all]\n")
    for n in range(1000):
        (folder / f"campaign-{n}.yaml").write_text(
            f"kind: campaign\nname: campaign-{n}\ndescription: {'tide ' * 160}\ntarget: {{topic: tides}}\n"
            f"message: {json.dumps(MESSAGE)}\n")
    yield command("validate 1000 campaigns", "s", "seconds", "validate", folder=folder)
    lists = WORK / "lists"
    lists.mkdir()
    (lists / "herald.yaml").write_text("herald: 1\nproject: bench\n")
    with open(lists / "all.csv", "w") as file:
        file.write("token\n")
        for n in range(MILLION):
            file.write(f"{token(n * 7919 % MILLION)}\n")
    (lists / "all.yaml").write_text("kind: audience\nname: all\nsource: {file: all.csv}\n---\n"
                                    "kind: topic\nname: tides\nsubscribers: [all]\n")
    yield command("first plan of 1,000,000 tokens", "s", "seconds", "plan", folder=lists)
    yield command("first plan of 1,000,000 tokens, memory", "MiB", "memory", "plan", folder=lists)
    shutil.rmtree(lists)


WORK.mkdir(parents=True)
print(f"== {BEFORE} and {AFTER}, {ROUNDS} rounds in turn")
worse = [name for figures in (sending(), reading()) for name in figures if name]
if worse:
    sys.exit("worse than before: " + "; ".join(worse))
