"""A PostgreSQL server of its own, and a way to it that takes longer."""

import asyncio
import os
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path


def programs():
    """The folder with PostgreSQL's programs. None if it is not installed."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def program(name):
    """A program beside initdb, or the one that people call."""
    beside = programs() / name
    return beside if beside.exists() else shutil.which(name)


class Postgres:
    """Runs until the block ends, with the settings that PostgreSQL has by default: each commit waits for the disk."""

    def __enter__(self):
        # Short, because the path of a Unix socket has at most about 100 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="bench-pg-", dir="/tmp"))
        # PostgreSQL refuses to run as root, so root lets nobody run it.
        self._as = []
        if os.getuid() == 0:
            shutil.chown(self.folder, "nobody")
            self._as = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        self._data, self._count = self.folder / "data", 0
        self._run("initdb", "-U", "herald", "-A", "trust", "-E", "UTF8", "--locale=C")
        self._run("pg_ctl", "-w", "-l", self.folder / "server.log", "-o",
                  f"-c listen_addresses= -k {self.folder}", "start")
        return self

    def __exit__(self, *_):
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.folder)

    def _run(self, name, *arguments):
        subprocess.run([*self._as, program(name), "-D", self._data, *arguments], check=True, cwd=self.folder,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def new_database(self):
        """The name of an empty database."""
        self._count += 1
        name = f"bench{self._count}"
        subprocess.run([program("psql"), "-q", "-h", self.folder, "-U", "herald", "-d", "postgres",
                        "-c", f"CREATE DATABASE {name}"], check=True)
        return name

    def address(self, name, folder=None):
        return f"postgresql://herald@/{name}?host={folder or self.folder}"


class Slowly:
    """A socket before the server's. Whatever comes through it is a little late, in each direction."""

    def __init__(self, server, delay):
        self._server, self._delay = server, delay
        self.folder = Path(tempfile.mkdtemp(prefix="bench-px-", dir="/tmp"))
        self._loop = asyncio.new_event_loop()

    def __enter__(self):
        ready = threading.Event()
        threading.Thread(target=self._serve, args=(ready,), daemon=True).start()
        ready.wait()
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        shutil.rmtree(self.folder)

    def _serve(self, ready):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(
            asyncio.start_unix_server(self._accept, self.folder / ".s.PGSQL.5432"))
        ready.set()
        self._loop.run_forever()

    async def _accept(self, reader, writer):
        upstream = await asyncio.open_unix_connection(self._server.folder / ".s.PGSQL.5432")
        await asyncio.gather(self._carry(reader, upstream[1]), self._carry(upstream[0], writer))

    async def _carry(self, reader, writer):
        # Delayed, and not slower: what comes next need not wait for what came before.
        while piece := await reader.read(1 << 20):
            self._loop.call_later(self._delay, writer.write, piece)
        self._loop.call_later(self._delay, writer.close)
