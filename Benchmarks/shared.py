"""Measures a state in PostgreSQL beside one in SQLite, and what processes send together.

Arguments: herald, the sink, and a folder to work in. BENCH_LARGE=1 adds 10 million recipients.
"""

import os
import shutil
import signal
import statistics
import subprocess
import sys
from pathlib import Path

import texts
from figures import ROUNDS, apart, compared, fid, goal, measured, token
from postgres import Postgres, Slowly, programs
from sink import Sink
from workspace import Workspace

HERALD, SINK, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3]) / "shared"
MESSAGE = {"notification": {"title": "High tide", "body": "18:42 at Ostia"}}
RECIPIENTS = int(os.environ.get("BENCH_RECIPIENTS", "100000"))
IN_FLIGHT, LATENCY, WORKERS = 250, "100ms", 3
MILLION = 1_000_000


def workspace(name, sink, column, registration, count, in_flight=2000, rest="", personal=False):
    """With `personal` each row has values, and each recipient gets a message of its own."""
    place = Workspace(
        WORK / name, sink, texts.MESSAGE if personal else MESSAGE,
        f"  rate: unlimited\n  ramp: 0s\n  max_in_flight: {in_flight}\n", rest, shared=True,
        audience=texts.FIELDS if personal else "",
        campaign=texts.campaign({"a": 50, "b": 50}) if personal else "")
    if personal:
        apart(texts.fill, place.list, column, registration, count)
    else:
        place.fill(column, registration, count)
    return place


def applied(sink, server):
    """An apply to recipients that the state does not know, in SQLite, in PostgreSQL, and with 1 ms more for each round
    trip, in turn. What counts is the whole command."""
    place = workspace("applied", sink, "token", token, RECIPIENTS)
    seconds = {"SQLite": [], "PostgreSQL": [], "PostgreSQL, 1 ms away": []}
    with Slowly(server, 0.0005) as slowly:
        for _ in range(ROUNDS):
            place.state = None
            seconds["SQLite"].append(place.apply(HERALD)[0])
            for name, folder in [("PostgreSQL", None), ("PostgreSQL, 1 ms away", slowly.folder)]:
                database = server.new_database()
                place.state = server.address(database, folder)
                place.initialize(HERALD)
                seconds[name].append(place.apply(HERALD)[0])
    for name, limit in [("PostgreSQL", 0.6), ("PostgreSQL, 1 ms away", 0.5)]:
        ratios = [a / b for a, b in zip(seconds["SQLite"], seconds[name])]
        print(f"apply with a state in {name}: {RECIPIENTS / statistics.median(seconds[name]):,.0f} recipients/s, "
              f"in SQLite {RECIPIENTS / statistics.median(seconds['SQLite']):,.0f}")
        goal(f"apply to {RECIPIENTS}, {name}", statistics.median(ratios), limit, "of SQLite's rate", least=True,
             **compared(ratios, "higher"))


class Workers:
    """Processes that help. After the block, `peaks` has the memory of each in MiB."""

    def __init__(self, count, place, sink):
        environment = {**os.environ, "HERALD_STATE": place.state, "FCM_EMULATOR_HOST": sink.origin,
                       "FCM_EMULATOR_CA": str(sink.certificate)}
        self._all = [
            subprocess.Popen([HERALD, "work", "--project", "bench", "--max-in-flight", str(IN_FLIGHT)],
                             stderr=subprocess.PIPE, text=True, env=environment) for _ in range(count)]
        self.peaks = []

    def __enter__(self):
        for worker in self._all:
            if "waiting for a run" not in worker.stderr.readline():
                sys.exit("a worker does not wait for a run")
        return self

    def __exit__(self, *_):
        for worker in self._all:
            worker.send_signal(signal.SIGTERM)
            # What it said is short.
            worker.stderr.read()
            _, status, usage = os.wait4(worker.pid, 0)
            worker.returncode = os.waitstatus_to_exitcode(status)
            self.peaks.append(usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10))


def together(server, personal):
    """How fast a run sends alone, and with others that help it. So many requests in flight are what binds: their answers
    take their time."""
    name = "personal messages, " if personal else ""
    ratios, rates = [], {0: [], WORKERS: []}
    count = RECIPIENTS
    with Sink(SINK, WORK, "--latency", LATENCY, "--threads", "2") as sink:
        for number in range(ROUNDS):
            place = workspace(f"together-{number}", sink, "token", token, count, IN_FLIGHT, personal=personal)
            place.state = server.address(server.new_database())
            place.initialize(HERALD)
            rates[0].append(count / place.apply(HERALD)[1])
            with Workers(WORKERS, place, sink):
                rates[WORKERS].append(count / place.apply(HERALD, known=True)[1])
            ratios.append(rates[WORKERS][-1] / rates[0][-1])
            shutil.rmtree(place.folder)
    print(f"{name}a run alone: {statistics.median(rates[0]):,.0f} recipients/s, "
          f"with {WORKERS} workers {statistics.median(rates[WORKERS]):,.0f}")
    goal(f"{name}a run and {WORKERS} workers, {IN_FLIGHT} in flight each, answers after {LATENCY}",
         statistics.median(ratios), 3 if personal else 3.5, "× the run alone", least=True, **compared(ratios, "higher"))


def large(server, count, personal):
    """The memory of each process."""
    with Sink(SINK, WORK) as sink:
        place = workspace("large", sink, "fid", fid, count, rest=f"guards: {{max_recipients: {count}}}\n",
                          personal=personal)
        place.state = server.address(server.new_database())
        place.initialize(HERALD)
        with Workers(1, place, sink) as workers:
            seconds, mebibytes, code = measured(
                [HERALD, "-w", place.folder, "--quiet", "apply", "--auto-approve"], place.environment)
            if code != 0:
                sys.exit(f"herald ended with {code}")
        shutil.rmtree(place.folder)
    kind = "personal messages" if personal else "fids"
    name = f"{count // MILLION} million {kind}, a state in PostgreSQL, one worker"
    print(f"{name}: {seconds:.1f} s, {count / seconds:,.0f} recipients/s in all")
    goal(f"{name}: memory of the run at the peak", mebibytes, 160, "MiB", seconds=seconds)
    goal(f"{name}: memory of the worker at the peak", workers.peaks[0], 160, "MiB")


print("\n== A state in PostgreSQL, and processes that send together")
if programs() is None:
    print("PostgreSQL is not installed (make setup): not measured")
    sys.exit()
WORK.mkdir(parents=True)
with Postgres() as server:
    with Sink(SINK, WORK) as sink:
        applied(sink, server)
    for personal in (False, True):
        together(server, personal)
    large(server, 10 * MILLION if os.environ.get("BENCH_LARGE") == "1" else MILLION, personal=False)
    large(server, MILLION, personal=True)
