#!/usr/bin/env python3
"""Checks that every relative link in a Markdown file leads to a file and, after a #, to one of its headings, that every
page of docs/ that a source names is there and named by its whole path, that another page links to each of them, and
that the pages about the code name only files and types that are in Sources."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CODE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?:\]\(|(?:src|href)=\")([^)\s\"]+)")
NAMED = re.compile(r"(?<![\w/.])docs/[\w./-]+\.md(?:#[\w-]+)?")
PAGES = {page.name: page.relative_to(ROOT) for page in ROOT.glob("docs/*/*.md")}
SHORTENED = re.compile(r"(?<![\w/.-])([\w-]+\.md)#[\w-]+")
# The pages that lead through the code. `Name` there is a type or a folder, `Name.part` a part of a type.
ABOUT_CODE = ["ARCHITECTURE.md", "docs/explanation/a-campaign-through-the-code.md"]
SPAN = re.compile(r"`([^`\n]+)`")
# A row of a table that says which types are in which file.
ROW = re.compile(r"^\| (`[^|]+`) \| `([^`|]+\.swift)` \|", re.MULTILINE)
TYPE = re.compile(r"([A-Z]\w*[a-z]\w*|FCM)(?:\.([a-z]\w*))?")
DECLARED = re.compile(r"\b(?:struct|enum|class|actor|protocol|typealias|extension) ([\w.]+)")
PART = re.compile(r"\b(?:func|var|let|case|typealias) (\w+)")


def tracked(*patterns):
    """Files of the repository, new ones included."""
    names = subprocess.check_output(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns], cwd=ROOT, text=True)
    return [path for path in (ROOT / name for name in sorted(set(filter(None, names.split("\0"))))) if path.is_file()]


def anchors(page):
    """The names of a page's headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", CODE.sub("", page.read_text()), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = base = re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")
        number = 0
        while name in found:
            number += 1
            name = f"{base}-{number}"
        found.add(name)
    return found


def problem(folder, link):
    path, _, anchor = link.partition("#")
    target = (folder / path).resolve()
    if not target.exists():
        return f"{link} leads nowhere"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return f"{link}: there is no such heading"
    return None


def problems_of_source(text):
    """What is wrong with the pages that a source names. The line of a name in Swift's interpolation ends before its
    anchor."""
    yield from (found for link in NAMED.findall(text) if (found := problem(ROOT, link)))
    yield from (f"{name} needs its whole path: {PAGES[name]}" for name in SHORTENED.findall(text) if name in PAGES)


class Sources:
    """What the files of Sources are called and declare."""

    def __init__(self, root=ROOT):
        self.root = root
        files = [file.relative_to(root) for file in (root / "Sources").rglob("*") if file.is_file()]
        self.files = ["/" + str(file) for file in files]
        self.folders = {folder.name for file in files for folder in file.parents}
        self.folders |= {folder.name for folder in (root / "Tests").glob("*") if folder.is_dir()}
        self.parts, self.declared = {}, {}
        for file in files:
            if file.suffix == ".swift":
                text = (root / file).read_text()
                parts = set(PART.findall(text))
                names = {name.rpartition(".")[2] for name in DECLARED.findall(text)}
                self.declared["/" + str(file)] = names
                for name in names:
                    self.parts.setdefault(name, set()).update(parts)

    def problem(self, span):
        """What is wrong with a code span of a page about the code."""
        if span.endswith(".swift"):
            return None if any(file.endswith("/" + span) for file in self.files) else f"Sources has no {span}"
        if span.startswith(("Sources/", "Tests/", "Scripts/")):
            return None if (self.root / span).exists() else f"there is no {span}"
        if not (named := TYPE.fullmatch(span)):
            return None
        name, part = named.groups()
        if name not in self.parts and (part or name not in self.folders):
            return f"Sources declares no {name}"
        return f"{name} has no {part}" if part and part not in self.parts[name] else None

    def problem_of_row(self, types, file):
        """What is wrong with a row: the file must declare or extend one of the types."""
        names = {name for path, names in self.declared.items() if path.endswith("/" + file) for name in names}
        return None if names & set(types) else f"{file} has none of {', '.join(types)}"


def problems_of_page_about_code(text, sources):
    text = CODE.sub("", text)
    spans = dict.fromkeys(SPAN.findall(text))
    rows = [(SPAN.findall(types), file) for types, file in ROW.findall(text)]
    found = [*map(sources.problem, spans), *(sources.problem_of_row(types, file) for types, file in rows)]
    return list(filter(None, found))


def main():
    problems, linked = [], set()
    sources = Sources()
    for name in ABOUT_CODE:
        problems += ((ROOT / name, found) for found in problems_of_page_about_code((ROOT / name).read_text(), sources))
    for page in tracked("*.md"):
        text = re.sub(r"`[^`\n]*`", "", CODE.sub("", page.read_text()))
        for link in LINK.findall(text):
            if not re.match(r"[a-z]+:", link):
                whole = page.name + link if link.startswith("#") else link
                problems.append((page, problem(page.parent, whole)))
                linked.add((page.parent / link.partition("#")[0]).resolve())
    for source in tracked(":!*.md", ":!Tests/fixtures/fuzz"):
        if source.suffix in (".swift", ".py", ".sh", ".yaml", ".yml", ".json", ".http", ".c", ""):
            problems += ((source, found) for found in problems_of_source(source.read_text(errors="replace")))
    for page in tracked("docs/*.md"):
        if not {page, page.parent} & linked:
            problems.append((page, "no other page links to it"))
    for source, found in problems:
        if found:
            print(f"{source.relative_to(ROOT)}: {found}", file=sys.stderr)
    sys.exit(1 if any(found for _, found in problems) else 0)


if __name__ == "__main__":
    main()
