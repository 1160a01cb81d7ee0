"""A year of runs of herald with send windows, held against the model: 40 zones, every clock change, people who move, join
and leave, and hours in which nothing ran. TIMING_SEED repeats a year."""

import collections
import unittest

from model import DAYS, Campaign, Window
from world import ANCHORS, SEED, World, clock, emulated_folder, fid, first_minute, stamp


class Year(World):
    def __init__(self, folder, host):
        super().__init__(folder, host)
        self.campaigns = []

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


class WindowTests(unittest.TestCase):
    def test_a_year_agrees_with_the_model(self):
        print(f"TIMING_SEED={SEED}")
        with emulated_folder() as (folder, host):
            self.live(Year(folder, host))

    def live(self, year):
        runs = messages = 0
        for place, day in enumerate(ANCHORS):
            first = first_minute(day)
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
                        expected[f"{campaign.name}@{stamp(campaign.due)}", fid(person)] += 1
                self.assertEqual(sent, expected, f"at {stamp(now)}, TIMING_SEED={SEED}\n{done.stdout}{done.stderr}")
                self.assertIn(done.returncode, (0, 4), done.stderr)
                runs, messages = runs + 1, messages + sum(sent.values())
            # What is over by then is over: a later run sends nothing of it.
            for campaign in year.campaigns:
                (year.folder / f"{campaign.name}.yaml").unlink(missing_ok=True)
            year.campaigns.clear()
        print(f"{runs} runs, {messages} messages")
        self.assertGreater(messages, 100 * len(ANCHORS))
