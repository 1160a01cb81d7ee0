"""`herald drift` finds and names every difference and invents none, whatever stops it. It asks for nobody again whose answer
it has written, with a state in a file and in PostgreSQL, while memberships show late at FCM.

With DRIFT_LARGE=1 there are 100,000 registrations and 20 topics, and memberships show a minute late."""

import json
import os
import signal
import subprocess
import time
from collections import Counter, defaultdict
from datetime import datetime

from world import KILLS, Case, fid, world

IS_LARGE = os.environ.get("DRIFT_LARGE") == "1"
TOPICS = [f"topic-{number}" for number in range(20)] if IS_LARGE else ["surf", "tides", "wind"]
PEOPLE, RATE = (100_000, 8000) if IS_LARGE else (2700, 200)
# Memberships show so many seconds late, and a difference is asked for again after so many.
DELAY, SETTLE = (59, 60) if IS_LARGE else (1.45, 1.5)
# So many apps change what they follow before a pass, so many are uninstalled, and so many come or leave by the lists.
CHANGES, DEATHS, JOINS, DROPS = (3000, 240, 600, 30) if IS_LARGE else (150, 12, 30, 10)
# So often a pass is stopped.
STOPS = 10
PASSES = max(2, KILLS // STOPS)
FAST = f"subscription_rate: unlimited, settle: {round(SETTLE * 1000)}ms"
SLOW = f"subscription_rate: {RATE}/s, settle: {round(SETTLE * 1000)}ms"


class Shore:
    """What is true: who is listed, who follows what at FCM, and what the state has learned of it."""

    def __init__(self, case, world):
        self.case, self.world, self.chance = case, world, world.chance
        self.people, self.dead, self.forgotten = [], set(), set()
        # Who is listed for a topic, follows it at FCM, is subscribed as the state has it, and is recorded as left.
        self.listed, self.following, self.subscribed, self.left = (defaultdict(set) for _ in range(4))
        # Who joined or left a topic by the last apply. FCM may not show it yet.
        self.moved = set()
        self.ahead = 0
        case.assertEqual(0, world.run("state", "init").returncode)
        self.join(PEOPLE)
        self.apply()
        self.advance()

    # What happens

    def join(self, count):
        """New people come on the lists."""
        for _ in range(count):
            name = fid(len(self.people))
            self.people.append(name)
            for topic in self.chance.sample(TOPICS, self.chance.randrange(1, 4)):
                self.listed[topic].add(name)
                self.moved.add(name)

    def drop(self, count):
        """Lists drop some whom the state has as subscribed."""
        for topic in TOPICS:
            known = sorted((self.listed[topic] & self.subscribed[topic]) - self.dead)
            for name in self.chance.sample(known, count):
                self.listed[topic].discard(name)
                self.moved.add(name)

    def drift(self):
        """Apps leave topics and join others, and some are uninstalled."""
        for name in self.chance.sample(sorted(set(self.people) - self.dead), CHANGES):
            changes = {"subscribe": [], "unsubscribe": []}
            for topic in self.chance.sample(TOPICS, self.chance.randrange(1, 3)):
                follows = name in self.following[topic]
                changes["unsubscribe" if follows else "subscribe"].append(topic)
                (self.following[topic].discard if follows else self.following[topic].add)(name)
            self.world.control("PUT", f"devices/{name}", changes)
        dying = self.chance.sample(sorted(set(self.people) - self.dead), DEATHS)
        self.world.put_registrations([(name, "unregistered") for name in dying])
        self.dead.update(dying)

    def advance(self):
        """FCM shows everything that has happened so far."""
        seconds = round(DELAY) + 4
        self.world.control("POST", "clock", {"advance": f"{seconds}s"})
        self.ahead += seconds

    def apply(self):
        files = []
        for topic in TOPICS:
            rows = "".join(f"{name}\n" for name in sorted(self.listed[topic]))
            (self.world.folder / f"{topic}.csv").write_text(f"fid\n{rows}")
            files.append(f"kind: audience\nname: {topic}-fans\nsource: {{file: {topic}.csv}}\n---\n"
                         f"kind: topic\nname: {topic}\nsubscribers: [{topic}-fans]\n")
        (self.world.folder / "all.yaml").write_text("---\n".join(files))
        self.world.configure(FAST)
        done = self.world.run("apply", "--auto-approve")
        self.case.assertEqual(0, done.returncode, done.stdout + done.stderr)
        for topic in TOPICS:
            self.left[topic] &= self.listed[topic]
            wanted = self.listed[topic] - self.left[topic] - self.forgotten
            gone = self.subscribed[topic] - self.listed[topic]
            self.following[topic] = (self.following[topic] | (wanted - self.subscribed[topic])) - gone
            self.subscribed[topic] = (self.subscribed[topic] | wanted) - gone

    def learn(self):
        """The state learns who has left and who is dead. Whoever is dead has not left."""
        dead = self.dead & self.everybody
        for topic in TOPICS:
            gone = self.subscribed[topic] - self.following[topic]
            self.left[topic] = (self.left[topic] | gone) - dead
            self.subscribed[topic] -= gone | dead
        self.forgotten |= dead

    # What drift must find

    @property
    def everybody(self):
        return set().union(*self.subscribed.values())

    def differences(self):
        """By topic, who has left, who is foreign and who is dead."""
        found = {}
        for topic in TOPICS:
            subscribed, following = self.subscribed[topic], self.following[topic]
            found[topic] = {
                "left": subscribed - following - self.dead,
                "foreign": (following - subscribed - self.dead) & self.everybody,
                "dead": subscribed & self.dead}
        return found

    def questions(self):
        """The time and the registration of each question that the emulator has got."""
        found = []
        for line in self.world.control("GET", "requests").splitlines():
            request = json.loads(line)
            path, _, _ = request["path"].partition("/topicSubscriptions")
            if request["method"] == "GET" and "/registrations/" in path:
                moment = datetime.fromisoformat(request["time"].replace("Z", "+00:00")).timestamp()
                found.append((moment - self.ahead, path.split("/")[-1]))
        return found

    def settle(self):
        """Waits until the emulator has read what a killed call has sent. That may be later where it gets no time."""
        count = None
        while count != (count := len(self.questions())):
            time.sleep(0.2)


class DriftTests(Case):
    def test_with_a_state_in_a_file(self):
        self.live(shared=False)

    def test_with_a_state_in_postgresql(self):
        self.live(shared=True)

    def live(self, shared):
        delay = f"{round(DELAY * 1000)}ms"
        settings = "guards: {max_forget_percent: 100, max_unsubscribe_percent: 100}\n"
        with world("", settings, ("--membership-delay", delay), shared) as self.world:
            self.shared, self.chance = shared, self.world.chance
            self.shore = Shore(self, self.world)
            self.kills, self.late, self.repeats = 0, 0, []
            passes = tries = 0
            while passes < PASSES:
                tries += 1
                # About every second pass is over too early.
                self.assertLess(tries, 20 * PASSES, "passes are over before they are stopped often enough")
                records = passes % 2 == 1
                self.change()
                if self.stop_often(records):
                    passes += 1
                if records:
                    self.shore.learn()
                self.check_state()
            self.check_calm()
            oldest = max(self.repeats, default=0)
            print(f"{self.kills} kills in {passes} passes, {self.late} late memberships, {len(self.repeats)} asked again "
                  f"whose answers were not written, at most {oldest:.2f} s before a kill", flush=True)

    def change(self):
        """Apps change what they follow, and then lists do. Only of the second FCM knows late."""
        self.shore.moved.clear()
        self.shore.drift()
        self.shore.advance()
        self.shore.join(JOINS)
        self.shore.drop(DROPS)
        begin = time.monotonic()
        self.assertEqual(0, self.world.run("state", "show").returncode)
        self.start = time.monotonic() - begin
        # From here on it is quick, so that memberships are late.
        self.asked = len(self.shore.questions())
        self.shore.apply()
        self.world.configure(SLOW)

    def stop_often(self, records):
        """Returns whether one pass was stopped often enough."""
        everybody, expected = self.shore.everybody, self.shore.differences()
        before, named, killed, doubted, stops = self.asked, Counter(), [], [], 0
        while True:
            is_last = stops >= STOPS or stops > 0 and self.is_near_its_end(everybody, before)
            began = len(self.shore.questions()) if stops > 0 else before
            number = None if is_last else self.chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM])
            # The first call asks before FCM shows what the apply did.
            output, moment = self.call(number, self.start + 0.5 if stops == 0 else 0, *["--record"] * records)
            stops += number is not None
            if output is None:
                self.shore.settle()
                killed.append((moment, time.time()))
                self.unlock()
                continue
            document = json.loads(output)
            # Where nobody lives, no death is believed, and the next call asks again.
            is_believed = document["registrations"]["asked"] > document["registrations"]["dead"]
            if not is_believed:
                doubted.append((time.time(), time.time() + 0.2))
            for row in document["topics"]:
                for kind in ("left", "foreign", "dead") if is_believed else ("left", "foreign"):
                    named[row["topic"], kind] += row[kind]
            asked = self.shore.questions()[began:]
            self.assertEqual(document["requests"]["all"], len(asked))
            self.assertEqual(0, document["requests"]["pages"] + document["requests"]["retries"])
            if document["result"] != "interrupted":
                break
        self.kills += len(killed)
        self.assertTrue(document["pass"]["complete"], document)
        for topic, kinds in expected.items():
            for kind, members in kinds.items():
                if kind == "left" and records:
                    # The state has those whom a killed call has found.
                    self.assertLessEqual(named[topic, kind], len(members), f"{kind} of {topic}")
                else:
                    self.assertEqual(len(members), named[topic, kind], f"{kind} of {topic}")
        different = set().union(*(members for kinds in expected.values() for members in kinds.values()))
        self.check_questions(self.shore.questions()[before:], everybody, different, killed, doubted)
        return stops >= STOPS

    def is_near_its_end(self, everybody, before):
        """Another call could ask for all of them before it is killed, and nobody could tell whether the pass was over."""
        return len(everybody - {name for _, name in self.shore.questions()[before:]}) < 5 * RATE

    def call(self, number, least, *arguments):
        """Runs `drift`, and stops it by a signal at some moment, not before `least` seconds. Returns what it printed, or
        `None` and when it was killed."""
        process = subprocess.Popen(
            [self.world.herald, "-w", str(self.world.folder), "drift", "--format", "json", *arguments],
            env=self.world.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            # Some live so long that differences count.
            longest = max(least, self.start + self.chance.choice([0.5, 3]))
            limit = None if number is None else self.chance.uniform(least, longest)
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            moment = time.time()
            output, errors = process.communicate()
            if process.returncode < 0:
                return None, moment
            self.assertEqual(128 + number, process.returncode, errors)
            return output, None
        self.assertEqual(0, process.returncode, errors)
        return output, None

    def unlock(self):
        """A lease in PostgreSQL outlives its holder for half a minute."""
        if not self.shared:
            return
        words = self.world.run("state", "lock").stdout.split()
        if len(words) > 1:
            self.world.run("state", "unlock", words[1], "--auto-approve")

    def check_questions(self, questions, everybody, different, killed, doubted):
        """Everybody was asked for, and again only for a reason: a call was killed, or no death was believed in it."""
        times = defaultdict(list)
        for moment, name in questions:
            times[name].append(moment)
        self.assertEqual(everybody, set(times))
        for name, moments in times.items():
            moments.sort()
            if name in different - self.shore.dead:
                self.assertGreaterEqual(len(moments), 2, "a difference was not asked for again")
                continue
            if name in self.shore.moved:
                self.late += len(moments) > 1
                continue
            for one, next_one in zip(moments, moments[1:]):
                reasons = killed + doubted if name in self.shore.dead else killed
                kills = [kill for kill, last in reasons if one <= last and kill <= next_one]
                self.assertTrue(kills, "asked again without a kill")
                if name not in self.shore.dead:
                    # On a busy machine it takes longer, and so does every start.
                    self.assertLess(kills[0] - one, 1 + self.start, "an answer was not written in time")
                    self.repeats.append(kills[0] - one)

    def check_state(self):
        """What the state has of each topic."""
        for topic in TOPICS:
            done = self.world.run("state", "show", topic, "--format", "json")
            self.assertEqual(0, done.returncode, done.stderr)
            [row] = json.loads(done.stdout)["topics"]
            self.assertEqual(len(self.shore.subscribed[topic]), row["owned"] + row["found"], topic)
            self.assertEqual(len(self.shore.left[topic]), row["left"], topic)

    def check_calm(self):
        """Nothing stops it: one question for each registration, and one more for those that differ."""
        self.shore.advance()
        self.world.configure(FAST)
        before = len(self.shore.questions())
        document = json.loads(self.world.run("drift", "--format", "json").stdout)
        found = {row["topic"]: {kind: row[kind] for kind in ("left", "foreign", "dead")} for row in document["topics"]}
        expected = self.shore.differences()
        self.assertEqual(
            {topic: {kind: len(members) for kind, members in kinds.items()} for topic, kinds in expected.items()}, found)
        living = set().union(*(kinds["left"] | kinds["foreign"] for kinds in expected.values()))
        asked = len(self.shore.questions()) - before
        self.assertEqual(document["requests"]["all"], asked)
        self.assertEqual(len(self.shore.everybody) + len(living) + document["requests"]["pages"], asked)
