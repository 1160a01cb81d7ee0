"""What herald understands, as it says itself, and the commands of herald that files show."""

import json
import re
import shlex
import subprocess


class Unknown(Exception):
    """A command line that herald would not take."""


class Commands:
    def __init__(self, root):
        """`root` is the command herald with its subcommands and arguments."""
        self.root = root

    @classmethod
    def of(cls, herald):
        return cls(json.loads(subprocess.check_output([herald, "--experimental-dump-help"]))["command"])

    def check(self, words, is_whole=True):
        """Raises `Unknown` unless herald has the command, and the command has the options.

        `words` begins after herald. A command that is not whole may lack values and options that it needs.
        """
        command, given, words = self.root, set(), list(words)
        while words:
            word = words.pop(0)
            if word.startswith("-"):
                argument = self._option(command, word.split("=")[0])
                given.add(argument["preferredName"]["name"])
                if argument["kind"] == "option" and "=" not in word:
                    self._take_value(argument, word, words, is_whole)
            elif child := self._child(command, word):
                command = child
            elif word.startswith("$"):
                # Whatever the variable holds.
                continue
            elif not any(argument["kind"] == "positional" for argument in command.get("arguments", [])):
                raise Unknown(f"herald {command['commandName']} takes no '{word}'")
        for argument in command.get("arguments", []) if is_whole else []:
            if argument["kind"] == "option" and not argument["isOptional"]:
                name = argument["preferredName"]["name"]
                if name not in given:
                    raise Unknown(f"herald {command['commandName']} needs --{name}")

    @staticmethod
    def _take_value(argument, word, words, is_whole):
        # A dash alone stands for standard output.
        if words and (words[0] == "-" or not words[0].startswith("-")):
            value, values = words.pop(0), argument.get("allValues")
            # A variable, or a word that stands for a value.
            if values and value not in values and not value.startswith(("$", "<")) and not value.isupper():
                raise Unknown(f"{word} cannot be '{value}'")
        elif is_whole and "defaultValue" not in argument:
            raise Unknown(f"{word} needs a value")

    @staticmethod
    def _option(command, word):
        for argument in command.get("arguments", []):
            for name in argument.get("names", []):
                if word == ("--" if name["kind"] == "long" else "-") + name["name"]:
                    return argument
        raise Unknown(f"herald {command['commandName']} has no {word}")

    @staticmethod
    def _child(command, word):
        return next((child for child in command.get("subcommands", []) if child["commandName"] == word), None)


# Where a command begins, and the words after herald.
BEGINNING = r"""(?:^[ $-]*|[;&|({'"]\s*|\brun: |\benv \S+ |=\S+ |\bsudo |\bthen |\bdo )\s*"""
CALL = re.compile(rf"({BEGINNING})(?:/usr/bin/)?herald ((?:'[^'\n]*'|[^;&|<>()\n`'])*)")
REDIRECTION = re.compile(r" \d?[<>]+&?\s*[^\s;&|()]*")
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHELL = ("sh", "shell", "console", "yaml", "crontab", "text")


def shell_commands(text):
    """The words after each `herald` in a shell text, comments left out."""
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    for line in lines:
        line = REDIRECTION.sub("", re.sub(r"(^|\s)#.*", "", line))
        # At the beginning of a command, with variables before it or not. What 'echo' says in quotes counts as well.
        for beginning, words in CALL.findall(line):
            if beginning.strip().endswith("'"):
                words = words.partition("'")[0]
            try:
                yield shlex.split(words)
            except ValueError:
                # A quote that was opened before herald.
                yield words.replace('"', " ").split()


def page_commands(markdown):
    """The commands on a page, each with whether it is whole. In a sentence it need not be."""
    for kind, code in BLOCK.findall(markdown):
        if kind in SHELL:
            yield from ((words, True) for words in shell_commands(code))
    for words in re.findall(r"`herald ([^`\n]+)`", BLOCK.sub("", markdown)):
        yield shlex.split(words), False
