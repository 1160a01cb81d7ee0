"""Every command of herald in these files exists, with its options."""

import json
import re
import shlex
import unittest

import commands
import places
from commands import Commands, Unknown
from places import ACTION, COMPOSE, DEPLOY, DOCKERFILE, GITLAB, KUBERNETES, ROOT, UNITS, WORKFLOWS

# `Scripts/follow-docs.py` checks the README and docs/.
PAGES = [DEPLOY / "README.md", *sorted(ROOT.glob(".github/ISSUE_TEMPLATE/*.yml"))]


def shell_of(document):
    """All texts in a YAML document that a shell runs."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key in ("run", "script", "after_script", "before_script"):
                yield from [value] if isinstance(value, str) else value
            else:
                yield from shell_of(value)
    elif isinstance(document, list):
        for value in document:
            yield from shell_of(value)


def containers():
    """The arguments of herald in each container of Kubernetes and Compose."""
    for path in KUBERNETES:
        for resource in places.documents(path):
            for container in find(resource, "containers"):
                if "command" not in container:
                    yield path, container["args"]
    for name, service in places.document(COMPOSE)["services"].items():
        if "herald" in service["image"]:
            yield COMPOSE, service["command"]


def find(value, key):
    """Everything in the lists that `key` names, at any depth."""
    if isinstance(value, dict):
        for name, child in value.items():
            if name == key:
                yield from child
            else:
                yield from find(child, key)
    elif isinstance(value, list):
        for child in value:
            yield from find(child, key)


def shown():
    """Every command that a file shows, with the file."""
    for path in [*WORKFLOWS, ACTION, GITLAB]:
        for text in shell_of(places.document(path)):
            yield from ((path, words) for words in commands.shell_commands(text))
    for path in sorted(DEPLOY.rglob("*.sh")):
        yield from ((path, words) for words in commands.shell_commands(path.read_text()))
    yield from containers()
    for path in UNITS:
        for line in re.findall(r"^ExecStart=/usr/bin/herald (.*)$", path.read_text(), re.M):
            yield path, shlex.split(line)
    for line in re.findall(r"CMD (\[.*\])$", DOCKERFILE.read_text(), re.M):
        words = json.loads(line)
        yield DOCKERFILE, words[1:] if words[0] == "herald" else words
    hooks = ROOT / ".pre-commit-hooks.yaml"
    config = places.document(DEPLOY / "pre-commit/.pre-commit-config.yaml")["repos"][0]["hooks"]
    for hook, use in zip(places.document(hooks), config, strict=True):
        yield hooks, shlex.split(hook["entry"])[1:] + use["args"]
    # What comments and pages tell people to type.
    for path in [*DEPLOY.rglob("*"), *WORKFLOWS]:
        if path.is_file():
            for line in re.findall(r"^#.*", path.read_text(), re.M):
                yield from ((path, shlex.split(words)) for words in re.findall(r"'herald ([^']+)'", line))
                # What stands further to the right is to be typed.
                if line.startswith("#  "):
                    yield from ((path, words) for words in commands.shell_commands(line.lstrip("# ")))
    for path in PAGES:
        text = path.read_text()
        yield from ((path, words) for words, _ in commands.page_commands(text))


class CommandTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = Commands.of(places.HERALD)

    def test_what_the_files_show_exists(self):
        count = 0
        for path, words in shown():
            count += 1
            with self.subTest(file=str(path.relative_to(ROOT)), command=" ".join(words)):
                self.commands.check(words)
        self.assertGreater(count, 25, "most of the commands were not found")

    def test_what_herald_lacks_is_found(self):
        for words in ["sent", "run --all", "work", "state shows", "review --lists none", "apply --report"]:
            with self.subTest(words), self.assertRaises(Unknown):
                self.commands.check(words.split())

    def test_versions_are_this_version(self):
        version = places.run(places.HERALD, "--version").split()[0]
        for path in [*DEPLOY.rglob("*"), ACTION]:
            if path.is_file():
                for found in re.findall(r"[\w.-]+/herald[:@]v?([0-9.]+[0-9])|rev: v([0-9.]+)", path.read_text()):
                    with self.subTest(file=str(path.relative_to(ROOT))):
                        self.assertEqual("".join(found), version)
