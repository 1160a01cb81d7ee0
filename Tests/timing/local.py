"""Who gets a message of a campaign in local time, and when, written from the contract and from nothing else.

Times are minutes since 1970 in UTC; local times are such minutes as a clock at UTC would show them. Nothing here knows
herald's code."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from model import Window, zone

UTC = timezone.utc
# No clock of the world is further from UTC, in minutes.
FARTHEST = 14 * 60


def reaches(local, clock, gap, overlap):
    """The minute at which a clock shows a local time, and whether that time is skipped for good."""
    wall = datetime.fromtimestamp(local * 60, UTC).replace(tzinfo=None)
    early, late = (int(wall.replace(tzinfo=clock, fold=fold).timestamp()) // 60 for fold in (0, 1))
    shown = datetime.fromtimestamp(early * 60, clock).replace(tzinfo=None)
    if shown == wall:
        return (late if overlap == "second" else early), False
    # The clock jumps over it: look for the end of the gap, minute by minute.
    minute = min(early, late) - 1
    while datetime.fromtimestamp(minute * 60, clock).replace(tzinfo=None) < wall:
        minute += 1
    return minute, gap == "skip"


@dataclass
class Occurrence:
    local: int
    waves: dict = field(default_factory=dict)
    settled: dict = field(default_factory=dict)
    is_over: bool = False
    # When a run found nobody of all who are left who could start.
    waited: int | None = None


@dataclass
class LocalCampaign:
    name: str
    hours: list | None  # of a daily schedule, in minutes after midnight
    at: int | None  # the local time of a schedule with one time
    default: str
    lateness: int
    expires: int | None = None
    catch_up: str = "latest"
    if_passed: str = "skip"
    gap: str = "next"
    overlap: str = "first"
    window: Window | None = None
    window_clock: ZoneInfo | None = None  # None if it goes by each one's clock
    run_every: int = 5
    first: int | None = None
    mark: int | None = None
    occurrences: dict = field(default_factory=dict)
    _open: dict = field(default_factory=dict)

    def times(self, after, through):
        if self.at is not None:
            return [self.at]
        days = range(after // 1440, through // 1440 + 1)
        return [t for t in (day * 1440 + hour for day in days for hour in self.hours) if after < t <= through]

    def reach(self, local, clock):
        """When a clock reaches the occurrence, and why nothing is sent there: None, 'no_such_time', 'same_instant',
        'passed'."""
        minute, is_gone = reaches(local, clock, self.gap, self.overlap)
        if is_gone:
            return minute, "no_such_time"
        if self.at is None:
            for other in self.times(local - 1440, local - 1):
                if reaches(other, clock, self.gap, self.overlap) == (minute, False):
                    return minute, "same_instant"
        elif self.is_late(minute, clock, self.first):
            if self.if_passed == "skip":
                return minute, "passed"
            minute, is_gone = reaches(local + 1440, clock, self.gap, self.overlap)
            if self.is_late(minute, clock, self.first):
                return minute, "passed"
            return minute, "no_such_time" if is_gone else None
        return minute, None

    def is_late(self, minute, clock, now, waited=None):
        if self.expires is not None and now >= minute + self.expires:
            return True
        if self.window is None:
            return now > minute + self.lateness
        clock = self.window_clock or clock
        sums = self._open.setdefault((str(clock), minute), [0])
        while len(sums) <= now - minute:
            sums.append(sums[-1] + self.window.is_open(minute + len(sums) - 1, clock))
        if now <= minute:
            return False
        # Whose clock says that they might have started when nobody could, or were late by then, has moved since.
        if waited is None or waited <= minute:
            return sums[now - minute] > self.lateness
        before = sums[waited - minute]
        has_moved = before > self.lateness or self.window.is_open(waited, clock)
        return sums[now - minute] - (before if has_moved else 0) > self.lateness

    def run(self, now, rows):
        """What a run at that time does: who is sent which occurrence. `rows` has the zone's text of everybody."""
        if self.first is None:
            self.first = now
            self.mark = -(1 << 40) if self.at is not None else now
        clocks = {person: zone(text) or ZoneInfo(self.default) for person, text in rows.items()}
        may = {}
        for local in self.times(self.first + FARTHEST, now + FARTHEST):
            occurrence = self.occurrences.setdefault(local, Occurrence(local))
            if not occurrence.is_over:
                may[local] = self.wave(occurrence, now, clocks)
        served, sent = set(), []
        for local in sorted(may, reverse=True):
            occurrence = self.occurrences[local]
            for person in sorted(may[local]):
                if self.catch_up != "all" and person in served:
                    occurrence.settled[person] = "superseded"
                else:
                    occurrence.settled[person] = now
                    sent.append((local, person))
            served |= may[local]
        for local in may:
            self.end(self.occurrences[local], now, clocks)
        self.mark = now
        return sent

    def wave(self, occurrence, now, clocks):
        """Fixes who is in the waves until now, and returns who may start."""
        may, was_late = set(), False
        has_begun = any(fate != "passed" for fate in occurrence.settled.values())
        for person, clock in clocks.items():
            if person not in occurrence.waves:
                minute, fate = self.reach(occurrence.local, clock)
                if not self.mark < minute <= now or fate == "passed":
                    continue
                occurrence.waves[person] = minute
                if fate:
                    occurrence.settled[person] = fate
                elif self.catch_up == "none" and now > minute + 2 * self.run_every:
                    occurrence.settled[person] = "missed"
            if person in occurrence.settled:
                continue
            minute = occurrence.waves[person]
            if self.is_late(minute, clock, now, occurrence.waited):
                occurrence.settled[person], was_late = "missed", True
            elif self.window is None or self.window.is_open(now, self.window_clock or clock):
                may.add(person)
            elif not self.window.waits:
                occurrence.settled[person] = "outside"
        left = set(occurrence.waves) - set(occurrence.settled)
        if left & set(clocks) and not may and not was_late and not (has_begun and left - set(clocks)):
            occurrence.waited = now
        return may

    def end(self, occurrence, now, clocks):
        """It is over when nobody is left, and the clock of nobody on the list has yet to reach it."""
        if not occurrence.waves:
            return
        is_ahead = any(
            person not in occurrence.waves and self.reach(occurrence.local, clock)[0] > now
            for person, clock in clocks.items())
        # Whoever left the list may come back as long as it is not too late.
        owed = [
            person for person in occurrence.waves
            if person not in occurrence.settled
            and not all(
                self.is_late(occurrence.waves[person], clock, now, occurrence.waited)
                for clock in ([clocks[person]] if person in clocks else clocks.values()))]
        occurrence.is_over = not is_ahead and not owed
