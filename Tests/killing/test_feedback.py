"""Each dead registration reaches the app's database exactly once in effect, whatever is killed and whatever fails."""

import collections
import threading
import time

from world import KILLS, Case, fid, world

PEOPLE = 60
SCRIPT = """
CREATE TABLE gone (run text, number bigint, registration text, died timestamptz, PRIMARY KEY (run, number));
CREATE TABLE pace (seconds float8); INSERT INTO pace VALUES (0);
CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep((SELECT seconds FROM pace)); RETURN NEW; END $$;
CREATE TRIGGER wait BEFORE INSERT ON gone FOR EACH ROW EXECUTE FUNCTION wait();
CREATE ROLE app LOGIN;
GRANT SELECT, INSERT ON gone TO app; GRANT SELECT ON pace TO app;
"""
SETTINGS = """guards: {max_forget_percent: 100}
feedback:
  postgres: "${APP}"
  dead: >-
    INSERT INTO gone SELECT $1, number, registration, died FROM unnest($2, $3, $4) AS dead (number, registration, died)
    ON CONFLICT (run, number) DO NOTHING
"""


class FeedbackTests(Case):
    def test_each_death_arrives_once_in_effect(self):
        with world(SCRIPT, SETTINGS) as self.world:
            self.chance = self.world.chance
            self.dead, self.deaths, self.revision = set(), collections.Counter(), 0
            rows = "".join(f"{fid(n)}\n" for n in range(PEOPLE))
            (self.world.folder / "all.csv").write_text(f"fid\n{rows}")
            self.write()
            done = self.world.run("state", "init")
            self.assertEqual(0, done.returncode, done.stderr)
            kills, trouble = 0, collections.Counter()
            while kills < KILLS:
                self.change_people()
                self.write()
                name = self.chance.choice(["none", "none", "rights", "rows", "slow", "cut"])
                trouble[name] += 1
                end = getattr(self, name)()
                if self.chance.random() < 0.8:
                    kills += self.world.kill("run")
                else:
                    self.world.run("run")
                end()
                if self.chance.random() < 0.3:
                    self.world.run("run")
            self.write()
            for _ in range(2):
                done = self.world.run("run")
                self.assertNotIn("not handed over", done.stderr)
            told = dict(line.split("|") for line in self.world.ask(
                "SELECT registration, count(*) FROM gone GROUP BY registration").splitlines())
            self.assertEqual(
                {name: str(count) for name, count in self.deaths.items()}, told, f"{done.stderr}")
            print(f"{kills} kills, {sum(self.deaths.values())} deaths, {dict(trouble)}", flush=True)

    def change_people(self):
        """Some die; some of whom the app knows that they are dead live again, and may die once more."""
        living = [fid(n) for n in range(PEOPLE) if fid(n) not in self.dead]
        dying = self.chance.sample(living, min(len(living) - 20, self.chance.randrange(5)))
        self.world.put_registrations([(name, "unregistered") for name in dying])
        self.dead.update(dying)
        self.deaths.update(dying)
        if not self.dead or self.chance.random() < 0.6:
            return
        counts = dict(line.split("|") for line in self.world.ask(
            "SELECT registration, count(*) FROM gone GROUP BY registration").splitlines())
        told = sorted(name for name in self.dead if int(counts.get(name, 0)) == self.deaths[name])
        for name in self.chance.sample(told, min(len(told), 3)):
            # A run that was killed may have told it without noting that; the next one tells again, under its number.
            done = self.world.run("state", "revive", name)
            self.assertEqual(0, done.returncode, done.stderr)
            self.world.put_registrations([(name, "active")])
            self.dead.discard(name)

    def write(self):
        self.revision += 1
        (self.world.folder / "all.yaml").write_text(
            "kind: audience\nname: all\nsource: {file: all.csv}\n---\nkind: campaign\nname: tide\n"
            f"revision: {self.revision}\ntarget: {{audience: all}}\nmessage: {{notification: {{title: High tide}}}}\n"
            "delivery: {stop_when_rejected_percent: 100}\n")

    # What goes wrong at the app's database. Each returns what ends it.

    def none(self):
        return lambda: None

    def rights(self):
        self.world.ask("REVOKE INSERT ON gone FROM app")
        return lambda: self.world.ask("GRANT INSERT ON gone TO app")

    def rows(self):
        names = ",".join(f"'{fid(n)}'" for n in self.chance.sample(range(PEOPLE), 20))
        self.world.ask(f"ALTER TABLE gone ADD CONSTRAINT known CHECK (registration NOT IN ({names})) NOT VALID")
        return lambda: self.world.ask("ALTER TABLE gone DROP CONSTRAINT known")

    def slow(self):
        self.world.ask(f"UPDATE pace SET seconds = {self.chance.uniform(0, 0.1)}")
        return lambda: self.world.ask("UPDATE pace SET seconds = 0")

    def cut(self):
        """Connections are cut while the run works."""
        ended = threading.Event()

        def work():
            while not ended.wait(0.05):
                self.world.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'")

        thread = threading.Thread(target=work)
        thread.start()

        def end():
            ended.set()
            thread.join()

        return end
