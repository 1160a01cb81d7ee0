#!/usr/bin/env python3
"""Checks schemas/ against the metaschema and documents against schemas/.

    check.py                     the schemas themselves, and every YAML document of campaigns/
    check.py --documents DIR     besides, every *.json in DIR, by its "schema": "herald.NAME/1", and every line of
                                 export*.ndjson and events*.ndjson
    check.py --self-test         that wrong documents are refused (self_test.yaml) and that this program can fail

One line a problem, and exit 1 if there is any. Needs jsonschema and PyYAML.
"""

import argparse
import copy
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LINES = {"export": "export-line", "events": "event"}    # files of lines, by what their names begin with
KINDS = ("audience", "topic", "group", "campaign")
MODELINE = re.compile(r"# yaml-language-server: \$schema=(\S+)")


class Loader(yaml.SafeLoader):
    """YAML 1.2's core schema: `no`, `12:30` and `2026-12-01` are text. Refuses a key that is there twice."""

    yaml_implicit_resolvers = {}

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key.value!r} is there twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


for tag, first, pattern in [
    ("null", ["~", "n", "N", ""], r"~|null|Null|NULL|"),
    ("bool", list("tTfF"), r"true|True|TRUE|false|False|FALSE"),
    ("int", list("-+0123456789"), r"[-+]?[0-9]+"),
    ("float", list("-+.0123456789"),
     r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"),
]:
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), first)
# PyYAML would read a leading zero as octal.
Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(loader.construct_scalar(node)))


