#!/usr/bin/env python3
"""Makes the pictures of the README from the program itself: a terminal as SVG, two pages by a headless Chromium.

    screenshots.py [FOLDER [WIDTH]]     default: docs/pictures, 1280

Needs selenium, Chromium and its driver. HERALD can name another binary than the one of the debug build.
"""

import base64
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import urllib.request
from html import escape
from pathlib import Path

import built

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "Tests" / "browser"))

from chromium import Chromium, Page, installed  # noqa: E402

COLUMNS = 88
LINE, COLUMN, MARGIN = 19, 8.43, 18
COLOURS = {"2": "#8b949e", "31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "36": "#76e3ea"}

FILES = {
    "herald.yaml": "herald: 1\nproject: tide-app-demo\ntimezone: Europe/Rome\n",
    "lists/venice.csv": "fid\n" + "".join(f"cVeniceDemo{number:011}\n" for number in range(154)),
    "venice.yaml": """kind: audience
name: venice
source: {file: lists/venice.csv}
---
kind: topic
name: tides
subscribers: [venice]
""",
    "campaigns/high-water.yaml": """kind: campaign
name: high-water
target: {topic: tides}
message:
  notification:
    title: High water in Venice
    body: 115 cm expected at 22:40, above 110 cm until midnight. Raised walkways are out.
  apns:
    headers: {apns-push-type: alert}
  webpush:
    notification: {actions: [{action: map, title: Map}, {action: mute, title: Mute}]}
delivery: {expires_after: 4h}
""",
}


def type_in(folder, environment, *commands):
    """What a terminal shows of commands whose questions are answered with yes."""
    shown = []
    for command in commands:
        shown.append(f"\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m")
        terminal, theirs = pty.openpty()
        process = subprocess.Popen(
            ["bash", "-c", command], cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        text, has_answered = b"", False
        while True:
            try:
                text += os.read(terminal, 65536)
            except OSError:  # the end, as Linux tells it
                break
            if b"yes" in text and not has_answered and not text.endswith(b"\n"):
                os.write(terminal, b"yes\n")
                has_answered = True
        process.wait()
        os.close(terminal)
        shown += text.decode().replace("\r", "").rstrip("\n").split("\n") + [""]
    return [line.replace(str(folder), "~/tide") for line in shown[:-1]]


def cut(line):
    """A line's pieces with their styles, in rows of so many columns; words stay whole."""
    style, column, row = "", 0, []
    for part in re.split(r"(\x1b\[[\d;]*[A-Za-z])", line):
        if part.startswith("\x1b"):
            style = "" if part in ("\x1b[0m", "\x1b[m") else part[2:-1]
            continue
        while column + len(part) > COLUMNS:
            end = part.rfind(" ", 0, COLUMNS - column)
            yield [*row, (column, style, part[:end])]
            part, column, row = part[end + 1:], 0, []
        row.append((column, style, part))
        column += len(part)
    yield row


def drawing(lines):
    """The lines as SVG, one after the other as they came."""
    rows = [(number, row) for number, line in enumerate(lines) for row in cut(line)]
    width, height = round(COLUMNS * COLUMN + 2 * MARGIN), len(rows) * LINE + 2 * MARGIN
    texts = []
    for index, (number, row) in enumerate(rows):
        spans = "".join(
            f'<tspan x="{MARGIN + column * COLUMN:.1f}"{look(style)}>{escape(text)}</tspan>' for column, style, text in row)
        start = f"animation-delay:{0.3 + number * 0.15:.2f}s"
        texts.append(f'<text y="{MARGIN + (index + 0.75) * LINE:.1f}" style="{start}">{spans}</text>')
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"
  role="img" xml:space="preserve">
<title>herald plan, then herald apply</title>
<style>
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }}
text {{ fill: #e6edf3; white-space: pre; animation: come 0.01s both }}
@keyframes come {{ from {{ opacity: 0 }} to {{ opacity: 1 }} }}
@media (prefers-reduced-motion) {{ text {{ animation: none }} }}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
{chr(10).join(texts)}
</svg>
"""


def look(style):
    codes = style.split(";")
    colour = next((COLOURS[code] for code in codes if code in COLOURS), None)
    return (f' fill="{colour}"' if colour else "") + (' font-weight="bold"' if "1" in codes else "")


def enrol(address):
    """Makes the first phones of three platforms."""
    platforms = ["ios", "android", "web"]
    phones = [{"registration": f"cVeniceDemo{number:011}", "platform": platforms[number % 3]} for number in range(48)]
    request = urllib.request.Request(
        f"http://{address}/emulator/v1/registrations", json.dumps(phones).encode(), method="PUT")
    with urllib.request.urlopen(request) as answer:
        answer.read()


def main():
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs" / "pictures").resolve()
    width = int(sys.argv[2]) if len(sys.argv) > 2 else 1280
    herald = built.herald()
    with tempfile.TemporaryDirectory() as place:
        folder, programs = Path(place) / "tide", Path(place) / "bin"
        programs.mkdir()
        (programs / "herald").symlink_to(herald)
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        emulator = subprocess.Popen([herald, "emulator"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = emulator.stdout.readline().strip().split("=")[1]
            environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": place, "TERM": "dumb",
                           "LC_ALL": "C.UTF-8", "FCM_EMULATOR_HOST": address}  # fmt: skip
            preview = [herald, "preview", "high-water", "--format", "html"]
            (folder / "preview.html").write_bytes(subprocess.check_output(preview, cwd=folder, env=environment))
            enrol(address)
            lines = type_in(folder, environment, "herald plan", "herald apply", "herald plan")
            (target / "plan-and-apply.svg").write_text(drawing(lines))
            photograph(width, {
                target / "preview.png": ((folder / "preview.html").as_uri(), "true"),
                target / "emulator.png": (f"http://{address}/", "document.querySelectorAll('.phone .note').length > 5"),
            })  # fmt: skip
        finally:
            emulator.terminate()
            emulator.wait()


def photograph(width, pictures):
    """Keeps what is in sight of each page, once an expression is true and all movements have come to an end."""
    browser = Chromium(installed())
    try:
        page = Page(browser, width, 700)
        page.call("Emulation.setScrollbarsHidden", hidden=True)
        for file, (address, expression) in pictures.items():
            page.open(address)
            page.until(expression)
            page.until("document.getAnimations().every(each => each.playState === 'finished')")
            file.write_bytes(base64.b64decode(page.call("Page.captureScreenshot")["data"]))
    finally:
        browser.close()


if __name__ == "__main__":
    main()
