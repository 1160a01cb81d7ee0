"""Random campaigns and random rows, hostile ones too."""

import json
import random
from dataclasses import dataclass, field as member

from renderer import Personal, Undecided, Variant
import languages
from hostile import HOSTILE, LANGUAGES, NAMES, NO_TAGS, NUMBERS, REFUSED, REGIONS, WORDS
from values import WHITE_SPACE, Field

# Bytes of a row's values. A line has at most 8 KiB.
LONGEST = 7000
# What a campaign is with this chance.
HAS_LOCALES, HAS_VARIANTS, IS_SPLIT_BY_FIELD, ASKS_FOR_SEEN = 0.75, 0.7, 0.3, 0.3


@dataclass
class Row:
    """A line of a list. `texts` has what the list says, by the name of the field."""

    registration: str
    texts: dict
    seen: str = ""
    line: int = 0


@dataclass
class Campaign:
    """A campaign with an audience of its own."""

    name: str
    personal: Personal
    columns: dict
    rows: list
    suffix: str
    settings: dict
    has_seen: bool
    # For each registration the row that counts, and what becomes of it.
    outcomes: dict = member(default_factory=dict)

    @property
    def kind(self):
        return "token" if ":" in self.rows[0].registration else "fid"


class World:
    """Makes campaigns, the same ones for the same seed."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self._people = 0

    def campaign(self, number, rows):
        chance = self.chance
        name = f"c{number}"
        every = self._fields()
        usable = [key for key, field in every.items() if field.kind != "locale" and key != "account"]
        used = chance.sample(usable, chance.randint(1, len(usable)))
        personal = Personal(message=self._message(used, every), fields=used, every=every, seed="")
        if chance.random() < HAS_LOCALES:
            personal.locale, personal.default_locale = "lang", chance.choice(["en", "it", "de-CH", "pt_BR", "tlh"])
            # The message itself is in that language.
            keys = [key for key in self._locales() if languages.tag(key) != languages.tag(personal.default_locale)]
            personal.locales = {key: self._locale(used) for key in keys or ["sl"]}
        if chance.random() < HAS_VARIANTS:
            personal.variants = self._variants(used, personal.locales)
        settings = {}
        if chance.random() < 0.3:
            settings["revision"] = chance.randint(2, 4)
        if chance.random() < 0.3:
            settings["previous_names"] = [f"older-{number}"]
        personal.seed = f"{settings.get('previous_names', [name])[0]}#{settings.get('revision', 1)}"
        if personal.variants and chance.random() < 0.5:
            personal.seed = chance.choice(["spring-2027", "é 👍", f"s{number}"])
            settings.setdefault("split", {})["seed"] = personal.seed
        if personal.variants and chance.random() < IS_SPLIT_BY_FIELD:
            personal.by = settings.setdefault("split", {})["by"] = "account"
        columns = {key: chance.choice([key, key, f"{key.title()} of it", f"x, {key}"]) for key in every}
        made = Campaign(
            name,
            personal,
            columns,
            [],
            chance.choice([".csv", ".csv", ".csv.gz", ".ndjson", ".ndjson.gz"]),
            settings,
            chance.random() < ASKS_FOR_SEEN,
        )
        self._fill(made, rows)
        return made

    # Audiences

    def _fields(self):
        chance = self.chance
        fields = {f"t{n}": Field(max=chance.choice([None, None, 3, 12, 40])) for n in range(chance.randint(1, 3))}
        for kind in ("integer", "decimal", "date"):
            if chance.random() < 0.6:
                fields[f"{kind}_"] = Field(kind)
        return {**fields, "lang": Field("locale"), "account": Field()}

    def _fill(self, made, count):
        """Rows, some of an installation that another row has too. The one seen last counts, else the last one."""
        for _ in range(count):
            again = self.chance.random() < 0.06 and made.rows
            row = Row(self.chance.choice(made.rows).registration if again else self._registration(made), {})
            while True:
                row.texts = {key: self._text(key, field, made.personal) for key, field in made.personal.every.items()}
                try:
                    outcome = made.personal.outcome(row.texts, row.registration)
                except Undecided:
                    continue
                if len(json.dumps(row.texts, ensure_ascii=False).encode()) < LONGEST:
                    break
            row.seen = (
                f"2026-11-{self.chance.randint(1, 28):02}T10:00:{len(made.rows) % 60:02}Z" if made.has_seen else ""
            )
            made.rows.append(row)
            former = made.outcomes.get(row.registration)
            if former is None or row.seen >= former[0].seen:
                made.outcomes[row.registration] = (row, outcome)

    def _registration(self, made):
        """Tokens are long, and most of them begin with a fid."""
        self._people += 1
        fid = self.chance.choice("cdef") + f"TEST{self._people:017}"
        kind = made.kind if made.rows else self.chance.choice(["fid", "token"])
        if kind == "fid":
            return fid
        head = fid if self.chance.random() < 0.8 else f"odd{self._people}"
        return f"{head}:APA91b_" + "EXAMPLE_NOT_A_REAL_TOKEN-" * 5

    def _text(self, key, field, personal):
        chance = self.chance
        if chance.random() < 0.06:
            return chance.choice([None, "", " ", *WHITE_SPACE, "\u2003\u3000 "])
        return self._around(self._bare(key, field, personal))

    def _around(self, text):
        if text is None or self.chance.random() < 0.8:
            return text
        return self.chance.choice(WHITE_SPACE) * self.chance.randint(0, 2) + text + self.chance.choice(WHITE_SPACE)

    def _bare(self, key, field, personal):
        chance = self.chance
        if field.kind == "locale":
            return self._tag(personal.locales)
        if key == "account":
            return f"account {chance.randint(0, 9)}"
        if field.kind in NUMBERS:
            good, bad = NUMBERS[field.kind]
            if chance.random() < 0.05:
                return chance.choice(bad)
            return (
                chance.choice([*good, str(chance.randint(0, 10**9))])
                if field.kind == "integer"
                else chance.choice(good)
            )
        return self._name(field.max)

    def _name(self, most):
        chance, kind = self.chance, self.chance.random()
        if most and kind < 0.1:
            # Exactly as many characters as there may be, or one more.
            return chance.choice(["a", "é", "e\u0301", "👍🏽", "🇮🇹", "שָ"]) * (most + (chance.random() < 0.3))
        if kind < 0.45:
            return chance.choice(NAMES)[:most]
        if kind < 0.5:
            refused = chance.choice(REFUSED)
            return f"{chance.choice(['a', 'é'])}{refused}b" if chance.random() < 0.8 else refused
        if kind < 0.52 and not most:
            return chance.choice(["x" * 4096, "é" * 2100, '"' * 3300, "👍" * 1100, "{{ t0 }}" * 520])
        if kind < 0.54 and not most:
            return chance.choice(NAMES + HOSTILE) * chance.randint(1, 30)
        if kind < 0.85:
            return chance.choice(HOSTILE)[: most and max(most, 3)]
        return chance.choice(NAMES) + chance.choice(HOSTILE)

    def _tag(self, locales):
        chance = self.chance
        if chance.random() < 0.1:
            return chance.choice(NO_TAGS)
        tag = chance.choice([*locales, *locales, *LANGUAGES]) if locales else chance.choice(LANGUAGES)
        language = {"iw": "he", "no": "nb", "zh-TW": "zh-Hant"}.get(tag, tag)
        if chance.random() < 0.5 and language in REGIONS:
            tag = f"{language}-{chance.choice(REGIONS[language])}"
        if chance.random() < 0.15:
            tag += chance.choice(["-u-co-phonebk", "-x-team", "-u-nu-latn-x-a-b", "-1996"])
        return chance.choice([tag, tag.upper(), tag.lower(), tag.replace("-", "_")])

    # Messages

    def _locales(self):
        keys = self.chance.sample(LANGUAGES, self.chance.randint(1, 5))
        normal = {"pt_PT": "pt-pt", "zh-TW": "zh-hant-tw", "zh_Hant_HK": "zh-hant-hk"}
        return list({normal.get(key, key): key for key in keys}.values())

    def _locale(self, used):
        """Some replace all that is read, some only the title, some also remove what the message has."""
        patch = self._patch(used, self.chance.random() < 0.2)
        if self.chance.random() < 0.3:
            del patch["notification"]["body"]
        if self.chance.random() < 0.15:
            patch["apns"] = None
        if self.chance.random() < 0.15:
            patch["android"] = {"notification": {"tag": None, "color": "#0B5FA5"}, "data": None}
        return patch

    def _variants(self, used, locales):
        names = self.chance.sample(["a", "b", "control", "x-2", "10", "9"], self.chance.randint(2, 3))
        variants = {name: Variant(self.chance.choice([1, 1, 5, 33, 45, 1000])) for name in names}
        for number, variant in enumerate(variants.values()):
            if number == 0 and self.chance.random() < 0.6:
                continue
            if number == 2 and self.chance.random() < 0.6:
                variant.holdout = True
                continue
            # What replaces a text gives it for each locale.
            has_data = self.chance.random() < 0.3
            variant.message, *others = (self._patch(used, has_data) for _ in range(1 + len(locales)))
            variant.locales = dict(zip(locales, others))
        return variants

    def _patch(self, used, has_data):
        patch = {"notification": {"title": self._sentence(used), "body": self._sentence(used)}}
        if has_data:
            patch["data"] = {"k1": None, "new": self._sentence(used)}
        return patch

    def _message(self, used, every):
        chance = self.chance
        texts = [key for key in used if every[key].kind == "text"]
        message = {"notification": {"title": self._sentence(used), "body": self._sentence(used)}}
        if chance.random() < 0.3:
            message["notification"]["image"] = self._link(used)
        if chance.random() < 0.8:
            message["data"] = {
                f"k{n}": chance.choice([self._sentence, self._link, self._deep_link])(used)
                for n in range(chance.randint(1, 3))
            }
        if chance.random() < 0.4:
            message["android"] = {
                "notification": {"body": self._sentence(used), "tag": self._slot(texts) if texts else "tag"}
            }
            if chance.random() < 0.5:
                message["android"]["notification"].update(title_loc_key="k", title_loc_args=[self._sentence(used), "x"])
            if chance.random() < 0.3:
                message["android"]["data"] = {"only": self._sentence(used)}
        if chance.random() < 0.4:
            alert = {"title": self._sentence(used), "body": self._sentence(used)}
            if chance.random() < 0.3:
                alert.update({"loc-key": "k", "loc-args": [self._sentence(used)]})
            payload = {
                "aps": {"alert": alert if chance.random() < 0.8 else self._sentence(used)},
                "custom": {"deep": [self._sentence(used), {"er": self._deep_link(used)}], "n": 1, "yes": True},
            }
            message["apns"] = {"headers": {"apns-push-type": "alert"}, "payload": payload}
        if chance.random() < 0.3:
            message["webpush"] = {
                "notification": {"title": self._sentence(used)},
                "fcm_options": {"link": self._link(used)},
            }
        if chance.random() < 0.4:
            message["fcm_options"] = {"analytics_label": "label"}
        return message

    def _slot(self, used):
        name, space = self.chance.choice(used), self.chance.choice(["", " ", " ", " "])
        if self.chance.random() < 0.25:
            return f"{{{{{space}{name}{space}}}}}"
        default = self.chance.choice(["", "there", "it''s", "non lo so", "}}", "|", "é👍", '"', "0"])
        return f"{{{{{space}{name}{space}|{space}default: '{default}'{space}}}}}"

    def _sentence(self, used):
        """Literal text and placeholders. A brace before a placeholder would make three."""
        text = ""
        for _ in range(self.chance.randint(1, 4)):
            text += self.chance.choice(["", " ", "."])
            text += self._slot(used) if self.chance.random() < 0.5 else self.chance.choice([*WORDS, "{{'{{'}}"]) + " "
        return text

    def _link(self, used):
        form = self.chance.choice(
            [
                "https://x.example/{}/b?c={}#{}",
                "https://x.example/a{}{}.png",
                "https://x.example/p/{}",
                "https://x.example/{}/{}/",
            ]
        )
        return form.format(*(self._plain_slot(used) for _ in range(form.count("{}"))))

    def _deep_link(self, used):
        return self.chance.choice(
            ["tideapp://spot/{}", "tideapp://spot/x/{}/y?z=1", "see https://x.example/{}"]
        ).format(self._plain_slot(used))

    def _plain_slot(self, used):
        name = self.chance.choice(used)
        return "{{ " + name + self.chance.choice([" }}", " | default: 'none' }}", " | default: 'ü b' }}"])
