"""A year of runs of herald against an emulator, held against the model: 40 zones, every clock change, people who move,
join and leave, and hours in which nothing ran. TIMING_SEED repeats a year."""

import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
from datetime import datetime, timezone

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Scripts"))

import built
from model import DAYS, Campaign, Window

ZONES = """Pacific/Pago_Pago Pacific/Honolulu Pacific/Marquesas America/Anchorage America/Los_Angeles America/Denver
America/Chicago America/New_York America/Caracas America/St_Johns America/Sao_Paulo America/Santiago Atlantic/Azores
Africa/Casablanca Europe/London Europe/Rome Europe/Athens Africa/Cairo Africa/Lagos Asia/Beirut Europe/Moscow
Asia/Tehran Asia/Dubai Asia/Kabul Asia/Karachi Asia/Kolkata Asia/Kathmandu Asia/Dhaka Asia/Yangon Asia/Bangkok
Asia/Shanghai Australia/Eucla Asia/Tokyo Australia/Adelaide Australia/Sydney Australia/Lord_Howe Pacific/Noumea
Pacific/Auckland Pacific/Chatham Pacific/Kiritimati""".split()
ODD = ["", " ", "Nowhere/Land", "CEST", "+05:30", "-0330", "UTC+2", "GMT-11", "Z", "Asia/Calcutta"]
# Days around which clocks change somewhere, and some others.
ANCHORS = ["2026-03-07", "2026-03-28", "2026-04-04", "2026-06-12", "2026-09-26", "2026-10-03", "2026-10-24", "2026-10-31"]
SEED = int(os.environ.get("TIMING_SEED", "1"))


def fid(number):
    return f"cTimingModel{number:010}"


def stamp(minute):
    return datetime.fromtimestamp(minute * 60, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def clock(minute):
    return f"{minute // 60:02}:{minute % 60:02}"


class Year:
    def __init__(self, folder, host):
        self.chance = random.Random(SEED)
        self.folder, self.herald = pathlib.Path(folder), built.herald()
        self.environment = {**os.environ, "FCM_EMULATOR_HOST": host, "HERALD_STATE": f"{folder}/state.sqlite"}
        self.rows = {number: zone for number, zone in enumerate(ZONES + ODD)}
        self.next = len(self.rows)
        self.campaigns = []
        (self.folder / "herald.yaml").write_text(
            "herald: 1\nproject: timing\nfcm: {rate: unlimited, ramp: 0s, settle: 0s}\n")
        (self.folder / "audience.yaml").write_text(
            "kind: audience\nname: all\nsource: {file: all.csv}\nfields: {zone: {type: timezone}}\n")

    def write_list(self):
        lines = [f'{fid(number)},"{zone}"\n' for number, zone in self.rows.items()]
        (self.folder / "all.csv").write_text("fid,zone\n" + "".join(lines))

    def add(self, name, due):
        chance = self.chance
        first = chance.randrange(0, 1440, 15)
        last = (first + chance.randrange(60, 1300, 15)) % 1440 or 1440
        days = set(range(7)) if chance.random() < 0.6 else set(chance.sample(range(7), chance.randint(1, 6)))
        window = Window(first, last, days, chance.random() < 0.75)
        campaign = Campaign(
            name, due, window, chance.choice(["Europe/Rome", "UTC", "America/New_York"]),
            chance.choice([30, 120, 360]), chance.choice([None, 720, 2160]))
        self.campaigns.append(campaign)
        (self.folder / f"{name}.yaml").write_text(f"""kind: campaign
name: {name}
target: {{audience: all}}
message: {{notification: {{title: {name}}}}}
schedule: {{at: "{stamp(due)}", max_lateness: {campaign.lateness}m}}
delivery:
  {"expires_after: %dm" % campaign.expires if campaign.expires else "rate: unlimited"}
  window:
    from: "{clock(first)}"
    to: "{clock(last)}"
    days: "{",".join(DAYS[day] for day in sorted(days))}"
    timezone: {{field: zone, default: {campaign.default}}}
    when_closed: {"wait" if window.waits else "skip"}
""")

    def edit(self):
        """Somebody moves, joins or leaves."""
        chance = self.chance
        kind = chance.randrange(4)
        if kind == 0:
            self.rows[chance.choice(list(self.rows))] = chance.choice(ZONES + ODD)
        elif kind == 1 and len(self.rows) > 30:
            del self.rows[chance.choice(list(self.rows))]
        elif kind == 2:
            self.rows[self.next] = chance.choice(ZONES + ODD)
            self.next += 1

    def run(self, now):
        """Returns who was sent what, and what the program said."""
        receipts = self.folder / "receipts.ndjson"
        receipts.unlink(missing_ok=True)
        done = subprocess.run(
            [self.herald, "-w", str(self.folder), "apply", "--auto-approve", "--at", stamp(now), "--reveal-registrations",
             "--override", "audience_growth", "--override", "audience_collapse", "--receipts", str(receipts)],
            env=self.environment, capture_output=True, text=True, check=False)
        sent = collections.Counter()
        if receipts.exists():
            for line in receipts.read_text().splitlines():
                receipt = json.loads(line)
                sent[receipt["step"].removeprefix("send:").split("@")[0], receipt["registration"]] += 1
        return sent, done

    def moments(self, first):
        """Cron comes every few minutes, sometimes not for hours."""
        now, moments = first - 60, []
        while now < first + 3 * 1440:
            now += self.chance.choice([5, 10, 35, 60, 60, 120, 180, 420])
            moments.append(now)
        return moments


class WindowTests(unittest.TestCase):
    def test_a_year_agrees_with_the_model(self):
        print(f"TIMING_SEED={SEED}")
        with tempfile.TemporaryDirectory() as folder:
            emulator = subprocess.Popen([built.herald(), "emulator"], stdout=subprocess.PIPE, text=True)
            try:
                host = emulator.stdout.readline().strip().split("=", 1)[1]
                self.live(Year(folder, host))
            finally:
                emulator.kill()
                emulator.wait()
                emulator.stdout.close()

    def live(self, year):
        runs = messages = 0
        for place, day in enumerate(ANCHORS):
            first = int(datetime.fromisoformat(f"{day}T00:00+00:00").timestamp()) // 60
            for number in range(5):
                year.add(f"c{place}-{number}", first + year.chance.randrange(0, 1440))
            for now in year.moments(first):
                if year.chance.random() < 0.3:
                    year.edit()
                year.write_list()
                sent, done = year.run(now)
                expected = collections.Counter()
                for campaign in year.campaigns:
                    for person in campaign.run(now, year.rows):
                        expected[campaign.name, fid(person)] += 1
                self.assertEqual(sent, expected, f"at {stamp(now)}, TIMING_SEED={SEED}\n{done.stdout}{done.stderr}")
                self.assertIn(done.returncode, (0, 4), done.stderr)
                runs, messages = runs + 1, messages + sum(sent.values())
            # What is over by then is over: a later run sends nothing of it.
            for campaign in year.campaigns:
                (year.folder / f"{campaign.name}.yaml").unlink(missing_ok=True)
            year.campaigns.clear()
        print(f"{runs} runs, {messages} messages")
        self.assertGreater(messages, 1000)
