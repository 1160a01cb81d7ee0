#!/usr/bin/env python3
"""Compares herald's requests with fixtures that were written by hand from FCM's documentation.

    check-wire.py                compares Tests/heraldTests/Golden/wire (recorded) with Tests/fixtures/wire (by hand)
    check-wire.py --self-test    also checks that a recording with any single change is found to differ

Both hold HTTP requests with '###' between them. Lines with '# ' are comments for people. Method, path with query and
headers are compared as text, headers in any order. Bodies are compared as JSON values. Each difference is one line of
output, and the exit code is 1 if there is any.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "Tests/fixtures/wire"
RECORDINGS = ROOT / "Tests/heraldTests/Golden/wire"


def requests(text):
    """The requests of a file, each a dictionary of its parts."""
    found = []
    for part in ("\n" + text).split("\n###\n"):
        lines = [line for line in part.strip().split("\n") if not line.startswith("# ")]
        head, _, body = "\n".join(lines).partition("\n\n")
        first, *fields = head.split("\n")
        method, path = first.split(" ")
        headers = dict(field.split(": ", 1) for field in fields)
        if len(headers) != len(fields):
            raise ValueError(f"a header of {first} is there twice")
        found.append({"method": method, "path": path, "headers": headers, "body": json.loads(body) if body else None})
    return found


def leaves(value, place=""):
    """The scalars of a JSON value with their places; empty objects and arrays count as scalars."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, f"{place}.{key}")
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{place}[{index}]")
    else:
        # In JSON, true differs from 1, and 1 from 1.0.
        yield place, json.dumps(value)


def differences(expected, recorded):
    """What of the recording is not as expected."""
    if len(expected) != len(recorded):
        yield f"{len(recorded)} requests, not {len(expected)}"
    for number, (one, other) in enumerate(zip(expected, recorded), start=1):
        one, other = dict(leaves(one)), dict(leaves(other))
        for place in sorted(one.keys() | other.keys()):
            if one.get(place) != other.get(place):
                yield f"request {number}, {place[1:]}: {other.get(place, 'absent')}, not {one.get(place, 'absent')}"


def compare():
    """All differences, with the names of their files."""
    names = sorted({path.name for folder in (FIXTURES, RECORDINGS) for path in folder.glob("*.http")})
    for name in names:
        if not (FIXTURES / name).exists():
            yield f"{name}: nobody wrote down what is expected"
        elif not (RECORDINGS / name).exists():
            yield f"{name}: no test records it"
        else:
            expected, recorded = (requests((folder / name).read_text()) for folder in (FIXTURES, RECORDINGS))
            for difference in differences(expected, recorded):
                yield f"{name}: {difference}"
    if not names:
        yield "there are no fixtures"


def changed(value):
    """Every value that differs from this one in one place."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield {other: kept for other, kept in value.items() if other != key}
            for variant in changed(inner):
                yield {**value, key: variant}
        yield {**value, "stranger": "here"}
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield value[:index] + value[index + 1:]
            for variant in changed(inner):
                yield value[:index] + [variant] + value[index + 1:]
    else:
        yield [value]


def self_test():
    """Changes that the comparison does not see."""
    for path in sorted(FIXTURES.glob("*.http")):
        expected = requests(path.read_text())
        if list(differences(expected, expected)):
            yield f"{path.name}: differs from itself"
        for variant in changed(expected):
            if not list(differences(expected, variant)):
                yield f"{path.name}: not seen: {json.dumps(variant)}"


if __name__ == "__main__":
    problems = list(compare()) + (list(self_test()) if "--self-test" in sys.argv[1:] else [])
    print("\n".join(problems) if problems else "the wire is as the fixtures have it")
    sys.exit(1 if problems else 0)
