"""Alerts and dashboards name figures that `herald run --metrics` writes, and no others."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from places import DEPLOY, HERALD, document, run

RULES = DEPLOY / "prometheus/herald.rules.yaml"
DASHBOARD = DEPLOY / "grafana/herald.json"
NAME = re.compile(r"\bherald_[a-z_]+\b")


def written():
    """The figures of a run that succeeded, by name, with their labels."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "herald.yaml").write_text("herald: 1\nproject: demo-project\n")
        (folder / "hello.yaml").write_text(
            "kind: campaign\nname: hello\ntarget: {fids: [cTideDemoPerson_001000]}\n"
            "message: {notification: {title: Hello}}\n")
        emulator = subprocess.Popen([HERALD, "emulator"], stdout=subprocess.PIPE, text=True)
        try:
            host = emulator.stdout.readline().strip().split("=", 1)[1]
            there = {**os.environ, "HERALD_STATE": str(folder / "state.sqlite"), "FCM_EMULATOR_HOST": host}
            run(HERALD, "-w", folder, "state", "init", environment=there)
            run(HERALD, "-w", folder, "run", "--quiet", "--metrics", folder / "herald.prom", environment=there)
        finally:
            emulator.terminate()
            emulator.wait()
            emulator.stdout.close()
        lines = (folder / "herald.prom").read_text().splitlines()
    figures = {}
    for line in lines:
        if not line.startswith("#"):
            figure, labels = re.fullmatch(r"(\w+)\{(.*)\} -?[0-9]+", line).groups()
            figures[figure] = set(re.findall(r"(\w+)=", labels))
    return figures


class MonitoringTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.written = written()

    def named(self, expression):
        names = set(NAME.findall(expression))
        self.assertTrue(names, expression)
        self.assertLessEqual(names, set(self.written), expression)
        return names

    def test_alerts_name_what_a_run_writes(self):
        (group,) = document(RULES)["groups"]
        alerts = [rule["alert"] for rule in group["rules"]]
        self.assertEqual(len(alerts), len(set(alerts)))
        named = set()
        for rule in group["rules"]:
            self.assertLessEqual(set(rule), {"alert", "expr", "for", "labels", "annotations"})
            named |= self.named(rule["expr"])
            self.assertIn(rule["labels"]["severity"], ("page", "ticket"))
            self.assertEqual(set(rule["annotations"]), {"summary", "description"})
            self.assertLessEqual(
                set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])),
                set.union(*(self.written[name] for name in NAME.findall(rule["expr"]))))
        self.assertIn("herald_run_last_success_timestamp_seconds", named)

    def test_the_dashboard_shows_what_a_run_writes(self):
        dashboard = json.loads(DASHBOARD.read_text())
        panels = dashboard["panels"]
        self.assertEqual(len(panels), len({panel["id"] for panel in panels}))
        cells = set()
        for panel in panels:
            for target in panel["targets"]:
                for name in self.named(target["expr"]):
                    self.assertIn("project", self.written[name])
            place = panel["gridPos"]
            own = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                   for y in range(place["y"], place["y"] + place["h"])}
            self.assertFalse(cells & own, f"{panel['title']} covers another panel")
            self.assertLess(max(x for x, _ in own), 24)
            cells |= own
        (query,) = [one["query"] for one in dashboard["templating"]["list"] if one["type"] == "query"]
        self.named(query)

    def test_a_figure_that_is_not_there_is_found(self):
        with self.assertRaises(AssertionError):
            self.named("herald_run_gone > 0")
