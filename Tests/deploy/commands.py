"""What herald understands, as it says itself, and the commands that files show."""

import json
import re
import shlex

from places import HERALD, run


class Unknown(Exception):
    """A command line that herald would not take."""


class Commands:
    def __init__(self):
        self.root = json.loads(run(HERALD, "--experimental-dump-help"))["command"]

    def check(self, words):
        """Raises `Unknown` unless herald has the command, and the command has the options.

        `words` begins after herald.
        """
        command, takes, words = self.root, set(), list(words)
        while words:
            word = words.pop(0)
            if word.startswith("-"):
                argument = self._option(command, word.split("=")[0])
                takes.add(argument["preferredName"]["name"])
                if argument["kind"] == "option" and "=" not in word:
                    if not words:
                        raise Unknown(f"{word} needs a value")
                    self._judge(argument, words.pop(0))
            elif child := self._child(command, word):
                command = child
            elif word.startswith("$"):
                # Whatever the variable holds.
                continue
            elif not any(argument["kind"] == "positional" for argument in command.get("arguments", [])):
                raise Unknown(f"herald {command['commandName']} takes no '{word}'")
        for argument in command.get("arguments", []):
            if argument["kind"] == "option" and not argument["isOptional"] and argument["valueName"] not in takes:
                raise Unknown(f"herald {command['commandName']} needs --{argument['valueName']}")

    @staticmethod
    def _option(command, word):
        for argument in command.get("arguments", []):
            for name in argument.get("names", []):
                if word == ("--" if name["kind"] == "long" else "-") + name["name"]:
                    return argument
        raise Unknown(f"herald {command['commandName']} has no {word}")

    @staticmethod
    def _judge(argument, value):
        values = argument.get("allValues")
        if values and value not in values and not value.startswith(("$", "<")):
            raise Unknown(f"--{argument['valueName']} cannot be '{value}'")

    @staticmethod
    def _child(command, word):
        return next((child for child in command.get("subcommands", []) if child["commandName"] == word), None)


# Where a command begins.
BEGINNING = r"""(?:^|[;&|({'"]\s*|\benv \S+ |\bsudo |\bthen |\bdo )\s*"""


def shell_commands(text):
    """The words after each `herald` in a shell text, comments left out."""
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    for line in lines:
        line = re.sub(r"(^|\s)#.*", "", line)
        # At the beginning of a command, with variables before it or not. What 'echo' says in quotes counts as well.
        for found in re.finditer(BEGINNING + r"(?:/usr/bin/)?herald ([^;&|<>()\n`']*)", line):
            words = found[1]
            try:
                yield shlex.split(words)
            except ValueError:
                # A quote that was opened before herald.
                yield words.replace('"', " ").split()


def blocks(markdown):
    """The shell parts of a page."""
    found = re.findall(r"^```(\w*)\n(.*?)^```", markdown, re.S | re.M)
    return [code for kind, code in found if kind in ("sh", "console")]
