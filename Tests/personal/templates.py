"""Texts with placeholders: `{{ field }}`, `{{ field | default: 'text' }}`, and `{{'{{'}}`, which writes braces."""

import functools
import re
from dataclasses import dataclass
from typing import Optional

PLACEHOLDER = re.compile(
    r"\{\{ *(?:(?P<field>[A-Za-z_][A-Za-z0-9_]*)(?: *\| *default: *'(?P<default>(?:[^']|'')*)')?"
    r"|'(?P<braces>\{\{)') *\}\}"
)


class NotATemplate(ValueError):
    """A text with braces that are no placeholder."""


@dataclass(frozen=True)
class Slot:
    """Where a value goes. `default` is None where there is none."""

    field: str
    default: Optional[str] = None


@functools.cache
def parsed(text):
    """The literal parts and the slots of a text, in order. Each literal part is the longest possible."""
    parts, literal, place = [], "", 0
    while (begin := text.find("{{", place)) >= 0:
        found = PLACEHOLDER.match(text, begin)
        if text.startswith("{{{", begin) or not found or "{{" in (found["default"] or ""):
            raise NotATemplate(text)
        literal += text[place:begin]
        place = found.end()
        if found["braces"]:
            literal += "{{"
            continue
        default = found["default"]
        parts += [literal, Slot(found["field"], default if default is None else default.replace("''", "'"))]
        literal = ""
    literal += text[place:]
    return tuple(part for part in (*parts, literal) if part != "")


@functools.cache
def slots(text):
    return [part for part in parsed(text) if isinstance(part, Slot)]


def literal_start(text):
    """What stands before the first slot."""
    first = next(iter(parsed(text)), "")
    return "" if isinstance(first, Slot) else first
