"""Who gets a message when, written from the contract and from nothing else: send windows by each person's clock.

Times are minutes since 1970 in UTC. Nothing here knows herald's code."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
UTC = timezone.utc


def zone(text):
    """What a row's text stands for. None if it is no zone."""
    text = text.strip()
    if text == "Z":
        return UTC
    bare = text.removeprefix("UTC").removeprefix("GMT")
    if bare[:1] in "+-" and bare[:1]:
        sign, digits = (-1 if bare[0] == "-" else 1), bare[1:].replace(":", "")
        if digits.isdigit() and (len(digits) == 4 or bare != text):
            hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
            return timezone(sign * timedelta(hours=hours, minutes=minutes))
    try:
        return ZoneInfo(text) if text else None
    except (ValueError, OSError, KeyError):
        return None


@dataclass
class Window:
    first: int  # minutes after midnight
    last: int  # 1440 is midnight; earlier than `first` ends on the next day
    days: set
    waits: bool

    def is_open(self, minute, clock):
        local = datetime.fromtimestamp(minute * 60, clock)
        now = local.hour * 60 + local.minute
        if self.first < self.last:
            return self.first <= now < self.last and local.weekday() in self.days
        if now >= self.first:
            return local.weekday() in self.days
        return now < self.last and (local.weekday() - 1) % 7 in self.days


@dataclass
class Campaign:
    name: str
    due: int
    window: Window
    default: str
    lateness: int
    expires: int | None
    # Whom the occurrence is for, once it has begun.
    people: set | None = None
    settled: dict = field(default_factory=dict)
    is_over: bool = False
    # When a run found nobody of all who are left who could start.
    waited: int | None = None
    _open: dict = field(default_factory=dict)

    def clock(self, text):
        return zone(text) or ZoneInfo(self.default)

    def open_minutes(self, clock, until):
        """How many minutes the window was open since the campaign was due."""
        sums = self._open.setdefault(str(clock), [0])
        while len(sums) <= until - self.due:
            sums.append(sums[-1] + self.window.is_open(self.due + len(sums) - 1, clock))
        return sums[until - self.due]

    def is_late(self, clock, now):
        used = self.open_minutes(clock, now)
        # Only the time counts in which they might have started. Whose clock says that they might have when nobody could,
        # or that they were late by then, has moved since.
        if self.waited is not None:
            before = self.open_minutes(clock, self.waited)
            if self.window.is_open(self.waited, clock) or before > self.lateness:
                used -= before
        return used > self.lateness

    def goes_by_wait(self, clock, now):
        """Whether a later `waited` would give more time to whoever is in time by the one of now alone."""
        if self.waited is None or self.open_minutes(clock, now) <= self.lateness:
            return False
        return self.open_minutes(clock, now) > self.open_minutes(clock, self.waited)

    def run(self, now, rows):
        """What a run at that time does. `rows` has the zone's text of everybody on the list.

        Returns who is sent the message."""
        if self.is_over or now < self.due:
            return set()
        if self.expires is not None and now >= self.due + self.expires:
            self.is_over = True
            return set()
        clocks = {person: self.clock(text) for person, text in rows.items()}
        if not clocks or all(self.is_late(clock, now) for clock in clocks.values()):
            # Too late for whoever is listed. With nobody on the list the default zone decides.
            self.is_over = bool(clocks) or self.is_late(self.clock(""), now)
            return set()
        people = set(rows) if self.people is None else self.people
        sent, was_late = set(), False
        for person in sorted(people & set(rows)):
            if person in self.settled:
                continue
            if self.is_late(clocks[person], now):
                self.settled[person], was_late = "missed", True
            elif self.window.is_open(now, clocks[person]):
                self.settled[person] = now
                sent.add(person)
            elif not self.window.waits:
                self.settled[person] = "outside"
        if self.settled:
            self.people = people
            self.is_over = self.people <= set(self.settled)
        left = people - set(self.settled)
        if left and left <= set(rows) and not sent and not was_late:
            if not any(self.goes_by_wait(clocks[person], now) for person in left):
                self.waited = now
        return sent
