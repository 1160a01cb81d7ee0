"""Checks when each person gets a message against an independent model: `python Tests/timing`. HERALD names the program."""

import pathlib
import sys
import unittest

if __name__ == "__main__":
    folder = str(pathlib.Path(__file__).parent)
    names = sys.argv[1:]
    tests = unittest.defaultTestLoader
    suite = tests.loadTestsFromNames(names) if names else tests.discover(folder, top_level_dir=folder)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
