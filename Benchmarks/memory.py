"""Measures what many recipients cost: the peak memory of an apply, and their size in the state.

Arguments: herald, the sink, and a folder to work in. BENCH_LARGE=1 adds 10 million, which takes minutes and
some gigabytes of disk.
"""

import os
import shutil
import sys
from pathlib import Path

from figures import fid, goal, measured, token
from history import add_finished
from sink import Sink
from workspace import Workspace

HERALD, SINK, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3]) / "memory"
MESSAGE = {"notification": {"title": "High tide", "body": "18:42 at Ostia"}}
MILLION = 1_000_000


def run(folder, *arguments):
    seconds, mebibytes, code = measured([HERALD, "-w", folder, "--quiet", *arguments])
    if code != 0:
        sys.exit(f"herald ended with {code}")
    return seconds, mebibytes


def planned(occurrences, count, limit):
    """Plans one more send to recipients that have had a thousand sends."""
    with Sink(SINK, WORK) as sink:
        workspace = Workspace(
            WORK / "workspace", sink, MESSAGE, rest=f"guards: {{max_recipients: {count}}}\n")
        workspace.fill("fid", fid, count)
        folder = workspace.folder
        run(folder, "apply", "--auto-approve")
        workspace.revise()
        before, _ = run(folder, "plan")
        add_finished(folder / "state.sqlite", occurrences, count)
        seconds, mebibytes = run(folder, "plan")
        shutil.rmtree(folder)
    name = f"plan with {occurrences:,} finished occurrences over {count:,} recipients"
    print(f"{name}: {seconds:.1f} s, {before:.1f} s with one")
    goal(f"{name}: memory at the peak", mebibytes, limit, "MiB", seconds=seconds, seconds_with_one=before)


def applied(column, registration, count, limit):
    with Sink(SINK, WORK) as sink:
        workspace = Workspace(
            WORK / "workspace", sink, MESSAGE, rest=f"guards: {{max_recipients: {count}}}\n")
        length = workspace.fill(column, registration, count)
        folder = workspace.folder
        seconds, mebibytes = run(folder, "apply", "--auto-approve")
        size = sum(file.stat().st_size for file in folder.glob("state.sqlite*") if ".cache" not in file.name)
        shutil.rmtree(folder)
    name = f"{count // MILLION} million {column}s from a CSV"
    print(f"{name}: {seconds:.1f} s, {count / seconds:,.0f} recipients/s in all, a state of {size / 1e6:,.0f} MB")
    goal(f"{name}: memory at the peak", mebibytes, limit, "MiB", seconds=seconds)
    goal(f"{name}: the state beyond registrations", (size - length) / count, 16, "bytes each", bytes=size)


WORK.mkdir(parents=True)
print("\n== Memory and state")
applied("token", token, MILLION, 96)
applied("fid", fid, MILLION, 96)
planned(1000, MILLION, 60)
if os.environ.get("BENCH_LARGE") == "1":
    applied("fid", fid, 10 * MILLION, 160)
else:
    print("10 million recipients are measured with BENCH_LARGE=1")
