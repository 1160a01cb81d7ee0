"""A workspace with people in 40 zones and an emulator, in which herald runs at times that a test chooses."""

import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from datetime import datetime, timezone

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Scripts"))

import built

ZONES = """Pacific/Pago_Pago Pacific/Honolulu Pacific/Marquesas America/Anchorage America/Los_Angeles America/Denver
America/Chicago America/New_York America/Caracas America/St_Johns America/Sao_Paulo America/Santiago Atlantic/Azores
Africa/Casablanca Europe/London Europe/Rome Europe/Athens Africa/Cairo Africa/Lagos Asia/Beirut Europe/Moscow
Asia/Tehran Asia/Dubai Asia/Kabul Asia/Karachi Asia/Kolkata Asia/Kathmandu Asia/Dhaka Asia/Yangon Asia/Bangkok
Asia/Shanghai Australia/Eucla Asia/Tokyo Australia/Adelaide Australia/Sydney Australia/Lord_Howe Pacific/Noumea
Pacific/Auckland Pacific/Chatham Pacific/Kiritimati""".split()
ODD = ["", " ", "Nowhere/Land", "CEST", "+05:30", "-0330", "UTC+2", "GMT-11", "Z", "Asia/Calcutta"]
# Days around which clocks change somewhere, and some others.
EVERY_ANCHOR = ["2026-03-07", "2026-03-28", "2026-04-04", "2026-06-12", "2026-09-26", "2026-10-03", "2026-10-24", "2026-10-31"]
# All of them take minutes. The changes of the clocks in spring and autumn are always among those that are lived.
ANCHORS = EVERY_ANCHOR if os.environ.get("TIMING_WHOLE") else ["2026-03-28", "2026-10-24", "2026-10-31"]
SEED = int(os.environ.get("TIMING_SEED", "1"))


def fid(number):
    return f"cTimingModel{number:010}"


def stamp(minute):
    return datetime.fromtimestamp(minute * 60, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def clock(minute):
    return f"{minute // 60:02}:{minute % 60:02}"


def first_minute(day):
    return int(datetime.fromisoformat(f"{day}T00:00+00:00").timestamp()) // 60


@contextmanager
def emulated_folder():
    with tempfile.TemporaryDirectory() as folder:
        emulator = subprocess.Popen([built.herald(), "emulator"], stdout=subprocess.PIPE, text=True)
        try:
            yield folder, emulator.stdout.readline().strip().split("=", 1)[1]
        finally:
            emulator.kill()
            emulator.wait()
            emulator.stdout.close()


class World:
    def __init__(self, folder, host, settings=""):
        self.chance = random.Random(SEED)
        self.folder, self.herald = pathlib.Path(folder), built.herald()
        self.environment = {**os.environ, "FCM_EMULATOR_HOST": host, "HERALD_STATE": f"{folder}/state.sqlite"}
        self.rows = {number: zone for number, zone in enumerate(ZONES + ODD)}
        self.next = len(self.rows)
        (self.folder / "herald.yaml").write_text(
            f"herald: 1\nproject: timing\nfcm: {{rate: unlimited, ramp: 0s, settle: 0s}}\n{settings}")
        (self.folder / "audience.yaml").write_text(
            "kind: audience\nname: all\nsource: {file: all.csv}\nfields: {zone: {type: timezone}}\n")

    def write_list(self):
        lines = [f'{fid(number)},"{zone}"\n' for number, zone in self.rows.items()]
        (self.folder / "all.csv").write_text("fid,zone\n" + "".join(lines))

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
        """Returns what was sent, by occurrence and person, and what the program said."""
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
                sent[receipt["step"].removeprefix("send:"), receipt["registration"]] += 1
        return sent, done

    def moments(self, first, days=3):
        """Cron comes every few minutes, sometimes not for hours."""
        now, moments = first - 60, []
        while now < first + days * 1440:
            now += self.chance.choice([5, 10, 35, 60, 60, 120, 180, 420])
            moments.append(now)
        return moments
