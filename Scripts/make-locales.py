#!/usr/bin/env python3
"""Writes how languages write numbers and dates, from CLDR as Babel brings it.

    make-locales.py            writes the table of Sources/HeraldCore/Personal and the expectations of its tests
    make-locales.py --check    fails if they are not what Babel says

It needs Babel of the version in Tests/requirements.txt: another one may bring another CLDR. Languages are written with
Latin digits and in the Gregorian calendar. As in Babel, minimumGroupingDigits is ignored, and the minus is U+002D.
"""
import copy
import datetime
import decimal
import pathlib
import sys

import babel
from babel import Locale, dates, localedata, numbers
from babel.core import get_cldr_version, get_global

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "Sources/HeraldCore/Personal/LocaleTable.swift"
EXPECTATIONS = ROOT / "Tests/fixtures/locales.tsv"

LANGUAGES = """
    af am ar as az be bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl gu ha he hi hr hu hy id ig is it ja jv ka
    kk km kn ko ky lo lt lv mk ml mn mr ms my nb ne nl nn or pa pl ps pt ro ru sd si sk sl so sq sr sv sw ta te th tk tr
    uk ur uz vi yi zh zu
""".split()

# Scripts that are not the usual one of their language. CLDR has others too, many without names of months.
SCRIPTS = ["az-Cyrl", "bs-Cyrl", "hi-Latn", "pa-Arab", "sr-Latn", "uz-Cyrl", "zh-Hans", "zh-Hant"]

# A value of each kind, as a row writes it. The months come in turn.
NUMBERS = ["0", "7", "-42", "999", "1000", "-1000", "12345", "1234567", "-9223372036854775808", "9223372036854775807"]
DECIMALS = ["0.5", "-0.50", "1234.50", "12345678901234567890.000", "-100000.1", "007.10"]
DATES = [f"{year:04}-{month:02}-{day:02}" for month, (year, day) in enumerate(
    [(2026, 1), (2024, 29), (1999, 31), (2027, 9), (1582, 10), (987, 15), (1, 2), (2000, 30), (9999, 12), (2026, 31),
     (1970, 5), (2026, 25)], start=1)]


def tag(locale):
    """The tag by which herald looks the locale up: without its script if the language is written so anyway."""
    likely = get_global("likely_subtags").get(locale.language, "").split("_")
    if locale.language == "zh" and locale.territory in ("TW", "HK", "MO") or locale.script not in (None, *likely[1:2]):
        script = locale.script
    else:
        script = None
    return "-".join(part for part in (locale.language, script, locale.territory) if part)


def number(text, locale):
    pattern = copy.copy(locale.decimal_formats[None])
    digits = len(text.partition(".")[2])
    pattern.frac_prec = (digits, digits)
    value = decimal.Decimal(text) if digits else int(text)
    with decimal.localcontext(prec=60):
        return pattern.apply(value, locale, numbering_system="latn")


def date(text, locale):
    return dates.format_date(datetime.date.fromisoformat(text), "long", locale)


def symbols(locale):
    return [read(locale, numbering_system="latn") for read in
            (numbers.get_group_symbol, numbers.get_decimal_symbol)]


def date_parts(locale):
    """The long pattern with %d, %m, %y for numbers and %B for the month's name, and the names of the months."""
    pattern, parts, at = locale.date_formats["long"].pattern, "", 0
    months = locale.months["format"]["wide"]
    while at < len(pattern):
        sign = pattern[at]
        if sign == "'":
            end = pattern.index("'", at + 1)
            parts += pattern[at + 1:end] or "'"
            at = end + 1
            continue
        if not sign.isascii() or not sign.isalpha():
            parts, at = parts + sign, at + 1
            continue
        run = sign * (len(pattern[at:]) - len(pattern[at:].lstrip(sign)))
        if run in ("MMM", "MMMM", "LLLL"):
            context = "stand-alone" if run[0] == "L" else "format"
            months = locale.months[context]["wide" if len(run) == 4 else "abbreviated"]
            parts += "%B"
        elif run == "G":
            parts += locale.eras["abbreviated"][1]
        else:
            parts += {"d": "%d", "dd": "%D", "M": "%m", "MM": "%M", "y": "%y"}[run]
        at += len(run)
    return parts, [months[number] for number in range(1, 13)]


