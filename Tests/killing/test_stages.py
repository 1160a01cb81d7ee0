"""A send in stages comes to everybody once and in the order of its stages, wherever a run is killed: while it sends, while
a stage soaks, and while it waits for the next one."""

import hashlib
import hmac
import json
from datetime import datetime

from world import KILLS, Case, fid, world

PEOPLE = 60
STAGES = [("10%", 0.1), ("40%", 0.4), ("100%", 1)]
SOAK = 1
# Each of these takes some seconds.
SENDS = max(4, KILLS // 4)


def stage(revision, name):
    """By the contract: who is in which stage depends on nothing but the campaign and the registration."""
    text = f"tide#{revision}@once".encode() + b"\0" + name.encode()
    place = int.from_bytes(hmac.digest(b"herald.stage/1", text, hashlib.sha256)[:8], "big") / 2**64
    return next(number for number, (_, share) in enumerate(STAGES) if place < share)


class StageTests(Case):
    def test_stages_keep_their_order(self):
        with world("") as self.world:
            rows = "".join(f"{fid(n)}\n" for n in range(PEOPLE))
            (self.world.folder / "all.csv").write_text(f"fid\n{rows}")
            self.world.seconds, kills, revision = 3.5, 0, 0
            while revision < SENDS:
                revision += 1
                self.write(revision)
                if revision == 1:
                    self.assertEqual(0, self.world.run("state", "init").returncode)
                    self.world.seconds = 3.5
                for _ in range(self.world.chance.randrange(1, 4)):
                    kills += self.world.kill("run")
                for _ in range(6):
                    done = self.world.run("run")
                    if self.occurrence(revision)["finished"]:
                        break
                else:
                    self.fail(f"revision {revision} does not end: {done.stdout}{done.stderr}")
                self.check(revision)
            print(f"{kills} kills in {SENDS} sends", flush=True)

    def write(self, revision):
        shares = ", ".join(share for share, _ in STAGES)
        (self.world.folder / "all.yaml").write_text(
            "kind: audience\nname: all\nsource: {file: all.csv}\n---\nkind: campaign\nname: tide\n"
            f"revision: {revision}\ntarget: {{audience: all}}\nmessage: {{notification: {{title: '{revision}'}}}}\n"
            f"delivery: {{stages: [{shares}], soak: {SOAK}s, halt_when: {{unknown_percent: 100}}}}\n")

    def occurrence(self, revision):
        name = "tide@once" if revision == 1 else f"tide@once#{revision}"
        done = self.world.run("state", "show", name, "--format", "json")
        self.assertEqual(0, done.returncode, done.stderr)
        return json.loads(done.stdout)["occurrences"][0]

    def check(self, revision):
        sends = [json.loads(line) for line in self.world.control("GET", "ledger").splitlines()]
        sends = [send for send in sends if send["message"]["notification"]["title"] == str(revision)]
        got = [send["target"]["fid"] for send in sends]
        self.assertEqual(len(set(got)), len(got), "nobody gets it twice")
        occurrence = self.occurrence(revision)
        self.assertEqual(PEOPLE, occurrence["accepted"] + occurrence["unknown"])
        missing = PEOPLE - len(got)
        self.assertLessEqual(missing, occurrence["unknown"], "who did not get it is accounted for")
        times = [[], [], []]
        for send in sends:
            time = datetime.fromisoformat(send["time"].replace("Z", "+00:00")).timestamp()
            times[stage(revision, send["target"]["fid"])].append(time)
        for earlier, later in zip(times, times[1:]):
            if earlier and later:
                # Times of the ledger may be whole milliseconds.
                self.assertGreaterEqual(min(later) - max(earlier), SOAK - 0.01, f"revision {revision}")
