"""Language tags: their form, whom a campaign's locales are for, and numbers and dates as Babel writes them."""

import copy
import functools
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Optional

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.numbers import parse_pattern

from values import day

# RFC 5646, without grandfathered tags and without tags that are private throughout.
TAG = re.compile(
    r"(?P<language>[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4}|[a-z]{5,8})"
    r"(?:-(?P<script>[a-z]{4}))?(?:-(?P<region>[a-z]{2}|[0-9]{3}))?"
    r"(?P<variants>(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)"
    r"(?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?",
    re.ASCII,
)
OLDER = {"iw": "he", "in": "id", "ji": "yi", "no": "nb"}
TRADITIONAL = {"tw", "hk", "mo"}


@dataclass(frozen=True)
class Tag:
    language: str
    script: Optional[str] = None
    region: Optional[str] = None
    variants: tuple = ()

    @property
    def chain(self):
        """Itself and what it falls back to, each time one part less. Traditional Chinese does not fall back to Chinese,
        which is simplified."""
        parts = [part for part in (self.script, self.region, *self.variants) if part]
        found = ["-".join([self.language, *parts[:count]]) for count in range(len(parts), -1, -1)]
        return [name for name in found if not (name == "zh" and self.script == "hant")]


@functools.cache
def tag(text):
    """The tag that a text writes, in lower case, or None for what is no tag."""
    found = TAG.fullmatch((text or "").lower().replace("_", "-"))
    if not found:
        return None
    language, script, region = found["language"], found["script"], found["region"]
    language = OLDER.get(language, language)
    if language == "zh" and script is None and region in TRADITIONAL:
        script = "hant"
    return Tag(language, script, region, tuple(found["variants"].split("-")[1:]))


def chosen(row, locales):
    """The key of `locales` whose text a row's tag gets. None for the message itself."""
    keys = {tag(key).chain[0]: key for key in locales}
    return next((keys[name] for name in row.chain if name in keys), None) if row else None


def writing(text, row):
    """The language that numbers and dates are written in: the text's, with the recipient's own region if that is the
    recipient's language, too."""
    if text and row and row.region and text.language == row.language:
        return Tag(text.language, text.script, row.region)
    return text


@functools.cache
def babel_locale(written):
    """Babel's data for a language, without the region where it has none for that."""
    if written is None:
        return None
    for region in (written.region, None):
        parts = [part for part in (written.language, written.script, region) if part]
        try:
            return Locale.parse("-".join(parts), sep="-")
        except (UnknownLocaleError, ValueError):
            continue
    return None


@functools.cache
def formatted(value, kind, written):
    """A value as a person reads it: grouped, with the row's own fraction digits; a long date; Latin digits."""
    locale = babel_locale(written)
    if locale is None or kind not in ("integer", "decimal", "date"):
        return value
    if kind == "date":
        return format_date(day(value), "long", locale=locale)
    pattern = copy.copy(parse_pattern(locale.decimal_formats[None]))
    digits = len(value.partition(".")[2])
    pattern.frac_prec = (digits, digits)
    # The minus is U+002D in every language, as Babel writes it.
    return pattern.apply(Decimal(value), locale, numbering_system="latn")
