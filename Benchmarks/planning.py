"""Measures a plan for lists whose recipients are in the state: unchanged lists, lists with one row of a hundred
changed, and the first plan. Each is compared with sort -u of the same list in the same round.

Arguments: herald, and a folder to work in.
"""

import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from pathlib import Path

from figures import ROUNDS, apart, fid, goal, measured, shuffled
from history import CHUNK, bitmap, checksum
from postgres import Postgres, programs

HERALD, WORK = sys.argv[1], Path(sys.argv[2]) / "planning"
COUNT = int(os.environ.get("BENCH_PLANNED", "1000000"))
TOPICS = 20
# Seconds after which a change of a file shows in its times for certain.
SETTLED = 2.5
# Nothing listens there. Planning works offline and never connects.
EMULATOR = {"FCM_EMULATOR_HOST": "127.0.0.1:9"}
ENVIRONMENT = {**os.environ, **EMULATOR}


def write(round=None):
    """The list. With a round, one row of a hundred is somebody else's than in the rounds before."""
    numbers = (COUNT + n if round is not None and n % 100 == round % 100 else n for n in range(COUNT))
    with open(WORK / "all.csv", "w") as list:
        list.write("fid,spot\n")
        for n in shuffled(numbers):
            list.write(f"{fid(n)},s{n % TOPICS}\n")


def workspace():
    WORK.mkdir(parents=True)
    (WORK / "herald.yaml").write_text(
        "herald: 2\nproject: bench\nworkspace: bench\nstate: state.sqlite\n"
        "fcm: {rate: unlimited, subscription_rate: unlimited, ramp: 0s}\n")
    text = ""
    for n in range(TOPICS):
        # Each topic has all recipients except one twentieth.
        spots = ", ".join(f"s{m}" for m in range(TOPICS) if m != n)
        text += (f"kind: audience\nname: a{n}\nsource: {{file: all.csv}}\nwhere: {{spot: [{spots}]}}\n---\n"
                 f"kind: topic\nname: t{n}\nsubscribers: [a{n}]\n---\n")
    (WORK / "all.yaml").write_text(text)


def chunk(topic, number):
    """A stored set: its count, its bytes and their checksum. The state numbers recipients from 1, in the order of their
    fids, and the topics too; 1 stands for those whom herald subscribed."""
    first, last = max(1, number * CHUNK), min(COUNT, (number + 1) * CHUNK - 1)
    members, data = bitmap(first, last, lambda id: (id - 1) % TOPICS != topic)
    return members, data, checksum(topic + 1, 1, number, data)


def record():
    """Writes what an apply would leave in the state. An apply of twenty million memberships would take long."""
    subprocess.run([HERALD, "-w", WORK, "--quiet", "state", "init"], check=True, env=ENVIRONMENT)
    state = sqlite3.connect(WORK / "state.sqlite")
    state.executemany("INSERT INTO recipient (id, registration) VALUES (?, ?)", ((n + 1, fid(n)) for n in range(COUNT)))
    state.execute("INSERT INTO meta (key, value) VALUES ('numbering', randomblob(16))")
    for topic in range(TOPICS):
        state.execute("INSERT INTO topic (id, name) VALUES (?, ?)", (topic + 1, f"t{topic}"))
        state.executemany(
            "INSERT INTO membership (topic, state, chunk, members, bytes, checksum) VALUES (?, 1, ?, ?, ?, ?)",
            ((topic + 1, number, *chunk(topic, number)) for number in range(COUNT // CHUNK + 1)))
    state.commit()
    state.close()


def sort():
    begin = time.perf_counter()
    subprocess.run(["sort", "-u", "all.csv", "-o", "sorted"], cwd=WORK, check=True, env={**os.environ, "LC_ALL": "C"})
    return time.perf_counter() - begin


def plan(*options, state=None):
    environment = {**EMULATOR, **({"HERALD_STATE": state} if state else {})}
    seconds, mebibytes, code = measured([HERALD, "-w", WORK, "--quiet", "plan", *options], environment)
    if code != 0:
        sys.exit(f"herald ended with {code}")
    return seconds, mebibytes


def rounds(name, limit, prepare, *options, memory=None):
    ratios, peak, all_seconds = [], 0, []
    for number in range(ROUNDS):
        prepare(number)
        seconds, mebibytes = plan(*options)
        ratios.append(seconds / sort())
        all_seconds.append(seconds)
        peak = max(peak, mebibytes)
    goal(f"plan of {COUNT} × {TOPICS} topics, {name}", statistics.median(ratios), limit, "× sort -u",
         seconds=statistics.median(all_seconds))
    if memory:
        goal(f"plan of {COUNT} × {TOPICS} topics, {name}: memory", peak, memory, "MiB")


def changed(number):
    """Replaces the recipient in every hundredth row."""
    time.sleep(SETTLED)
    apart(write, number)


def shared():
    """The same state in PostgreSQL and in SQLite, in turn."""
    if programs() is None:
        return print("PostgreSQL is not installed (make setup): planning with it was not measured")
    with Postgres() as server:
        address = server.address(server.new_database())
        # As after the rounds before. The folder is there after an apply, and keeps what a plan knows of the lists.
        apart(write)
        (WORK / ".herald").mkdir()
        time.sleep(SETTLED)
        # The copy seals the state that it was made from.
        copied = WORK / "copied.sqlite"
        shutil.copyfile(WORK / "state.sqlite", copied)
        subprocess.run([HERALD, "-w", WORK, "--quiet", "state", "copy", "--to", address], check=True,
                       env={**ENVIRONMENT, "HERALD_STATE": str(copied)})
        for name, options in [("unchanged", []), ("unchanged, --rehash", ["--rehash"])]:
            plan(*options, state=address)
            plan(*options)
            ratios, peak = [], 0
            for _ in range(ROUNDS):
                ours, mebibytes = plan(*options, state=address)
                peak = max(peak, mebibytes)
                ratios.append(ours / plan(*options)[0])
            name = f"plan of {COUNT} × {TOPICS} topics, {name}, PostgreSQL"
            goal(name, statistics.median(ratios), 2, "× SQLite")
            if not options:
                goal(f"{name}: memory", peak, 64, "MiB")


print("\n== Planning what the state knows")
workspace()
apart(write)
rounds("no state", 1.7, lambda _: None)
apart(record)
time.sleep(SETTLED)
plan()
rounds("unchanged", 0.15, lambda _: None, memory=64)
rounds("unchanged, --rehash", 3.5, lambda _: None, "--rehash")
rounds("1 % changed", 1.5, changed, memory=64)
shared()
shutil.rmtree(WORK)
