"""Runs all tests that need a browser: `python Tests/browser`."""

import os
import pathlib
import sys
import unittest

from chromium import installed

if __name__ == "__main__":
    if installed() is None:
        print("test-browser: no chromium and chromedriver on the PATH (make setup installs Debian's); no page was tested.")
        # CI must not pass without a browser; a person may.
        sys.exit(1 if os.environ.get("CI") == "true" else 0)
    folder = str(pathlib.Path(__file__).parent)
    names = sys.argv[1:]
    tests = unittest.defaultTestLoader
    suite = tests.loadTestsFromNames(names) if names else tests.discover(folder, top_level_dir=folder)
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
