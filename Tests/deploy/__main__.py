"""Checks what installs and runs herald elsewhere: `python Tests/deploy`. HERALD names the program."""

import pathlib
import sys
import unittest

if __name__ == "__main__":
    folder = str(pathlib.Path(__file__).parent)
    sys.path.append(str(pathlib.Path(__file__).parents[2] / "Scripts"))
    names = sys.argv[1:]
    tests = unittest.defaultTestLoader
    suite = tests.loadTestsFromNames(names) if names else tests.discover(folder, top_level_dir=folder)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
