"""What each recipient of a personal campaign gets, worked out from the contract alone.

Nothing here is shared with herald: Babel formats numbers and dates, and messages are values, not bytes.
"""

import functools
import urllib.parse
from dataclasses import dataclass, field as member
from typing import Optional

import languages
import places
import sizes
import split
import values
from templates import Slot, parsed, slots


def merged(target, patch):
    """RFC 7396: null removes, objects are merged, anything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, change in patch.items():
        if change is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), change)
    return result


@dataclass(frozen=True)
class Bad:
    """A row that gets nothing. `fields` are all that have this mistake; empty where no single one is at fault."""

    kind: str
    fields: frozenset = frozenset()


@dataclass(frozen=True)
class Good:
    """Whose text somebody gets. `message` is None for who is held out."""

    locale: Optional[str]
    variant: Optional[str]
    message: Optional[dict]


class Undecided(Exception):
    """Whether the row is good depends on how FCM counts bytes."""


@dataclass
class Variant:
    weight: int = 1
    holdout: bool = False
    message: dict = member(default_factory=dict)
    locales: dict = member(default_factory=dict)


@dataclass
class Personal:
    """A campaign. `fields` are those that its messages may use; `every` those of its audience."""

    message: dict
    fields: list
    every: dict
    seed: str
    locale: Optional[str] = None
    default_locale: Optional[str] = None
    locales: dict = member(default_factory=dict)
    variants: dict = member(default_factory=dict)
    by: Optional[str] = None

    def __post_init__(self):
        self.draft = functools.cache(self._draft)
        self._personal_texts = functools.cache(self._find_texts)

    def outcome(self, row, registration):
        """What the row of this registration gives. `row` has a text, or None, for each field of the audience."""
        known = {name: values.trimmed(row.get(name)) for name in self.every}
        for name, kind in self.every.items():
            if kind.kind == "locale" and languages.tag(known[name]) is None:
                known[name] = None
        locale = languages.chosen(self._row_tag(known), self.locales)
        return self._mistake(known, locale) or self._good(known, locale, registration)

    def _draft(self, locale, variant):
        """The message of a class, with its placeholders."""
        message = merged(self.message, self.locales.get(locale, {}))
        if variant is None:
            return message
        chosen = self.variants[variant]
        message = merged(merged(message, chosen.message), chosen.locales.get(locale, {}))
        return places.replaced(message, lambda path, text: labelled(path, text, variant))

    def _find_texts(self, locale):
        """The texts with placeholders that recipients of this locale may get, with their places."""
        return [
            (places.place(path, text), text)
            for variant in self._sent
            for path, text in places.texts(self.draft(locale, variant))
            if slots(text)
        ]

    @property
    def _sent(self):
        """The variants that get a message; one without a name in a campaign without variants."""
        return [name for name, variant in self.variants.items() if not variant.holdout] if self.variants else [None]

    def _row_tag(self, known):
        return languages.tag(known[self.locale]) if self.locale else None

    def _mistake(self, known, locale):
        """The first kind of mistake, judged over all that recipients of this locale may get."""
        texts = self._personal_texts(locale)
        missing = {
            slot.field
            for _, text in texts
            for slot in slots(text)
            if slot.default is None and known[slot.field] is None
        }
        if missing:
            return Bad("missing", frozenset(missing))
        present = {name: known[name] for name in self.fields if known[name] is not None}
        for kind, is_at_fault in (
            ("wrong_type", lambda field, value: not values.is_of_kind(value, field.kind)),
            ("too_long", lambda field, value: field.max is not None and values.characters(value) > field.max),
            ("control_character", lambda _, value: values.has_control(value)),
        ):
            fields = frozenset(name for name, value in present.items() if is_at_fault(self.every[name], value))
            if fields:
                return Bad(kind, fields)
        for place, text in texts:
            if place == places.LINK and {".", ".."} & set(segments(self._written(known, text, place, None))):
                return Bad("bad_url", frozenset(slot.field for slot in slots(text)))
        judged = [sizes.is_too_large(self._filled(known, locale, variant)) for variant in self._sent]
        if True in judged:
            return Bad("too_large")
        if None in judged:
            raise Undecided
        return Bad("no_split", frozenset([self.by])) if self.by and known[self.by] is None else None

    def _good(self, known, locale, registration):
        if not self.variants:
            return Good(locale, None, self._filled(known, locale, None))
        unit = known[self.by] if self.by else split.recipient_key(registration)
        name = split.variant(self.seed, unit, {name: variant.weight for name, variant in self.variants.items()})
        return Good(locale, name, None if self.variants[name].holdout else self._filled(known, locale, name))

    def _filled(self, known, locale, variant):
        """The message of a class with a row's values."""
        text = languages.tag(locale if locale is not None else self.default_locale)
        language = languages.writing(text, self._row_tag(known))

        def fill(path, text):
            return self._written(known, text, places.place(path, text), language) if slots(text) else plain(text)

        return places.replaced(self.draft(locale, variant), fill)

    def _written(self, known, text, place, language):
        return "".join(
            self._value(known, part, place, language) if isinstance(part, Slot) else part for part in parsed(text)
        )

    def _value(self, known, slot, place, language):
        value = known[slot.field]
        if value is None:
            value = slot.default
        elif place == places.PERSON:
            value = languages.formatted(value, self.every[slot.field].kind, language)
        return urllib.parse.quote(value, safe="-._~") if place == places.LINK else value


def plain(text):
    """A text without placeholders, in which braces may be written."""
    return "".join(parsed(text))


def labelled(path, text, variant):
    """Analytics tell the variants apart."""
    return f"{text}_{variant}" if path[-2:] == ("fcm_options", "analytics_label") else text


def segments(link):
    """The parts of a link's path."""
    rest = link.partition("://")[2].partition("#")[0].partition("?")[0]
    return rest.split("/")[1:]
