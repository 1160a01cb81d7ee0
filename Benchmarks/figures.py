"""What every benchmark needs: registrations, medians of interleaved rounds, and figures that are printed and saved.

Figures are saved as JSON in the file that BENCH_RESULTS names.
"""

import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))


def fid(n):
    return f"cBENCH{n:016d}"


def token(n):
    """As long as FCM's tokens are today."""
    return f"{fid(n)}:APA91b" + f"{n * 2654435761 % (1 << 64):016x}" * 8 + "_-A0b1"


def shuffled(numbers):
    """Shuffles numbers, since lists are seldom sorted. The order is the same in each run."""
    return sorted(numbers, key=lambda n: n * 2654435761 % (1 << 32))


def apart(function, *arguments):
    """Does the work in a process of its own: what this one holds would count as herald's, see `measured`."""
    child = multiprocessing.get_context("fork").Process(target=function, args=arguments)
    child.start()
    child.join()
    if child.exitcode != 0:
        sys.exit(1)


def timed(action):
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def measured(arguments, environment=None):
    """Seconds, MiB at the peak, and the exit code of a program.

    The memory of this process before exec counts as the program's, so this process must be small.
    """
    begin = time.perf_counter()
    process = subprocess.Popen(
        arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return time.perf_counter() - begin, usage.ru_maxrss / unit, process.returncode


def keep(name, **values):
    """Saves figures in the results file. They replace earlier figures with the same name."""
    path = os.environ.get("BENCH_RESULTS")
    if not path:
        return
    file = Path(path)
    results = json.loads(file.read_text()) if file.exists() else {}
    results[name] = {key: round(value, 4) if isinstance(value, float) else value for key, value in values.items()}
    file.write_text(json.dumps(results, indent=2, sort_keys=True) + "\n")


def row(name, ours, theirs, other):
    """Compares our seconds of each round with those of something else. The ratio is the median of all rounds."""
    ratios = [a / b for a, b in zip(ours, theirs)]
    ratio = statistics.median(ratios)
    print(f"{name:44} {statistics.median(ours):8.3f} s   {other:28} {statistics.median(theirs):8.3f} s   ratio {ratio:.2f}")
    keep(name, seconds=statistics.median(ours), compared_with=other, compared_seconds=statistics.median(theirs),
         rounds=len(ours), **compared(ratios, "lower"))


def compared(ratios, better):
    """What `make bench-check` compares with the baseline: the median of the ratios of all rounds, its quartiles, and
    what is better, "lower" or "higher"."""
    low, _, high = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    return {"ratio": statistics.median(ratios), "quartiles": [round(low, 4), round(high, 4)], "better": better}


def goal(name, value, limit, unit, least=False, **more):
    """Compares one figure with its limit: at most `limit`, or at least."""
    reached = value >= limit if least else value <= limit
    word = "at least" if least else "at most"
    print(f"{name:60} {value:12,.2f} {unit:14} {word} {limit:,g}: {'reached' if reached else 'MISSED'}")
    keep(name, value=value, unit=unit, limit=limit, is_lower_limit=least, reached=reached, **more)
