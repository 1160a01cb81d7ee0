"""What make bench-check says of figures, told without measuring anything."""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Benchmarks"))

import check  # noqa: E402
import figures  # noqa: E402


def ratio(value, better="lower", spread=0.01):
    return {"ratio": value, "quartiles": [value - spread, value + spread], "better": better}


def found(results, kept, tolerance=0.1):
    return list(check.problems(results, {"figures": kept, "tolerance": tolerance}))


class CheckTests(unittest.TestCase):
    def test_a_ratio_within_the_tolerance_is_well(self):
        self.assertEqual(found({"validate": ratio(2.1)}, {"validate": ratio(2.0)}), [])

    def test_a_better_ratio_is_well(self):
        self.assertEqual(found({"validate": ratio(0.5)}, {"validate": ratio(2.0)}), [])
        self.assertEqual(found({"send": ratio(0.9, "higher")}, {"send": ratio(0.6, "higher")}), [])

    def test_a_worse_ratio_is_named_with_both_figures(self):
        [problem] = found({"validate": ratio(2.3)}, {"validate": ratio(2.0)})
        self.assertIn("validate", problem)
        self.assertIn("2.30", problem)
        self.assertIn("2.00", problem)

    def test_what_is_better_when_it_is_higher_fails_when_it_falls(self):
        kept = {"send": ratio(0.75, "higher")}
        self.assertEqual(found({"send": ratio(0.70, "higher")}, kept), [])
        self.assertEqual(len(found({"send": ratio(0.65, "higher")}, kept)), 1)

    def test_quartiles_that_overlap_are_noise(self):
        self.assertEqual(found({"validate": ratio(2.3, spread=0.3)}, {"validate": ratio(2.0)}), [])
        self.assertEqual(found({"validate": ratio(2.3)}, {"validate": ratio(2.0, spread=0.3)}), [])

    def test_a_figure_beyond_its_own_limit_fails_without_a_baseline(self):
        memory = {"value": 97.0, "unit": "MiB", "limit": 96, "is_lower_limit": False, "reached": False}
        self.assertEqual(found({"memory": memory}, {}), ["memory: 97 MiB, and it is to be at most 96"])
        self.assertEqual(found({"memory": {**memory, "value": 90.0, "reached": True}}, {}), [])

    def test_a_figure_may_break_its_limit_and_its_baseline(self):
        send = {"value": 0.5, "unit": "of its rate", "limit": 0.6, "is_lower_limit": True, "reached": False,
                **ratio(0.5, "higher")}
        self.assertEqual(len(found({"send": send}, {"send": ratio(0.75, "higher")})), 2)

    def test_what_was_not_measured_fails(self):
        [problem] = found({}, {"validate": ratio(2.0)})
        self.assertIn("not measured", problem)

    def test_a_ratio_that_nobody_wrote_down_fails(self):
        [problem] = found({"new": ratio(1.0)}, {})
        self.assertIn("bench-baseline", problem)

    def test_the_committed_baseline_can_be_held_against(self):
        baseline = json.loads((ROOT / "Benchmarks/baseline.json").read_text())
        self.assertTrue(baseline["figures"])
        for name, kept in baseline["figures"].items():
            low, high = kept["quartiles"]
            self.assertTrue(low <= kept["ratio"] <= high, name)
            self.assertIn(kept["better"], ("lower", "higher"), name)
        self.assertEqual(list(check.problems(baseline["figures"], baseline)), [])
        worse = {name: {**kept, **ratio(kept["ratio"] * (10 if kept["better"] == "lower" else 0.1), kept["better"])}
                 for name, kept in baseline["figures"].items()}
        self.assertEqual(len(list(check.problems(worse, baseline))), len(worse))


class ProgramTests(unittest.TestCase):
    """From what a measure prints and keeps to the exit code."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = pathlib.Path(folder.name) / "results.json"
        self.baseline = pathlib.Path(folder.name) / "baseline.json"
        os.environ["BENCH_RESULTS"] = str(self.results)
        self.addCleanup(os.environ.pop, "BENCH_RESULTS")
        os.environ.pop("BENCH_TOLERANCE", None)

    def run_check(self, *options):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = check.main(self.results, self.baseline, *options)
        return code, output.getvalue()

    def measure(self, seconds, mebibytes=50):
        with contextlib.redirect_stdout(io.StringIO()):
            figures.row("validate", [seconds] * 5, [1.0] * 5, "a peer")
            figures.goal("memory", mebibytes, 96, "MiB")

    def test_a_run_is_held_against_the_one_that_was_recorded(self):
        self.measure(2.0)
        self.assertEqual(self.run_check("--record"), (0, ""))
        self.assertEqual(self.run_check(), (0, "2 figures are as they are to be\n"))
        self.measure(3.0)
        code, output = self.run_check()
        self.assertEqual(code, 1)
        self.assertIn("validate", output)

    def test_the_tolerance_can_be_set(self):
        self.measure(2.0)
        self.run_check("--record")
        self.measure(2.2)
        self.assertEqual(self.run_check()[0], 0)
        os.environ["BENCH_TOLERANCE"] = "0.05"
        self.addCleanup(os.environ.pop, "BENCH_TOLERANCE")
        self.assertEqual(self.run_check()[0], 1)

    def test_a_limit_is_held(self):
        self.measure(2.0, mebibytes=100)
        self.run_check("--record")
        code, output = self.run_check()
        self.assertEqual((code, output), (1, "memory: 100 MiB, and it is to be at most 96\n"))

    def test_quartiles_are_those_of_the_rounds(self):
        self.assertEqual(
            figures.compared([5.0, 1.0, 2.0, 4.0, 3.0], "lower"),
            {"ratio": 3.0, "quartiles": [2.0, 4.0], "better": "lower"})
        self.assertEqual(figures.compared([2.0], "lower")["quartiles"], [2.0, 2.0])


if __name__ == "__main__":
    unittest.main()
