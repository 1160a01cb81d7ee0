"""The personal messages that are measured: two fields, five locales, and variants."""

import json

from figures import shuffled

NAMES = ["Chris", "Ana María", "Jürgen", "Žofia", "Anne-Marie", "O'Hara", "Ludovica", "Bo"]
# The last one has no text of its own.
TAGS = ["it", "de-AT", "fr", "es-MX", "pt-BR", "en"]
TEXTS = {
    "it": ("Ciao {{ first_name | default: 'pescatore' }}", "Hai {{ points }} punti in questo mese."),
    "de": ("Hallo {{ first_name | default: 'Fischer' }}", "Du hast {{ points }} Punkte in diesem Monat."),
    "fr": ("Bonjour {{ first_name | default: 'à tous' }}", "Tu as {{ points }} points ce mois-ci."),
    "es": ("Hola {{ first_name | default: 'pescador' }}", "Tienes {{ points }} puntos en este mes."),
    "pt-BR": ("Olá {{ first_name | default: 'pescador' }}", "Você tem {{ points }} pontos neste mês."),
}
ENGLISH = ("Hi {{ first_name | default: 'there' }}", "You have {{ points }} points in this month.")
REST = {"data": {"screen": "points", "note": "x" * 60}}
FIELDS = "fields: {first_name: {max: 40}, points: {type: integer}, locale: {type: locale}}\n"
PERSONAL = "personal: {fields: [first_name, points], locale: locale, default_locale: en}\n"


def notification(texts, mark=""):
    return {"notification": {"title": texts[0] + mark, "body": texts[1]}}


def campaign(variants):
    """The lines that make the message personal. Each variant but the first has titles of its own."""
    written = {}
    for index, (name, weight) in enumerate(variants.items()):
        written[name] = {"weight": weight}
        if name == "none":
            written[name]["holdout"] = True
        elif index:
            written[name].update(
                message=notification(ENGLISH, "!"),
                locales={tag: notification(texts, "!") for tag, texts in TEXTS.items()})
    locales = {tag: notification(texts) for tag, texts in TEXTS.items()}
    return f"{PERSONAL}locales: {json.dumps(locales)}\nvariants: {json.dumps(written)}\n"


# The same message without them is about as long.
PLAIN = {**notification(("Hi Ludovica", "You have 12,345 points in this month.")), **REST}
MESSAGE = {**notification(ENGLISH), **REST}


def fill(path, column, registration, count):
    """In no order, as lists are."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{column},first_name,points,locale\n")
        for n in shuffled(range(count)):
            file.write(f"{registration(n)},{NAMES[n % len(NAMES)]},{n * 7919 % 100_000},{TAGS[n // 8 % len(TAGS)]}\n")
