"""Reads a calendar with an independent parser of RFC 5545 and holds it against the JSON of the same calendar.

Arguments: the calendar, the JSON document, and the same calendar made once more."""

import json
import pathlib
import sys

import icalendar


def wrong(lines):
    """What the format forbids and parsers forgive."""
    if not lines.endswith(b"\r\n"):
        yield "the last line has no end"
    for line in lines.removesuffix(b"\r\n").split(b"\r\n"):
        if len(line) > 75:
            yield f"a line of {len(line)} octets"
        if any(octet < 32 for octet in line):
            yield f"a control character in {line!r}"
        line.decode()  # Folding cuts no character in two.


def events(lines):
    """The events by id: begin, title, description and stamp."""
    calendar = icalendar.Calendar.from_ical(lines)
    found = {}
    for event in calendar.walk("VEVENT"):
        assert str(event["UID"]) not in found, f"twice: {event['UID']}"
        begin = event.decoded("DTSTART").strftime("%Y-%m-%dT%H:%M:%SZ")
        assert str(event.decoded("DTSTART").tzinfo) == "UTC"
        found[str(event["UID"])] = (begin, str(event["SUMMARY"]), str(event["DESCRIPTION"]))
        assert event.decoded("DTSTAMP").tzinfo is not None
    errors = [each for part in calendar.walk() for each in part.errors]
    assert not errors, errors
    return found


def main(calendar, document, again):
    lines = pathlib.Path(calendar).read_bytes()
    problems = list(wrong(lines))
    assert not problems, problems
    found = events(lines)
    occurrences = json.loads(pathlib.Path(document).read_text())["occurrences"]
    assert occurrences and len(found) == len(occurrences), f"{len(found)} events of {len(occurrences)} occurrences"
    for occurrence, (begin, summary, description) in zip(occurrences, found.values()):
        assert begin == occurrence["at"], (begin, occurrence)
        assert summary == occurrence["campaign"]
        first, local, *note = description.split("\n")
        assert first == occurrence["occurrence"]
        whose = "on each recipient's clock" if occurrence.get("last") else occurrence["timezone"]
        assert local == f"{occurrence['local'].replace('T', ' ')} {whose}"
        assert "\n".join(note) == occurrence["note"]
    assert events(pathlib.Path(again).read_bytes()) == found, "the same calendar has other ids"
    print(f"{len(found)} events of {calendar} are read as they were meant")


if __name__ == "__main__":
    main(*sys.argv[1:])
