"""A workspace, an emulator and an app's database, and a herald that is killed there."""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from contextlib import contextmanager

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "Scripts"), str(ROOT / "Tests/deploy")]

import built
import database

KILLS = int(os.environ.get("KILLS", "20"))
SEED = int(os.environ.get("KILLS_SEED", str(int(time.time()))))


def fid(number):
    return f"cKilledOften{number:010}"


def psql_program():
    programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/psql"))
    return str(programs[-1]) if programs else shutil.which("psql")


class World:
    """`script` makes the tables of the app, and the role `app` that herald takes. With `shared` the state is in a database
    of that server, too."""

    def __init__(self, server, folder, host, settings, shared):
        print(f"KILLS_SEED={SEED}", flush=True)
        self.chance = random.Random(SEED)
        self.server, self.folder, self.host = server, pathlib.Path(folder), host
        self.herald, self.seconds = built.herald(), 1.0
        self.environment = {
            **os.environ, "FCM_EMULATOR_HOST": host, "HERALD_STATE": f"{folder}/state.sqlite",
            "APP": f"postgresql://app@/postgres?host={server}", "HERALD_SOURCE_VARS": "APP"}
        self.settings = f"herald: 2\nproject: killing\nworkspace: killing\n{settings}"
        self.configure()
        if shared:
            self.ask("CREATE DATABASE state")
            self.environment["HERALD_STATE"] = f"postgresql://herald@/state?host={server}"

    def configure(self, fcm="settle: 0s"):
        """Writes the settings anew, with these keys of `fcm`."""
        (self.folder / "herald.yaml").write_text(f"{self.settings}fcm: {{rate: unlimited, ramp: 0s, {fcm}}}\n")

    def ask(self, sql):
        done = subprocess.run(
            [psql_program(), "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", self.server, "-U", "herald",
             "-d", "postgres", "-c", sql], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def put_registrations(self, entries):
        self.control("PUT", "registrations", [{"registration": name, "state": state} for name, state in entries])

    def control(self, method, path, body=None):
        """Calls the emulator's own interface."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://{self.host}/emulator/v1/{path}", data, method=method)
        with urllib.request.urlopen(request) as answer:
            return answer.read()

    def run(self, *arguments, prepare=None):
        """Runs herald to its end. Its usual time is then known."""
        begin = time.monotonic()
        done = subprocess.run(
            [self.herald, "-w", str(self.folder), *arguments], env=self.environment, capture_output=True, text=True,
            check=False, preexec_fn=prepare)
        self.seconds = 0.8 * self.seconds + 0.2 * (time.monotonic() - begin)
        return done

    def kill(self, *arguments):
        """Kills herald at some moment of its life. Returns whether it still lived."""
        process = subprocess.Popen(
            [self.herald, "-w", str(self.folder), *arguments], env=self.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=self.chance.uniform(0, 1.1 * self.seconds))
            return False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True

    def kill_at_file(self, file, *arguments):
        """Kills herald as soon as it has written this file of the workspace. Returns whether it still lived."""
        path = self.folder / file
        process = subprocess.Popen(
            [self.herald, "-w", str(self.folder), *arguments], env=self.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        # What follows the file may take less than a millisecond: there is no time to sleep.
        while not os.path.exists(path):
            if process.poll() is not None:
                return False
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL


@contextmanager
def world(script, settings="", emulating=(), shared=False):
    """`emulating` are options of the emulator."""
    with database.running(script) as server, tempfile.TemporaryDirectory() as folder:
        emulator = subprocess.Popen([built.herald(), "emulator", *emulating], stdout=subprocess.PIPE, text=True)
        try:
            host = emulator.stdout.readline().strip().split("=", 1)[1]
            yield World(server, folder, host, settings, shared)
        finally:
            emulator.kill()
            emulator.wait()
            emulator.stdout.close()


class Case(unittest.TestCase):
    maxDiff = 2000
