"""The values of a row: trimmed, missing, of their type, not too long, without control characters."""

import datetime
import re
import unicodedata
from dataclasses import dataclass
from typing import Optional

import regex

# Unicode's property White_Space. Python's `str.isspace` has U+001C to U+001F too.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
INTEGER = re.compile(r"-?[0-9]+", re.ASCII)
DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?", re.ASCII)
DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", re.ASCII)


@dataclass(frozen=True)
class Field:
    """A column that messages may use."""

    kind: str = "text"
    max: Optional[int] = None


def trimmed(text):
    """The value without white space around it. None where nothing is left, and where there was no text."""
    return (text or "").strip(WHITE_SPACE) or None


def characters(text):
    """How many characters people count: clusters of UAX #29."""
    return len(regex.findall(r"\X", text))


def is_of_kind(value, kind):
    if kind == "integer":
        return bool(INTEGER.fullmatch(value)) and -(1 << 63) <= int(value) < 1 << 63
    if kind == "decimal":
        return bool(DECIMAL.fullmatch(value))
    if kind == "date":
        return day(value) is not None
    return True


def day(value):
    """The day that `YYYY-MM-DD` names, or None if there is none."""
    found = DATE.fullmatch(value)
    try:
        return datetime.date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def is_control(character):
    """C0 and C1 controls, the separators of lines and paragraphs, and what sets the direction of text."""
    code = ord(character)
    return (
        code < 0x20
        or 0x80 <= code < 0xA0
        or code in (0x2028, 0x2029)
        or 0x202A <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
    )


def has_control(value):
    return any(map(is_control, value))


def shown(value):
    """A value for a test's failure, with names in place of what cannot be seen."""
    return "".join(c if c.isprintable() else f"<{unicodedata.name(c, f'U+{ord(c):04X}')}>" for c in value)
