"""Measures what many recipients cost: memory at the peak of an apply, and what the state keeps of them.

Arguments: herald, the sink, and a folder to work in. With BENCH_LARGE=1 also 10 million, which takes minutes and
some gigabytes of disk.
"""

import os
import shutil
import sys
from pathlib import Path

from figures import fid, goal, measured, token
from sink import Sink
from workspace import Workspace

HERALD, SINK, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3]) / "memory"
MESSAGE = {"notification": {"title": "High tide", "body": "18:42 at Ostia"}}
MILLION = 1_000_000


def applied(column, registration, count, limit):
    with Sink(SINK, WORK) as sink:
        workspace = Workspace(
            WORK / "workspace", sink, MESSAGE, rest=f"guards: {{max_recipients: {count}}}\n")
        length = workspace.fill(column, registration, count)
        folder = workspace.folder
        seconds, mebibytes, code = measured([HERALD, "-w", folder, "--quiet", "apply", "--auto-approve"])
        if code != 0:
            sys.exit(f"herald ended with {code}")
        size = sum(file.stat().st_size for file in folder.glob("state.sqlite*"))
        shutil.rmtree(folder)
    name = f"{count // MILLION} million {column}s from a CSV"
    print(f"{name}: {seconds:.1f} s, {count / seconds:,.0f} recipients/s in all, a state of {size / 1e6:,.0f} MB")
    goal(f"{name}: memory at the peak", mebibytes, limit, "MiB", seconds=seconds)
    goal(f"{name}: the state beyond registrations", (size - length) / count, 16, "bytes each", bytes=size)


WORK.mkdir(parents=True)
print("\n== Memory and state")
applied("token", token, MILLION, 96)
applied("fid", fid, MILLION, 96)
if os.environ.get("BENCH_LARGE") == "1":
    applied("fid", fid, 10 * MILLION, 160)
else:
    print("10 million recipients are measured with BENCH_LARGE=1")
