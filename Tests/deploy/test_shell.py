"""Shell scripts, and the shell in workflows, pass shellcheck."""

import pathlib
import tempfile
import unittest

import places
from places import ACTION, GITLAB, SCRIPTS, WORKFLOWS, run, tool
from test_commands import shell_of


class ShellTests(unittest.TestCase):
    def test_scripts(self):
        run(tool("shellcheck"), *SCRIPTS)

    def test_shell_in_workflows(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for path in [*WORKFLOWS, ACTION, GITLAB]:
                for text in shell_of(places.document(path)):
                    # Values from outside come as variables, so nobody can write shell into an expression.
                    self.assertNotIn("${{", text, path.name)
                    paths.append(pathlib.Path(folder, f"{len(paths)}-{path.stem}.sh"))
                    # Both forges let a shell end at the first failure.
                    paths[-1].write_text("set -e\n" + text)
            self.assertGreater(len(paths), 15)
            run(tool("shellcheck"), "--shell=bash", *paths)

    def test_a_mistake_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "wrong.sh")
            path.write_text("#!/bin/sh\nrm -rf $1/x\n")
            run(tool("shellcheck"), path, status=1)
