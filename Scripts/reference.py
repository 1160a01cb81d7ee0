#!/usr/bin/env python3
"""Writes the pages of docs/reference that say what the program knows: its commands, codes and the keys of its files.

    reference.py            writes them
    reference.py --check    fails if one of them is not what this would write

The sources are the help, `herald explain` and schemas/. rules.md is written by a test, with the rules' examples. HERALD
can name another binary than the one of the debug build.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import built

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "reference"
FILES = {
    "herald": ("herald.yaml", "Only this file has variables."),
    "audience": ("Audiences", "[Lists](lists.md) says how the files look that an audience names."),
    "topic": ("Topics", "A topic that a campaign names must be declared. If the app subscribes its users itself, "
              "two lines are enough: `kind: topic` and `name: …`."),
    "group": ("Device groups", "Google ends device groups on 2027-09-29: [Device groups](../how-to/device-groups.md) "
              "says what to do before that."),
    "campaign": ("The keys of a campaign", "[Campaigns](campaigns.md) explains targets and delivery, "
                 "[Schedules](../explanation/schedules.md) when something is due."),
}  # fmt: skip


def cell(text):
    return " ".join(text.split()).replace("|", "\\|")


def written_by(what):
    return f"This page is written by `make reference` from {what}."


# Commands


def commands(tree):
    common = [names(argument) for argument in shown(tree)]
    lines = ["# Commands", "", written_by("the program's help"), "", f"{paragraph(tree['abstract'])} "
             "`herald help COMMAND` prints the same as below.", "", "## Options of every command", "",
             *table(shown(tree))]  # fmt: skip
    for command in tree["subcommands"]:
        if command["commandName"] != "help":
            lines += section(command, ("herald",), common)
    return "\n".join(lines) + "\n"


def section(command, above, common):
    name = " ".join((*above, command["commandName"]))
    own = [argument for argument in shown(command) if names(argument) not in common]
    lines = ["", f"## {name}", "", paragraph(command["abstract"])]
    if command.get("discussion"):
        lines += ["", paragraph(command["discussion"])]
    if not command.get("subcommands"):
        lines += ["", "```text", " ".join([name, *map(usage, own)]), "```"]
    if own:
        lines += ["", *table(own)]
    for subcommand in command.get("subcommands", []):
        lines += section(subcommand, (*above, command["commandName"]), common)
    return lines


def shown(command):
    return [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]


def names(argument):
    if argument["kind"] == "positional":
        return argument["valueName"].upper()
    dashes = {"short": "-", "long": "--"}
    value = f" {argument['valueName'].upper()}" if argument["kind"] == "option" else ""
    return ", ".join(dashes.get(name["kind"], "-") + name["name"] for name in argument["names"]) + value


def usage(argument):
    text = names(argument).split(", ")[-1] + ("…" if argument["isRepeating"] else "")
    return f"[{text}]" if argument["isOptional"] else text


def table(arguments):
    lines = ["| option | means |", "|---|---|"]
    for argument in arguments:
        text = argument.get("abstract", "")
        if argument.get("allValues"):
            text += f" Values: {', '.join(argument['allValues'])}."
        if argument.get("defaultValue"):
            text += f" Default: {argument['defaultValue']}."
        lines.append(f"| `{names(argument)}` | {cell(marked(text))} |")
    return lines


def paragraph(text):
    return "\n\n".join(marked(" ".join(part.split())) for part in text.split("\n\n"))


def marked(text):
    """What the help quotes is code on a page."""
    text = re.sub(r"(?<!\w)'([^'\n]+?)'(?!\w)", r"`\1`", text)
    return re.sub(r"(?<![`\w])<(\w+)>", r"`\1`", text)


# Codes


def codes(herald):
    names = [name for name in output(herald, "explain").split() if name[0].isupper()]
    lines = ["# Codes", "", written_by("`herald explain`"), "",
             "What FCM, Apple or a sign-in answers, as reports name it. `herald explain CODE` prints the same."]  # fmt: skip
    for name in names:
        lines += ["", f"## {name}"]
        for line in output(herald, "explain", name).split("\n")[1:]:
            lines += ["", line] if line else []
    return "\n".join(lines) + "\n"


def output(herald, *arguments):
    return subprocess.check_output([herald, *arguments], text=True)


# Files


def file(name):
    schema = json.loads((ROOT / "schemas" / f"{name}.schema.json").read_text())
    title, text = FILES[name]
    lines = [f"# {title}", "", written_by(f"`schemas/{name}.schema.json`"), "", f"{schema['description']} {text}", "",
             "| key | value | means |", "|---|---|---|"]  # fmt: skip
    return "\n".join(lines + rows(schema, schema, "")) + "\n"


def rows(part, schema, above):
    found = []
    for key, given in part.get("properties", {}).items():
        if given is False:
            continue
        value = resolved({} if given is True else given, schema)
        name = f"{above}{key}"
        text = value.get("description", "")
        if key in part.get("required", []) and "Required." not in text:
            text += " Required."
        if "default" in value:
            text += f" Default: `{plain(value['default'])}`."
        if value.get("examples"):
            text += f" For example `{plain(value['examples'][0])}`."
        found.append(f"| `{name}` | {kind(value, schema)} | {cell(text)} |")
        if given is not True and given.get("$ref") == "#/$defs/patch":
            continue
        for inner in forms(value, schema):
            found += rows(inner, schema, name + ".")
        free = value.get("additionalProperties")
        # A change of a message has the message's keys, which have their rows.
        if isinstance(free, dict) and free.get("$ref") != "#/$defs/patch":
            for inner in forms(resolved(free, schema), schema):
                found += rows(inner, schema, name + ".*.")
        for inner in forms(resolved(value.get("items", {}), schema), schema):
            found += rows(inner, schema, name + "[].")
    return found


def forms(value, schema):
    """A part, and each of the forms that it may have instead."""
    return [value, *(resolved(choice, schema) for choice in value.get("anyOf", []) + value.get("oneOf", []))]


def resolved(part, schema):
    """A part with what its reference says, its own words first."""
    if "$ref" not in part:
        return part
    found = schema
    for name in part["$ref"].split("/")[1:]:
        found = found[name]
    return {**resolved(found, schema), **part}


def kind(value, schema):
    if "const" in value:
        return f"`{plain(value['const'])}`"
    if "enum" in value:
        return ", ".join(f"`{plain(choice)}`" for choice in value["enum"])
    if "type" in value:
        return value["type"] if isinstance(value["type"], str) else " or ".join(value["type"])
    choices = [kind(resolved(choice, schema), schema) for choice in value.get("anyOf", []) + value.get("oneOf", [])
               if choice.get("$ref") != "#/$defs/expanded"]  # fmt: skip
    return " or ".join(dict.fromkeys(filter(None, choices)))


def plain(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def main():
    herald = built.herald()
    tree = json.loads(output(herald, "--experimental-dump-help"))["command"]
    pages = {"commands.md": commands(tree), "codes.md": codes(herald)}
    pages |= {f"{'herald-yaml' if name == 'herald' else name}.md": file(name) for name in FILES}
    stale = [name for name, text in pages.items() if not (PAGES / name).exists() or (PAGES / name).read_text() != text]
    for name in stale:
        if "--check" in sys.argv:
            print(f"docs/reference/{name} is old: run 'make reference' and read the difference", file=sys.stderr)
        else:
            (PAGES / name).write_text(pages[name])
    sys.exit(1 if stale and "--check" in sys.argv else 0)


if __name__ == "__main__":
    main()
