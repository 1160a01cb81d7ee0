"""A year of runs of herald with campaigns in local time, held against the model. TIMING_SEED repeats a year."""

import collections
import unittest
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

from local import LocalCampaign
from model import Window
from world import ANCHORS, SEED, World, clock, emulated_folder, fid, first_minute, stamp


def local_text(minute):
    return datetime.fromtimestamp(minute * 60, timezone.utc).strftime("%Y-%m-%dT%H:%M")


class Year(World):
    RUN_EVERY = 30

    def __init__(self, folder, host):
        super().__init__(folder, host, f"runner: {{every: {self.RUN_EVERY}m}}\n")
        self.campaigns = []

    def add(self, name, first):
        chance = self.chance
        # Some hours are those at which clocks change.
        minutes = [0, 30, 60, 90, 120, 121, 150, 180, 540, 547, 1260, 1425]
        campaign = LocalCampaign(
            name, None, None, chance.choice(["Europe/Rome", "UTC", "America/New_York"]),
            chance.choice([30, 120, 120, 600]), run_every=self.RUN_EVERY,
            gap=chance.choice(["next", "next", "skip"]), overlap=chance.choice(["first", "second"]))
        if chance.random() < 0.5:
            campaign.at = first + chance.randrange(0, 1440) // 10 * 10
            campaign.if_passed = chance.choice(["skip", "next_day"])
            time = f'at: "{local_text(campaign.at)}", if_passed: {campaign.if_passed}'
        else:
            minute = chance.choice(minutes)
            others = chance.sample([0, 3, 6, 12], chance.choice([1, 1, 2]))
            campaign.hours = sorted({(minute + 60 * hour) % 1440 for hour in others})
            campaign.catch_up = chance.choice(["latest", "latest", "all", "none"])
            hours = ",".join(str(time // 60) for time in campaign.hours)
            time = f'cron: "{minute % 60} {hours} * * *", catch_up: {campaign.catch_up}'
        delivery = []
        if chance.random() < 0.4:
            start = chance.randrange(0, 1440, 30)
            end = (start + chance.randrange(300, 1380, 30)) % 1440 or 1440
            # By each one's clock like the schedule, or by the clock of one place for everybody.
            place = chance.choice([None, "Europe/Rome", "Asia/Tokyo"])
            campaign.window = Window(start, end, set(range(7)), place is None or chance.random() < 0.5)
            campaign.window_clock = ZoneInfo(place) if place else None
            campaign.expires = 2160
            delivery = [
                f'window: {{from: "{clock(start)}", to: "{clock(end)}", '
                f'{f"timezone: {place}, " if place else ""}'
                f'when_closed: {"wait" if campaign.window.waits else "skip"}}}']
        elif chance.random() < 0.3:
            campaign.expires = chance.choice([60, 240])
        if campaign.expires:
            delivery.append(f"expires_after: {campaign.expires}m")
        self.campaigns.append(campaign)
        (self.folder / f"{name}.yaml").write_text(f"""kind: campaign
name: {name}
target: {{audience: all}}
message: {{notification: {{title: {name}}}}}
schedule:
  {{{time}, timezone: {{field: zone, default: {campaign.default}}}, max_lateness: {campaign.lateness}m,
   dst: {{gap: {campaign.gap}, overlap: {campaign.overlap}}}}}
delivery: {{{", ".join(delivery)}}}
""")


class LocalTimeTests(unittest.TestCase):
    def test_a_year_agrees_with_the_model(self):
        print(f"TIMING_SEED={SEED}")
        with emulated_folder() as (folder, host):
            self.live(Year(folder, host))

    def live(self, year):
        runs = messages = 0
        for place, day in enumerate(ANCHORS):
            first = first_minute(day)
            for number in range(5):
                year.add(f"c{place}-{number}", first)
            for now in year.moments(first, days=2):
                if year.chance.random() < 0.3:
                    year.edit()
                year.write_list()
                sent, done = year.run(now)
                expected = collections.Counter()
                for campaign in year.campaigns:
                    for local, person in campaign.run(now, year.rows):
                        expected[f"{campaign.name}@{local_text(local)}", fid(person)] += 1
                self.assertEqual(
                    (dict(sent - expected), dict(expected - sent)), ({}, {}),
                    f"at {stamp(now)}, TIMING_SEED={SEED}: too many, too few\n{done.stdout}{done.stderr}")
                self.assertIn(done.returncode, (0, 4), done.stderr)
                runs, messages = runs + 1, messages + sum(sent.values())
            for campaign in year.campaigns:
                (year.folder / f"{campaign.name}.yaml").unlink(missing_ok=True)
            year.campaigns.clear()
        print(f"{runs} runs, {messages} messages")
        self.assertGreater(messages, 100 * len(ANCHORS))
