"""Gives the release build of herald hostile files, of the largest size that it reads, and measures what they cost.

It must refuse or read each of them within 2 s and 256 MiB. Arguments: the program, and a folder to work in.
"""

import gzip
import os
import subprocess
import sys
from pathlib import Path

from figures import fid, goal, measured

HERALD, WORK = sys.argv[1], Path(sys.argv[2]) / "hostile"
SECONDS, MEBIBYTES = 2, 256
FULL = (64 << 20) - 1000

AUDIENCE = b"kind: audience\nname: all\nfids: [cBENCH0000000000000001]\n---\n"
CAMPAIGN = b"kind: campaign\nname: c\ntarget: {audience: all}\n"
MESSAGE = b"message: {notification: {title: t, body: b}}\n"


def repeated(text, size=FULL):
    return text * (size // len(text))


def numbered(make, size):
    parts, length, number = [], 0, 0
    while length < size:
        part = make(number).encode()
        parts.append(part)
        length += len(part)
        number += 1
    return b"".join(parts)


def documents(text, size):
    return AUDIENCE + numbered(lambda n: text.replace("#", str(n)) + "---\n", size)


MIB = 1 << 20
YAML = {
    "keys that stand twice": lambda: repeated(b"a: 1\n"),
    "keys unknown": lambda: b"kind: campaign\n" + numbered(lambda n: f"k{n}: 1\n", 4 * MIB),
    "documents of nothing": lambda: repeated(b"a\n---\n"),
    "documents of an unknown kind": lambda: documents("kind: campaing#\n", 20 * MIB),
    "audiences": lambda: documents(f"kind: audience\nname: a#\nfids: [{fid(1)}]\n", 20 * MIB),
    "audiences of one name": lambda: repeated(AUDIENCE, 20 * MIB),
    "campaigns to unknown topics": lambda: documents(
        "kind: campaign\nname: c#\ntarget: {topic: t#}\n" + MESSAGE.decode(), 20 * MIB),
    "topics of unknown audiences": lambda: documents("kind: topic\nname: t#\nsubscribers: [b#]\n", 20 * MIB),
    "a topic of unknown audiences": lambda: b"kind: topic\nname: t\nsubscribers: ["
    + numbered(lambda n: f"a{n},", 8 * MIB) + b"]\n",
    "audiences in a chain": lambda: documents("kind: audience\nname: a#\nfrom: a0#\n", 20 * MIB),
    "crons that never fire": lambda: documents(
        "kind: campaign\nname: c#\ntarget: {audience: all}\nschedule: {cron: 0 0 30 2 1, timezone: Europe/Rome}\n"
        + MESSAGE.decode(), 8 * MIB),
    "unknown zones": lambda: documents(
        "kind: campaign\nname: c#\ntarget: {audience: all}\nschedule: {cron: 0 7 * * 1, timezone: Rome/#}\n"
        + MESSAGE.decode(), 8 * MIB),
    "data of 400,000 keys": lambda: AUDIENCE + CAMPAIGN + b"message:\n  data:\n"
    + numbered(lambda n: f"    k{n}: v\n", 5 * MIB),
    "60 messages of 1 MiB": lambda: AUDIENCE + b"".join(
        b"kind: campaign\nname: c%d\ntarget: {audience: all}\nmessage: {data: {a: '%b'}}\n---\n" % (n, b"x" * (MIB - 20))
        for n in range(60)),
    "a condition of 1 MiB": lambda: AUDIENCE + b"kind: campaign\nname: c\ntarget: {condition: \""
    + b"'a' in topics || " * 60_000 + b"'a' in topics\"}\n" + MESSAGE,
    "a cron of 1 MiB": lambda: AUDIENCE + CAMPAIGN + MESSAGE + b"schedule: {cron: '" + b"1," * 500_000 + b"1 * * * *'}\n",
    "brackets": lambda: b"[" * FULL,
    "question marks": lambda: repeated(b"? "),
    "quotation marks": lambda: b'"' * FULL,
    "colons": lambda: b":" * FULL,
    "a value of 64 MiB": lambda: b'kind: "' + b"x" * (FULL - 20) + b'"\n',
    "values of 1 MiB": lambda: b"kind: audience\nname: all\nfids:\n" + (b'- "' + b"x" * (MIB - 10) + b'"\n') * 62,
    "a list of 30 million values": lambda: b"[" + b"x," * (FULL // 2) + b"]\n",
    "a list of 300,000 tokens": lambda: b"kind: audience\nname: all\ntokens:\n"
    + numbered(lambda n: f"- {fid(n)}:{'A' * 140}\n", FULL - 200),
    "aliases of aliases": lambda: b"a: &a [x,x,x,x,x,x,x,x,x,x]\n" + b"".join(
        b"%c: &%c [%b]\n" % (to, to, b",".join([b"*%c" % of] * 10)) for of, to in zip(b"abcdefgh", b"bcdefghi")),
    "anchors": lambda: b"[" + numbered(lambda n: f"&a{n} x,", 40 * MIB) + b"]",
    "tags": lambda: b"[" + repeated(b"!x y,") + b"]",
    "handles for tags": lambda: numbered(lambda n: f"%TAG !t{n}! tag:x,2000:\n", 40 * MIB) + b"--- a\n",
    "comments": lambda: repeated(b"# comment\n"),
    "comments that allow": lambda: AUDIENCE + repeated(b"# herald: allow rule reason\n", FULL - 100),
    "number signs": lambda: AUDIENCE + b"#" * (FULL - 100),
    "texts cut by comments": lambda: AUDIENCE + repeated(b"a #b\n", FULL - 100),
    "empty lines": lambda: b"\n" * FULL,
    "NULs": lambda: b"\0" * FULL,
    "no UTF-8 at the end": lambda: b"#" + b"a" * (FULL - 10) + b"\xff",
}
LISTS = {
    "rows malformed": ("csv", lambda: b"token\n" + repeated(b"x\n", FULL - 10)),
    "rows empty": ("csv", lambda: b"token,b\n" + repeated(b"\n", FULL - 10)),
    "a quote not closed": ("csv", lambda: b'token\n"' + repeated(b"a\n", FULL - 10)),
    "columns": ("csv", lambda: numbered(lambda n: f"c{n},", FULL - 100) + b"fid\n"),
    "objects of nothing": ("ndjson", lambda: repeated(b"{}\n")),
    "an object in an object": ("ndjson", lambda: b"[" * FULL),
    "lines malformed": ("txt", lambda: repeated(b"x\n")),
    "1 GiB of zeros, compressed": ("csv.gz", lambda: gzip.compress(b"\0" * (1 << 30), 9)),
    "no gzip": ("csv.gz", lambda: b"\x1f\x8b" + b"x" * (FULL - 10)),
}


def written(name, make, folder):
    """Makes the files in a child process, so that its memory is freed before the measurement."""
    if os.fork() == 0:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "herald.yaml").write_text("herald: 1\nproject: bench\n")
        if name in LISTS:
            ending, content = make
            (folder / f"l.{ending}").write_bytes(content())
            (folder / "x.yaml").write_text(f"kind: audience\nname: all\nsource: {{file: l.{ending}}}\n")
        else:
            (folder / "x.yaml").write_bytes(make())
        os._exit(0)
    os.wait()


rows = []
for number, (name, make) in enumerate((YAML | LISTS).items()):
    folder = WORK / str(number)
    written(name, make, folder)
    seconds, mebibytes, code = measured([HERALD, "-w", folder, "--quiet", "validate"])
    rows.append((seconds, mebibytes, code in (0, 1), name))
    subprocess.run(["rm", "-rf", str(folder)], check=True)

print(f"\n== {len(rows)} hostile workspaces, the worst of them")
worst = sorted(rows, key=lambda row: -row[0])[:3] + sorted(rows, key=lambda row: -row[1])[:3]
for seconds, mebibytes, ended, name in dict.fromkeys(worst):
    print(f"{name:44} {seconds:8.2f} s {mebibytes:8.0f} MiB")
broken = [name for _, _, ended, name in rows if not ended]
print("neither read nor refused:", ", ".join(broken) if broken else "none")
goal("hostile workspaces: those neither read nor refused", len(broken), 0, "workspaces")
goal("hostile workspaces: the slowest", max(row[0] for row in rows), SECONDS, "s")
goal("hostile workspaces: the most memory", max(row[1] for row in rows), MEBIBYTES, "MiB")
