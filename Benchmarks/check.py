#!/usr/bin/env python3
"""Compares the figures of a benchmark run with their limits and with the baseline.

    check.py RESULTS BASELINE             prints what is worse, and exits with 1 if anything is
    check.py RESULTS BASELINE --record    saves the ratios of the run as the new baseline

A figure with a limit must keep it. A ratio must not be worse than the baseline's by more than the tolerance, unless
the quartiles of the two runs overlap: then it is noise. Everything in the baseline must have been measured, and every
measured ratio must be in the baseline. BENCH_TOLERANCE overrides the tolerance: machines differ, and 0.05 only suits a
baseline from the same machine.
"""

import json
import os
import sys
from pathlib import Path

DEFAULT_TOLERANCE = 0.25
KEPT = ("better", "quartiles", "ratio")


def is_worse(figure, kept, tolerance):
    """Whether a ratio is worse than its baseline, beyond the tolerance and the noise."""
    if kept["better"] == "lower":
        return figure["ratio"] > kept["ratio"] * (1 + tolerance) and figure["quartiles"][0] > kept["quartiles"][1]
    return figure["ratio"] < kept["ratio"] / (1 + tolerance) and figure["quartiles"][1] < kept["quartiles"][0]


def problems(results, baseline, tolerance=None):
    """One line for every figure that misses its limit or its baseline."""
    figures = baseline["figures"]
    tolerance = baseline.get("tolerance", DEFAULT_TOLERANCE) if tolerance is None else tolerance
    for name, figure in sorted(results.items()):
        if figure.get("reached") is False:
            word = "at least" if figure["is_lower_limit"] else "at most"
            yield f"{name}: {figure['value']:g} {figure['unit']}, and it is to be {word} {figure['limit']:g}"
        if "ratio" not in figure:
            continue
        kept = figures.get(name)
        if kept is None:
            yield f"{name}: not in the baseline; read the figure and record it with make bench-baseline"
        elif is_worse(figure, kept, tolerance):
            yield (f"{name}: {figure['ratio']:.2f} (quartiles {figure['quartiles'][0]:.2f} to "
                   f"{figure['quartiles'][1]:.2f}), and the baseline has {kept['ratio']:.2f} "
                   f"({kept['quartiles'][0]:.2f} to {kept['quartiles'][1]:.2f}); {kept['better']} is better")
    for name in sorted(figures.keys() - results.keys()):
        yield f"{name}: in the baseline, but not measured"


def recorded(results, baseline):
    """A baseline made from these results, with the old tolerance."""
    return {
        "figures": {
            name: {key: figure[key] for key in KEPT} for name, figure in results.items() if "ratio" in figure},
        "tolerance": baseline.get("tolerance", DEFAULT_TOLERANCE),
    }


def main(results_path, baseline_path, *options):
    results = json.loads(Path(results_path).read_text())
    file = Path(baseline_path)
    baseline = json.loads(file.read_text()) if file.exists() else {"figures": {}}
    if "--record" in options:
        file.write_text(json.dumps(recorded(results, baseline), indent=2, sort_keys=True) + "\n")
        return 0
    tolerance = os.environ.get("BENCH_TOLERANCE")
    found = list(problems(results, baseline, float(tolerance) if tolerance else None))
    print("\n".join(found) if found else f"{len(results)} figures are as they are to be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
