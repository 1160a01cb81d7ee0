"""systemd takes the units, and they have few rights."""

import pathlib
import tempfile
import unittest

from places import HERALD, UNITS, run, tool


class UnitTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def copied(self, change=lambda text: text):
        """Copies of the units that name the herald under test, since systemd looks whether the program is there."""
        paths = [self.folder / unit.name for unit in UNITS]
        for unit, path in zip(UNITS, paths, strict=True):
            path.write_text(change(unit.read_text().replace("/usr/bin/herald", str(HERALD))))
        return paths

    def test_systemd_takes_them(self):
        said = run(tool("systemd-analyze"), "verify", "--man=no", *self.copied())
        # It warns about unknown keys and goes on.
        self.assertNotIn("herald.", said)

    def test_a_wrong_key_is_found(self):
        paths = self.copied(lambda text: text.replace("ProtectHome=", "ProtectHouse="))
        self.assertIn("ProtectHouse", run(tool("systemd-analyze"), "verify", "--man=no", *paths))

    def test_they_have_few_rights(self):
        # 0 is none, 100 is everything; the network alone makes 5.
        run(tool("systemd-analyze"), "security", "--offline=true", "--threshold=15", self.copied()[0])
        open_units = self.copied(lambda text: text.replace("CapabilityBoundingSet=\n", ""))
        run(tool("systemd-analyze"), "security", "--offline=true", "--threshold=15", open_units[0], status=1)

    def test_the_timer_is_every_five_minutes(self):
        said = run(tool("systemd-analyze"), "calendar", "--iterations=3", "*:0/5")
        self.assertIn("OnCalendar=*:0/5\n", UNITS[1].read_text())
        self.assertIn("Normalized form: *-*-* *:00/5:00", said)