class Schemas:
    """The validators of a folder, by name (`campaign` for campaign.schema.json), and what is wrong with the folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.problems: list[str] = []
        self.validators: dict[str, Draft202012Validator] = {}
        for path in sorted(folder.glob("*.schema.json")):
            try:
                schema = json.loads(path.read_text(encoding="utf-8"))
                Draft202012Validator.check_schema(schema)
                list(Draft202012Validator(schema).iter_errors({}))    # also follows the first references
            except SchemaError as error:
                self.problems.append(f"{path}: {error.json_path}: {error.message}")
            except Exception as error:    # not JSON, or a reference to nowhere
                self.problems.append(f"{path}: {one_line(error)}")
            else:
                self.validators[path.name.removesuffix(".schema.json")] = Draft202012Validator(schema)
                for reference in dangling_references(schema):
                    self.problems.append(f"{path}: {reference} leads nowhere")
        if not self.validators:
            self.problems.append(f"{folder}: no schema")

    def problems_of(self, document: object, name: str, where: str) -> Iterator[str]:
        if name not in self.validators:
            yield f"{where}: no schema '{name}' in {self.folder}"
            return
        errors = self.validators[name].iter_errors(document)
        for error in sorted(errors, key=lambda error: error.json_path):
            cause = best_match([error])    # inside an anyOf, the branch that came closest
            yield f"{where}: {cause.json_path}: {one_line(cause.message)}"


def dangling_references(schema: dict) -> Iterator[str]:
    """Every `#/…` reference in the schema, also those no document has led to, has to find something."""
    waiting: list[object] = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting.extend(part.values())
            reference = part.get("$ref")
            if isinstance(reference, str):
                found: object = schema
                for step in reference.removeprefix("#/").split("/"):
                    found = found.get(step) if isinstance(found, dict) else None
                if found is None:
                    yield reference
        elif isinstance(part, list):
            waiting.extend(part)


def one_line(value: object, limit: int = 300) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= limit else text[:limit] + "…"


def check_workspace(folder: Path, schemas: Schemas) -> Iterator[str]:
    """Every YAML document by its kind, and every modeline by where it leads."""
    paths = sorted(path for path in [*folder.rglob("*.yaml"), *folder.rglob("*.yml")]
                   if not any(part.startswith(".") for part in path.relative_to(folder).parts))
    if not paths:
        yield f"{folder}: no YAML file"
    for path in paths:
        text = path.read_text(encoding="utf-8")
        try:
            documents = load(text)
        except yaml.YAMLError as error:
            yield f"{path}: {one_line(error)}"
            continue
        names = set()
        for line, document in documents:
            where = f"{path}:{line}"
            kind = document.get("kind") if isinstance(document, dict) else None
            if path == folder / "herald.yaml":
                name = "herald"
            elif kind in KINDS:
                name = str(kind)
            else:
                yield f"{where}: kind {kind!r} is none of {', '.join(KINDS)}"
                continue
            names.add(name)
            yield from schemas.problems_of(document, name, where)
        modeline = MODELINE.match(text)
        wanted = {(schemas.folder / f"{name}.schema.json").resolve() for name in names}
        if not modeline:
            yield f"{path}:1: the first line names no schema for the editor"
        elif wanted and wanted != {(path.parent / modeline[1]).resolve()}:
            yield f"{path}:1: {modeline[1]} is not the schema of what the file holds"


def load(text: str) -> list[tuple[int, object]]:
    """Every document with the line it begins on."""
    loader = Loader(text)
    documents = []
    try:
        while loader.check_node():
            node = loader.get_node()
            documents.append((node.start_mark.line + 1, loader.construct_document(node)))
    finally:
        loader.dispose()
    return documents


def check_documents(folder: Path, schemas: Schemas) -> Iterator[str]:
    paths = sorted(folder.rglob("*.json"))
    if not paths:
        yield f"{folder}: no JSON file"
    for path in paths:
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            yield f"{path}: {one_line(error)}"
            continue
        schema = document.get("schema") if isinstance(document, dict) else None
        match = re.fullmatch(r"herald\.([a-z]+)/1", str(schema))
        if match:
            yield from schemas.problems_of(document, match[1], str(path))
        else:
            yield f"{path}: 'schema' is {schema!r} and not herald.NAME/1"
    for prefix, name in LINES.items():
        for path in sorted(folder.rglob(f"{prefix}*.ndjson")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                try:
                    document = json.loads(line)
                except ValueError as error:
                    yield f"{path}:{number}: {one_line(error)}"
                else:
                    yield from schemas.problems_of(document, name, f"{path}:{number}")


def self_test(schemas: Schemas) -> Iterator[str]:
    """Every schema takes the right documents of self_test.yaml and refuses each wrong one."""
    [(_, cases)] = load((HERE / "self_test.yaml").read_text(encoding="utf-8"))
    for name in sorted(set(schemas.validators) ^ set(cases)):
        yield f"self-test: schema '{name}' has no case, or the case no schema"
    for name in sorted(set(schemas.validators) & set(cases)):
        right = cases[name]["right"]
        yield from schemas.problems_of(right, name, f"self-test: right {name}")
        for change in cases[name]["right_too"]:
            yield from schemas.problems_of(changed(right, change), name, f"self-test: {name} with {json.dumps(change)}")
        for change in cases[name]["wrong"]:
            if not list(schemas.problems_of(changed(right, change), name, "")):
                yield f"self-test: {name} with {json.dumps(change)} was not refused"
    yield from self_test_of_this_program(schemas)


def changed(document: object, change: dict[str, object]) -> object:
    """The document with values put at paths such as `steps/0/action`; a path that begins with `-` is taken out."""
    document = copy.deepcopy(document)
    for path, value in change.items():
        *steps, last = [int(step) if step.isdecimal() else step for step in path.removeprefix("-").split("/")]
        part = document
        for step in steps:
            part = part[step]
        if path.startswith("-"):
            del part[last]
        else:
            part[last] = value
    return document


def self_test_of_this_program(schemas: Schemas) -> Iterator[str]:
    """Faulty files are problems, and faultless ones are none."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        modeline = f"# yaml-language-server: $schema={schemas.folder}/topic.schema.json\n"
        topic = "kind: topic\nname: a\nsubscribers: [b]\n"
        for text, count in [
            (modeline + topic, 0),
            (modeline + topic + "---\n" + topic, 0),
            (modeline + topic + "---\n" + topic + "prune: no\n", 1),
            (modeline + topic + "prune: 12:30\n", 1),
            (modeline + topic + "name: b\n", 1),
            (modeline + topic + "exclude: [\n", 1),
            (modeline + topic.replace("topic", "topics"), 1),
            (modeline + "- topic\n", 1),
            (modeline.replace("topic", "campaign") + topic, 1),
            (topic, 1),
        ]:
            (folder / "file.yaml").write_text(text, encoding="utf-8")
            found = list(check_workspace(folder, schemas))
            if len(found) != count:
                yield f"self-test: {count} problems wanted, {len(found)} found in {text!r}: {'; '.join(found)}"
        for text, count in [
            ('{"schema": "herald.diagnostics/1", "diagnostics": []}', 0),
            ('{"schema": "herald.diagnostics/1"}', 1),
            ('{"schema": "herald.diagnostics/2", "diagnostics": []}', 1),
            ('{"schema": "herald.nothing/1"}', 1),
            ('[]', 1),
            ('{', 1),
        ]:
            (folder / "file.json").write_text(text, encoding="utf-8")
            found = list(check_documents(folder, schemas))
            if len(found) != count:
                yield f"self-test: {count} problems wanted, {len(found)} found in {text}: {'; '.join(found)}"
        (folder / "file.json").write_text('{"schema": "herald.diagnostics/1", "diagnostics": []}', encoding="utf-8")
        for text, count in [("", 0), ('{"dead": true}\n{\n', 5)]:
            (folder / "export.ndjson").write_text(text, encoding="utf-8")
            found = list(check_documents(folder, schemas))
            if len(found) != count:
                yield f"self-test: {count} problems wanted, {len(found)} found in {text!r}: {'; '.join(found)}"
        for text in ['{"type": "strin"}', '{"properties": {"a": {"$ref": "#/$defs/a"}}}', "{"]:
            (folder / "faulty.schema.json").write_text(text, encoding="utf-8")
            if not Schemas(folder).problems:
                yield f"self-test: the schema {text} was not refused"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=Path, metavar="DIR")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()

    schemas = Schemas(ROOT / "schemas")
    problems = list(schemas.problems)
    if arguments.self_test:
        problems += self_test(schemas)
    else:
        problems += check_workspace(ROOT / "campaigns", schemas)
    if arguments.documents:
        problems += check_documents(arguments.documents, schemas)
    for problem in problems:
        print(problem.replace(f"{ROOT}/", ""))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
