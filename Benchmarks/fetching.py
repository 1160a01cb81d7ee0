"""Measures `herald fetch` of a table in PostgreSQL beside `psql -c "COPY … TO STDOUT"` of the same rows into a file, and
the unchanged plan after the same rows were fetched again.

Arguments: herald, the sink, and a folder to work in.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from figures import ROUNDS, apart, fid, goal, measured, shuffled, timed
from postgres import Postgres, program, programs
from sink import Sink

HERALD, SINK, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3]) / "fetching"
COUNT = int(os.environ.get("BENCH_PLANNED", "1000000"))
QUERY = "SELECT fid, first_name, seen FROM member"
# Seconds after which a change of a file shows in its times for certain.
SETTLED = 2.5


def fill(server, name):
    """A table of members in no order, and a role that may read it."""
    rows = "".join(
        f"{fid(n)}\tMarta {n % 1000}\t2026-11-{1 + n % 28:02} 08:{n % 60:02}:00+00\n" for n in shuffled(range(COUNT)))
    table = "CREATE TABLE member (fid text PRIMARY KEY, first_name text, seen timestamptz)"
    psql = [program("psql"), "-q", "-h", server.folder, "-U", "herald", "-d", name]
    subprocess.run([*psql, "-c", table], check=True)
    subprocess.run([*psql, "-c", "COPY member FROM STDIN"], input=rows, text=True, check=True)
    subprocess.run([*psql, "-c", "CREATE ROLE reader LOGIN; GRANT SELECT ON member TO reader"], check=True)
    subprocess.run([*psql, "-c", "VACUUM ANALYZE member"], check=True)


def workspace(sink):
    (WORK / "ca.pem").write_bytes(sink.certificate.read_bytes())
    (WORK / "herald.yaml").write_text(
        "herald: 2\nproject: bench\nstate: state.sqlite\n"
        f"guards: {{max_recipients: {COUNT}}}\n"
        f"fcm: {{endpoint: {sink.origin}, ca: ca.pem, rate: unlimited, ramp: 0s}}\n")
    (WORK / "all.yaml").write_text(
        f'kind: audience\nname: all\nsource:\n  postgres: "${{APP}}"\n  query: {QUERY}\n'
        "fields: {first_name: {}}\n---\n"
        "kind: campaign\nname: tide\ntarget: {audience: all}\nmessage: {notification: {title: High tide}}\n")


def herald(environment, *arguments):
    seconds, mebibytes, code = measured([HERALD, "-w", WORK, "--quiet", *arguments], environment)
    if code != 0:
        sys.exit(f"herald {arguments[0]} ended with {code}")
    return seconds, mebibytes


def psql(server, name):
    with open(WORK / "psql.csv", "wb") as file:
        subprocess.run([program("psql"), "-X", "-q", "-h", server.folder, "-U", "reader", "-d", name,
                        "-c", f"COPY ({QUERY}) TO STDOUT WITH (FORMAT csv, HEADER)"], stdout=file, check=True)


def fetching(server, name, environment):
    psql(server, name)
    ours, theirs, peak = [], [], 0
    for number in range(ROUNDS):
        for other in (False, True) if number % 2 else (True, False):
            if other:
                theirs.append(timed(lambda: psql(server, name)))
            else:
                seconds, mebibytes = herald(environment, "fetch")
                ours.append(seconds)
                peak = max(peak, mebibytes)
    ratios = [b / a for a, b in zip(ours, theirs)]
    goal(f"fetch of {COUNT} rows from PostgreSQL", statistics.median(ratios), 0.7, "× psql's rate", least=True,
         seconds=statistics.median(ours), psql_seconds=statistics.median(theirs))
    goal(f"fetch of {COUNT} rows from PostgreSQL: memory at the peak", peak, 96, "MiB")


def planning(environment):
    herald(environment, "apply", "--auto-approve")
    ratios, all_seconds = [], []
    for _ in range(ROUNDS):
        herald(environment, "fetch")
        time.sleep(SETTLED)
        seconds, _ = herald(environment, "plan")
        sort = timed(lambda: subprocess.run(
            ["sort", "-u", WORK / ".herald/lists/all.csv", "-o", WORK / "sorted"], check=True,
            env={**os.environ, "LC_ALL": "C"}))
        ratios.append(seconds / sort)
        all_seconds.append(seconds)
    goal(f"unchanged plan of {COUNT} rows that were fetched again", statistics.median(ratios), 0.15, "× sort -u",
         seconds=statistics.median(all_seconds))


print("\n== Lists from PostgreSQL")
if programs() is None:
    print("PostgreSQL is not installed (make setup): fetching was not measured")
else:
    WORK.mkdir(parents=True)
    with Sink(SINK, WORK) as sink, Postgres() as server:
        name = server.new_database()
        apart(fill, server, name)
        environment = {"APP": server.address(name).replace("herald@", "reader@"), "HERALD_SOURCE_VARS": "APP"}
        workspace(sink)
        fetching(server, name, environment)
        planning(environment)
    shutil.rmtree(WORK)