def style(locale):
    pattern = locale.decimal_formats[None]
    assert pattern.pattern in ("#,##0.###", "#,##,##0.###"), (locale, pattern.pattern)
    parts, months = date_parts(locale)
    fields = [*symbols(locale), "2" if "##," in pattern.pattern[2:] else "3", parts,
              ",".join(months)]
    assert not any("|" in field or '"' in field or "\\" in field for field in fields), locale
    assert fields[4].count(",") == 11, locale
    return "|".join(fields)


def escaped(text):
    """What cannot be told apart when it is read is written as its number."""
    return "".join(f"\\u{{{ord(c):X}}}" if c not in " " and not c.isprintable() or c == "\u00a0" else c for c in text)


def tables():
    """The tags of each style, and a locale of Babel's for each tag."""
    found, styles = {}, {}
    for name in sorted(localedata.locale_identifiers()):
        locale = Locale.parse(name)
        written = tag(locale)
        scripts = [part for part in written.split("-")[1:] if len(part) == 4]
        if locale.language in LANGUAGES and not locale.variant:
            if not scripts or f"{locale.language}-{scripts[0]}" in SCRIPTS:
                found.setdefault(written, locale)
    for name in sorted(found):
        parts, own = name.split("-"), style(found[name])
        base = "-".join(part for part in parts[:2] if len(part) == 4 and part != "Hans")
        base = f"{parts[0]}-{base}" if base else parts[0]
        if base != name and style(found[base]) == own:
            continue
        styles.setdefault(own, []).append(name)
    # A language's own script may be written all the same.
    for name in sorted(found):
        script = get_global("likely_subtags").get(name, "").split("_")[1:2]
        if script and f"{name}-{script[0]}" not in found and name != "zh":
            written = f"{name}-{script[0]}"
            styles[style(found[name])].append(written)
            found[written] = found[name]
    return {own: sorted(names) for own, names in styles.items()}, found


def swift(styles):
    lines = sorted(f"{' '.join(names)}|{own}" for own, names in styles.items())
    table = "\n".join("        " + escaped(line) for line in lines)
    return f'''// swift-format-ignore-file
// Written by Scripts/make-locales.py, from CLDR {get_cldr_version()} in Babel {babel.__version__}. Do not change it by hand.

/// How languages write numbers and dates.
enum LocaleTable {{
    /// One style a line, its parts between strokes: the tags, what separates groups of digits, the decimal sign, the
    /// digits in a group after the last three, the long date, the months. In a date, `%d` is the day, `%m`
    /// the month, `%D` and `%M` the same with two digits, `%B` the month's name, `%y` the year.
    static let text = """
{table}
        """
}}
'''


def expectations(styles, found):
    names = sorted(name for names in styles.values() for name in names)
    rows = [["tag", *NUMBERS, *DECIMALS, *DATES]]
    for name in names:
        locale = found[name]
        rows.append([name, *(number(text, locale) for text in NUMBERS + DECIMALS), *(date(text, locale) for text in DATES)])
    return "".join("\t".join(row) + "\n" for row in rows)


def files():
    styles, found = tables()
    return {TABLE: swift(styles), EXPECTATIONS: expectations(styles, found)}


def main():
    old = []
    for path, text in files().items():
        if "--check" not in sys.argv:
            path.write_text(text)
        elif path.read_text() != text:
            old.append(str(path.relative_to(ROOT)))
    if old:
        sys.exit(f"{' and '.join(old)}: not what Babel {babel.__version__} says; run Scripts/make-locales.py")


if __name__ == "__main__":
    main()
