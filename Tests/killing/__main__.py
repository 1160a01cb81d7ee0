"""Kills `herald fetch`, `run` and `drift` at random moments, with an app's database that fails meanwhile:
`python Tests/killing`. HERALD names the program, KILLS how often (default 20), KILLS_SEED where chance begins.
"""

import pathlib
import sys
import unittest

if __name__ == "__main__":
    folder = str(pathlib.Path(__file__).parent)
    names = sys.argv[1:]
    tests = unittest.defaultTestLoader
    suite = tests.loadTestsFromNames(names) if names else tests.discover(folder, top_level_dir=folder)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
