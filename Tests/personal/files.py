"""A random campaign as the files that herald reads."""

import gzip
import json
import string


def quoted(text):
    """A double-quoted scalar of YAML: everything but plain ASCII is escaped."""
    plain = string.ascii_letters + string.digits + " !#$%&'()*+,-./:;<=>?@[]^_`{|}~"
    return '"' + "".join(c if c in plain else f"\\U{ord(c):08x}" for c in text) + '"'


def flow(value):
    """A value in YAML's flow style."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)}: {flow(member)}" for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def document(made, bad_rows="skip"):
    """The audience and the campaign of a file."""
    personal = made.personal
    columns = {made.kind: "registration", **({"seen": "last seen"} if made.has_seen else {})}
    fields = {}
    for name, field in personal.every.items():
        fields[name] = {
            **({} if field.kind == "text" else {"type": field.kind}),
            **({"max": field.max} if field.max else {}),
            **({} if made.columns[name] == name else {"column": made.columns[name]}),
        }
    uses = {"fields": personal.fields, "bad_rows": bad_rows}
    if personal.locale:
        uses.update(locale=personal.locale, default_locale=personal.default_locale)
    audience = {
        "kind": "audience",
        "name": made.name,
        "source": {"file": made.name + made.suffix, "columns": columns},
        "fields": fields,
    }
    campaign = {
        "kind": "campaign",
        "name": made.name,
        "target": {"audience": made.name},
        "personal": uses,
        "message": personal.message,
        **({"locales": personal.locales} if personal.locales else {}),
        **made.settings,
    }
    if personal.variants:
        campaign["variants"] = {name: written(variant) for name, variant in personal.variants.items()}
    return "---\n".join(
        "".join(f"{key}: {flow(value)}\n" for key, value in part.items()) for part in (audience, campaign)
    )


def written(variant):
    parts = {
        "weight": variant.weight,
        "holdout": variant.holdout,
        "message": variant.message,
        "locales": variant.locales,
    }
    return {key: value for key, value in parts.items() if value}


def list_file(made, chance):
    """The bytes of the list. Sets each row's line."""
    lines = csv_lines(made, chance) if ".csv" in made.suffix else ndjson_lines(made, chance)
    data = "".join(lines).encode()
    return gzip.compress(data, mtime=0) if made.suffix.endswith(".gz") else data


def csv_lines(made, chance):
    names = list(made.personal.every)
    header = [
        "registration",
        *(made.columns[name] for name in names),
        *(["last seen"] if made.has_seen else []),
        "other",
    ]
    rows = [
        [row.registration, *(row.texts[name] or "" for name in names), *([row.seen] if made.has_seen else []), "x"]
        for row in made.rows
    ]
    line = 1
    for index, fields in enumerate([header, *rows]):
        text = ",".join(csv_field(field, chance) for field in fields) + chance.choice(["\n", "\n", "\r\n"])
        if index:
            made.rows[index - 1].line = line
        line += text.count("\n")
        yield text


def csv_field(text, chance):
    if chance.random() < 0.2 or any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def ndjson_lines(made, chance):
    for line, row in enumerate(made.rows, 1):
        row.line = line
        values = {
            made.columns[name]: text for name, text in row.texts.items() if text is not None or chance.random() < 0.5
        }
        for key, text in values.items():
            # A number of moderate size may stand without quotes.
            if (
                text
                and text.isascii()
                and text.isdecimal()
                and len(text) < 16
                and str(int(text)) == text
                and chance.random() < 0.5
            ):
                values[key] = int(text)
        object = {
            "registration": row.registration,
            **values,
            **({"last seen": row.seen} if made.has_seen else {}),
            "other": None,
        }
        escaped = json.dumps(object)
        yield (
            escaped if len(escaped) < 8000 and chance.random() < 0.5 else json.dumps(object, ensure_ascii=False)
        ) + "\n"
