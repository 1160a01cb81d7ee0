#!/usr/bin/env python3
"""Checks how hard the README, the docs and what the program prints are to read.

    readability.py            the median grade, and every sentence that is too long
    readability.py --list     also the grade of each text

The grade is Flesch-Kincaid's: school years that a reader needs. It is the median of all texts, without code, tables and
headings. In what the program prints (help, rules and codes) no sentence has more than 35 words. HERALD can name another
binary than the one of the debug build. Needs textstat.
"""

import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

import built
import textstat

ROOT = Path(__file__).resolve().parents[1]
GRADE = 9
WORDS = 35
LEAST = 40  # words; a grade of less says nothing

# Texts that are not measured, and why.
LEFT_OUT = {
    "docs/reference/rules.md": "the meaning of each rule is measured as `herald explain`; the rest is examples",
    "docs/reference/codes.md": "written from `herald explain`, which is measured",
    "docs/reference/commands.md": "written from the help, which is measured",
}
# Sentences the program prints that may be longer: their beginning, and why.
LONGER = {}


def prose(markdown):
    """What a reader reads of a page: one sentence or more a line."""
    text = re.sub(r"^( *)```.*?^\1```$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->|<[^>]+>", "", text, flags=re.DOTALL)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    paragraphs, current = [], []
    for line in text.split("\n"):
        if not line.strip() or re.match(r" *(\||#|>)", line):
            paragraphs, current = paragraphs + [current], []
        elif re.match(r" *([-*]|\d+\.) ", line):
            paragraphs, current = paragraphs + [current], [re.sub(r"^ *([-*]|\d+\.) ", "", line)]
        else:
            current.append(line.strip())
    joined = (" ".join(lines) for lines in paragraphs + [current] if lines)
    return [plain(paragraph) for paragraph in joined]


def plain(text):
    text = re.sub(r"`[^`]*`", "", text).replace("*", "")
    text = re.sub(r"\(\s*\)", "", text)
    return re.sub(r"\s+([,.;:)])", r"\1", re.sub(r"\s+", " ", text)).strip(" :")


def sentences(paragraphs):
    """A sentence ends with a mark and a space, or with its paragraph."""
    for paragraph in paragraphs:
        yield from (part for part in re.split(r"(?<=[.!?])\s+", paragraph) if part)


def grade(paragraphs):
    text = " ".join(re.sub(r"[.!?:;,]*$", ".", sentence) for sentence in sentences(paragraphs))
    return textstat.flesch_kincaid_grade(text)


def words(text):
    return len(re.findall(r"[\w'’-]+", text))


def help_texts(command, above=()):
    """The description of each command, with what its options mean."""
    name = (*above, command["commandName"])
    parts = [command.get("abstract", ""), *command.get("discussion", "").split("\n\n")]
    parts += [argument.get("abstract", "") for argument in command.get("arguments", [])
              if argument.get("shouldDisplay", True)]  # fmt: skip
    yield " ".join((*name[:1], "help", *name[1:])), [plain(re.sub(r"\s+", " ", part)) for part in parts if part]
    for subcommand in command.get("subcommands", []):
        if subcommand["commandName"] != "help":
            yield from help_texts(subcommand, name)


def explanations(herald):
    """What `herald explain` says of each rule and code, as one text for each kind."""
    names = subprocess.check_output([herald, "explain"], text=True).split()
    rules, codes = [], []
    for name in names:
        lines = subprocess.check_output([herald, "explain", name], text=True).split("\n")
        lines = [plain(line) for line in lines[1:] if line and not line.startswith("Examples: ")]
        (codes if name[0].isupper() else rules).extend(lines)
    return [("herald explain, rules", rules), ("herald explain, codes", codes)]


def main():
    herald = built.herald()
    pages = [(str(path.relative_to(ROOT)), prose(path.read_text()))
             for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]]  # fmt: skip
    tree = json.loads(subprocess.check_output([herald, "--experimental-dump-help"]))["command"]
    printed = [*help_texts(tree), *explanations(herald)]
    problems = []
    for name, paragraphs in printed:
        for sentence in sentences(paragraphs):
            if words(sentence) > WORDS and not sentence.startswith(tuple(LONGER)):
                problems.append(f"{name}: {words(sentence)} words: {sentence}")
    graded = [(grade(text), name) for name, text in [*pages, *printed]
              if name not in LEFT_OUT and words(" ".join(text)) >= LEAST]  # fmt: skip
    if "--list" in sys.argv:
        for value, name in sorted(graded, reverse=True):
            print(f"{value:5.1f}  {name}")
    median = statistics.median(value for value, _ in graded)
    if median > GRADE:
        problems.append(f"the median grade is {median:.1f}, and may be {GRADE}")
    for problem in problems:
        print(f"readability: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
