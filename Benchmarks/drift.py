"""Measures `herald drift` over HTTP/2 and TLS against the sink, whose answers take 100 ms: whether it asks as fast as it
may, and how much memory a million registrations take.

Arguments: herald, the sink, and a folder to work in.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from figures import apart, fid, goal, measured
from sink import Sink

HERALD, SINK, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3]) / "drift"
REGISTRATIONS = int(os.environ.get("BENCH_PLANNED", "1000000"))
RATE, IN_FLIGHT = 10_000, 2000

SETTINGS = """herald: 1
project: bench
state: state.sqlite
fcm:
  endpoint: {origin}
  ca: ca.pem
  rate: unlimited
  subscription_rate: {rate}
  ramp: 0s
  settle: 0s
  max_in_flight: {in_flight}
"""


def fill(path):
    with open(path, "w") as file:
        file.write("fid\n")
        file.writelines(f"{fid(n)}\n" for n in range(REGISTRATIONS))


def settings(folder, sink, rate):
    (folder / "herald.yaml").write_text(SETTINGS.format(origin=sink.origin, rate=rate, in_flight=IN_FLIGHT))


def subscribed(folder):
    """A state in which everybody follows the topic that the sink tells of everybody."""
    with Sink(SINK, WORK) as sink:
        (folder / "ca.pem").write_bytes(sink.certificate.read_bytes())
        settings(folder, sink, "unlimited")
        done = subprocess.run(
            [HERALD, "-w", folder, "--quiet", "apply", "--auto-approve"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"herald apply ended with {done.returncode}:\n{done.stderr}")


def asked(folder):
    """Each document of a drift, with the rate that was reached, and its memory."""
    out = folder / "drift.json"
    with Sink(SINK, WORK, "--latency", "100ms") as sink:
        settings(folder, sink, f"{RATE}/s")
        seconds, mebibytes, code = measured(
            ["sh", "-c", f'exec "$0" -w "$1" --quiet drift --format json >"{out}"', HERALD, folder])
    document = json.loads(out.read_text())
    topic = next(topic for topic in document["topics"] if topic["topic"] == "tides")
    if code != 0 or topic["same"] != REGISTRATIONS:
        sys.exit(f"herald drift ended with {code}: {topic}")
    return seconds, mebibytes


WORK.mkdir(parents=True)
folder = WORK / "workspace"
folder.mkdir()
apart(fill, folder / "all.csv")
(folder / "all.yaml").write_text(
    "kind: audience\nname: all\nsource: {file: all.csv}\n---\nkind: topic\nname: tides\nsubscribers: [all]\n")
print(f"\n== Asking who follows a topic: {REGISTRATIONS:,} registrations")
subscribed(folder)
seconds, mebibytes = asked(folder)
goal("herald drift at 100 ms latency", REGISTRATIONS / seconds / RATE, 0.95, "of the rate that it may have", least=True,
     per_second=REGISTRATIONS / seconds)
goal(f"herald drift of {REGISTRATIONS:,} registrations: memory at the peak", mebibytes, 64, "MiB", seconds=seconds)
shutil.rmtree(WORK)
