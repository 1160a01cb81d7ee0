#!/usr/bin/env python3
"""Writes herald's man pages from what the program says of itself: one page for each command.

    Scripts/manual.py PROGRAM FOLDER    write herald.1, herald-plan.1, … into FOLDER
    Scripts/manual.py PROGRAM           print the names of the pages
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys


def asked(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def plain(text):
    """Text that roff takes as it is."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return re.sub(r"^([.'])", r"\\&\1", escaped, flags=re.MULTILINE)


def option(argument):
    """How an option is written: -w, --workspace <folder>."""
    names = ", ".join(("--" if name["kind"] == "long" else "-") + name["name"] for name in argument["names"])
    value = f" <{argument['valueName']}>" if argument["kind"] == "option" else ""
    return names + value


def usage(name, command):
    """The words of the command line, each marked as what to type (bold) or what to fill in (italic)."""
    words = [r"\fB" + plain(name) + r"\fR"]
    arguments = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
    for argument in arguments:
        if argument["kind"] == "positional":
            word = r"\fI" + plain(argument["valueName"]) + r"\fR"
        elif argument["isOptional"]:
            continue
        else:
            long = argument["preferredName"]["name"]
            word = r"\fB\-\-" + plain(long) + r"\fR \fI" + plain(argument["valueName"]) + r"\fR"
        words.append(f"[{word}]" if argument["isOptional"] else word)
    if any(argument["kind"] != "positional" for argument in arguments):
        words.insert(1, r"[\fIoptions\fR]")
    if command.get("subcommands"):
        words.append(r"\fIcommand\fR")
    return " ".join(words)


def explained(argument):
    """What an argument is for, with its values and default where the sentence does not say them."""
    text = argument.get("abstract", "")
    # Only the default may be missing: sentences name the values.
    default = argument.get("defaultValue")
    if default and "default" not in text:
        text += f" (default: {default})"
    return plain(text)


def page(path, command, version, date):
    """One man page. `path` is the command's words: herald state show."""
    lines = [f'.TH {plain("-".join(path)).upper()} 1 "{date}" "herald {version}" "herald"']
    lines.append(".nh")
    lines += [".SH NAME", f"{plain('-'.join(path))} \\- {plain(command['abstract'].rstrip('.'))}"]
    lines += [".SH SYNOPSIS", usage(" ".join(path), command)]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", plain(command["discussion"])]
    shown = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
    for title, kinds in [("ARGUMENTS", ["positional"]), ("OPTIONS", ["option", "flag"])]:
        part = [argument for argument in shown if argument["kind"] in kinds]
        if part:
            lines.append(f".SH {title}")
        for argument in part:
            name = argument["valueName"] if title == "ARGUMENTS" else option(argument)
            lines += [".TP", r"\fB" + plain(name) + r"\fR", explained(argument)]
    if command.get("subcommands"):
        lines.append(".SH COMMANDS")
        for child in command["subcommands"]:
            lines += [".TP", r"\fB" + plain(" ".join([*path, child["commandName"]])) + r"\fR"]
            lines.append(plain(child.get("abstract", "")))
    related = [path[:-1]] if path[1:] else []
    related += [[*path, child["commandName"]] for child in command.get("subcommands", [])]
    if related:
        lines.append(".SH SEE ALSO")
        lines.append(",\n".join(r"\fB" + plain("-".join(other)) + r"\fR(1)" for other in related))
    return "\n".join(line for line in lines if line) + "\n"


def pages(path, command):
    """All commands below `command`, with their words."""
    yield path, command
    for child in command.get("subcommands", []):
        yield from pages([*path, child["commandName"]], child)


def main(program, folder=None):
    root = json.loads(asked(program, "--experimental-dump-help"))["command"]
    # The list of commands ends with one that ArgumentParser adds. It needs no page.
    root["subcommands"] = [child for child in root["subcommands"] if child["commandName"] != "help"]
    version = asked(program, "--version").split()[0]
    moment = int(os.environ.get("SOURCE_DATE_EPOCH") or os.stat(program).st_mtime)
    date = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).date()
    for path, command in pages([root["commandName"]], root):
        name = "-".join(path) + ".1"
        if folder is None:
            print(name)
        else:
            pathlib.Path(folder, name).write_text(page(path, command, version, date), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: Scripts/manual.py PROGRAM [FOLDER]")
    main(*sys.argv[1:])
