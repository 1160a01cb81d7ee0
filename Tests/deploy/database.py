"""A PostgreSQL server for one test, in a temporary folder and without a network."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest


@contextlib.contextmanager
def running(script):
    """A new server that a container's entrypoint would set up with `script`. Gives the folder of its socket."""
    programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = programs[-1] if programs else shutil.which("initdb")
    if initdb is None:
        if os.environ.get("CI") == "true":
            raise AssertionError("PostgreSQL is not installed: make setup")
        raise unittest.SkipTest("PostgreSQL is not installed: make setup")
    # PostgreSQL refuses to work for root.
    user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)

        def do(program, *arguments):
            subprocess.run(
                [*user, pathlib.Path(initdb).parent / program, *arguments], cwd=folder, check=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        do("initdb", "-D", f"{folder}/data", "-U", "herald", "-A", "trust", "-N")
        options = f"-c listen_addresses= -k {folder}"
        do("pg_ctl", "-D", f"{folder}/data", "-w", "-l", f"{folder}/log", "-o", options, "start")
        try:
            path = pathlib.Path(folder, "script.sql")
            path.write_text(script)
            os.chmod(path, 0o644)
            do("psql", "-X", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", "herald", "-d", "postgres", "-f", str(path))
            yield folder
        finally:
            do("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")
