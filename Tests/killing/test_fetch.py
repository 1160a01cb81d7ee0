"""A list that is fetched is whole, and lists of one database come from one moment, whatever is killed."""

import csv
import json
import resource
import signal
import subprocess
import threading

from world import KILLS, Case, fid, psql_program, world

PEOPLE = 3000
# A fetch writes it before its lists take their places one after the other, and removes it behind them.
PENDING = ".herald/lists/.pending"
SCRIPT = f"""
CREATE TABLE person (fid text PRIMARY KEY, has_left bool);
INSERT INTO person SELECT 'cKilledOften' || lpad(n::text, 10, '0'), n % 3 = 0 FROM generate_series(0, {PEOPLE - 1}) AS n;
CREATE TABLE moment (number int); INSERT INTO moment VALUES (0);
CREATE ROLE app LOGIN; GRANT SELECT ON person, moment TO app;
"""
LIST = """kind: audience
name: {name}
source:
  postgres: "${{APP}}"
  query: SELECT fid, number FROM person, moment WHERE {condition} ORDER BY fid
fields: {{number: {{}}}}
"""
FILES = LIST.format(name="members", condition="NOT has_left") + "---\n" + LIST.format(
    name="left", condition="has_left") + """---
kind: campaign
name: tide
target: {audience: members}
exclude: [left]
message: {notification: {title: High tide}}
"""


class Writer:
    """Moves people between the two lists. Who is where is known for each moment."""

    def __init__(self, world):
        self._world, self._number = world, 0
        self.left = {0: frozenset(fid(n) for n in range(0, PEOPLE, 3))}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()

    def _work(self):
        psql = subprocess.Popen(
            [psql_program(), "-X", "-q", "-h", self._world.server, "-U", "herald", "-d", "postgres"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        people = [fid(n) for n in range(PEOPLE)]
        chance = __import__("random").Random(self._world.chance.random())
        while not self._ended.is_set():
            moved = chance.sample(people, 40)
            self._number += 1
            self.left[self._number] = self.left[self._number - 1].symmetric_difference(moved)
            names = ",".join(f"'{name}'" for name in moved)
            psql.stdin.write(
                f"BEGIN; UPDATE person SET has_left = NOT has_left WHERE fid IN ({names}); "
                f"UPDATE moment SET number = {self._number}; COMMIT;\n\\echo done\n")
            psql.stdin.flush()
            psql.stdout.readline()
            # Only now and then, so that the table does not grow without end.
            self._ended.wait(0.01)
        psql.stdin.close()
        psql.wait()
        psql.stdout.close()


class FetchTests(Case):
    def test_lists_are_whole_and_of_one_moment(self):
        with world(SCRIPT) as self.world, Writer(self.world) as writer:
            (self.world.folder / "all.yaml").write_text(FILES)
            self.assertEqual(0, self.world.run("state", "init").returncode)
            self.assertEqual(0, self.world.run("fetch").returncode)
            kills = parted = 0
            while kills < KILLS:
                kind = self.world.chance.random()
                if kind < 0.8:
                    kills += self.kill()
                    parted += self.repair(writer)
                    continue
                if kind < 0.9:
                    limit = self.world.chance.randrange(60_000)
                    done = self.world.run("fetch", prepare=lambda: self.fill_disk(limit))
                    self.assertIn(done.returncode, (0, 4), done.stderr)
                    self.check(writer)
                    # A list for which there was no room stays older than the others until a fetch brings both.
                    self.assertEqual(0, self.world.run("fetch").returncode)
                    self.assertEqual(1, self.check(writer))
                    continue
                done = self.world.run("fetch")
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertEqual(1, self.check(writer), "both lists come from one moment")
            self.assertEqual(0, self.world.run("fetch").returncode)
            self.assertEqual(1, self.check(writer))
            plan = self.world.run("plan")
            self.assertIn(plan.returncode, (0, 2), plan.stderr)
            self.run_after_kill(writer)
            print(f"{kills} kills, {len(writer.left)} moments, {parted} between the two lists", flush=True)

    def kill(self):
        """Kills a fetch at some moment, or while its lists take their places. Returns whether it still lived."""
        is_early = self.world.chance.random() < 0.5
        # The file of a fetch that was killed before may still be there.
        if is_early or (self.world.folder / PENDING).exists():
            return self.world.kill("fetch")
        return self.world.kill_at_file(PENDING, "fetch")

    def repair(self, writer):
        """Whatever the killed fetch left, no plan takes lists of two moments, and the next fetch ends what that one began,
        even if it cannot reach the database. Returns whether the two lists were parted."""
        moments = self.check(writer)
        plan = self.world.run("plan")
        if moments != 1:
            self.assertEqual(1, plan.returncode)
            self.assertIn("is not whole: a fetch was cut off, or is under way", plan.stderr)
        elif plan.returncode != 0:
            # A list may be there before what is known about it.
            self.assertIn("is not whole", plan.stderr)
        if plan.returncode != 0:
            self.world.environment["APP"] += "/nowhere"
            self.assertEqual(4, self.world.run("fetch").returncode)
            self.world.environment["APP"] = self.world.environment["APP"].removesuffix("/nowhere")
            self.assertEqual(1, self.check(writer), "the next fetch ends what was begun")
            self.assertEqual(0, self.world.run("plan").returncode)
        return moments != 1

    def run_after_kill(self, writer):
        """A run ends what a killed fetch has begun, also without the database, and sends to the people of one moment."""
        tries = 0
        while not self.world.kill_at_file(PENDING, "fetch") or self.world.run("plan").returncode != 1:
            tries += 1
            self.assertLess(tries, 500, "no kill left a fetch that is not whole")
            # The next fetch would be killed at once where this one has left the file.
            self.assertEqual(0, self.world.run("fetch").returncode)
        self.world.environment["APP"] += "/nowhere"
        for _ in range(2):
            done = self.world.run("run")
            self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(1, self.check(writer))
        with open(self.world.folder / ".herald/lists/members.csv", newline="") as file:
            members = [row["fid"] for row in csv.DictReader(file)]
        sends = [json.loads(line)["target"]["fid"] for line in self.world.control("GET", "ledger").splitlines()]
        self.assertEqual(members, sorted(sends), "everybody of that moment gets it once")

    def check(self, writer):
        """Each list is what the database had at one moment. Returns how many moments the two come from."""
        moments = set()
        for name in ("members", "left"):
            with open(self.world.folder / f".herald/lists/{name}.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            [moment] = {int(row["number"]) for row in rows}
            left = writer.left[moment]
            expected = left if name == "left" else {fid(n) for n in range(PEOPLE)} - left
            self.assertEqual(sorted(expected), [row["fid"] for row in rows], f"{name} at {moment}")
            moments.add(moment)
        return len(moments)

    @staticmethod
    def fill_disk(limit):
        """Whatever is written behind so many bytes of a file fails, as on a disk that is full."""
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
