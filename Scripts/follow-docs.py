#!/usr/bin/env python3
"""Follows the README, the tutorial and the how-tos as a reader would, each in an empty folder.

    follow-docs.py [PAGE…]     only these pages; the pages of the tutorial belong together

A how-to begins where the tutorial's first page ends.

A page's blocks are done in order:

    ```sh              commands; one that fails ends the page
    ```output          what the commands before it print. `...` stands for anything in a line, or for any lines
    ```yaml FILE       a file with this content, likewise ```csv FILE and so on; FILE is below the first folder

Other blocks are not run: a page uses `shell` for commands that need what is not here, such as Google's. At the end the
script says how many blocks it ran, and which pages have how many of `shell`. In all blocks, and in the text, the commands
of herald and their options must exist. Questions are answered with yes. Leases pass five
times faster than they do for readers. HERALD can name another binary than the one of the debug build.
"""

import itertools
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import built
from commands import Commands, Unknown, page_commands

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Written from the help itself, in a notation of its own.
WRITTEN = ROOT / "docs/reference/commands.md"
MARK = "\x1e"
# Only for pages that would never end: a busy machine needs many times as long as a quick one.
DEADLINE = 900


class Block:
    def __init__(self, page, match):
        self.page, (self.kind, self.file, self.text) = page, match.groups()
        self.line = page.read_text().count("\n", 0, match.start()) + 1

    def __str__(self):
        return f"{os.path.relpath(self.page, ROOT)}:{self.line}"


def blocks(page):
    return [Block(page, match) for match in BLOCK.finditer(page.read_text())]


def tracks(named):
    """Lists of pages that are followed one after the other in one folder."""
    tutorial = sorted(ROOT.glob("docs/tutorial/*.md"))
    guides = sorted(ROOT.glob("docs/how-to/*.md"))
    followed = [page for page in guides if any(block.kind == "sh" for block in blocks(page))]
    found = [tutorial, [ROOT / "README.md"], *([tutorial[0], page] for page in followed)]
    wanted = {Path(name).resolve() for name in named}
    return [track for track in found if not wanted or wanted & set(track if track == tutorial else track[-1:])]


def steps(track):
    """The script that does what the pages say, with a mark before each block of commands, and those blocks."""
    lines, commands, expected = ["exec 2>&1", "set -euo pipefail", "first_folder=\"$PWD\""], [], {}
    for block in (block for page in track for block in blocks(page)):
        if block.kind == "sh":
            lines += [f"printf '{MARK}%s\\n' {len(commands)}", block.text]
            commands.append(block)
        elif block.kind == "output":
            expected[len(commands) - 1] = block
        elif block.file:
            file = f'"$first_folder/{block.file}"'
            lines += [f'mkdir -p "$(dirname {file})"', f"cat >{file} <<'END OF FILE'", block.text + "END OF FILE"]
    return "\n".join(lines + [f"printf '{MARK}end\\n'", ""]), commands, expected


def fits(shown, printed):
    """Whether a program printed what a page shows."""
    pattern = ""
    for line in shown.rstrip().split("\n"):
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ ]*\n"
    return re.fullmatch(pattern, printed.rstrip() + "\n") is not None


def follow(track, programs):
    """What is wrong with the pages, as sentences. `programs` is a folder that has herald."""
    script, commands, expected = steps(track)
    work = Path(tempfile.mkdtemp(prefix="herald-docs-"))
    try:
        for folder in ("home", "here"):
            (work / folder).mkdir()
        (work / "home" / ".gitconfig").write_text(
            "[user]\nname = Anna\nemail = anna@tide.example\n[init]\ndefaultBranch = main\n")
        (work / "steps.sh").write_text(script)
        status, printed = run(work, programs)
    finally:
        end_databases(work)
        shutil.rmtree(work, ignore_errors=True)
    parts = dict(part.split("\n", 1) for part in printed.split(MARK)[1:])
    problems = []
    for number, block in enumerate(commands):
        is_done = str(number + 1) in parts or "end" in parts
        text = parts.get(str(number))
        if number in expected and is_done and not fits(expected[number].text, text):
            problems.append(f"{expected[number]}: this was printed instead:\n{text}")
    if "end" not in parts:
        last = commands[len(parts) - 1] if parts else track[0]
        problems.append(f"{last}: ended with {status}:\n{printed.split(MARK)[-1]}")
    return problems


def run(work, programs):
    """Runs the script with a terminal that says yes. PostgreSQL refuses to run as root, so root lets nobody do it."""
    command = ["bash", str(work / "steps.sh")]
    if os.geteuid() == 0:
        subprocess.run(["chown", "-R", "nobody", work], check=True)
        command = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *command]
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": f"{work}/home", "LC_ALL": "C.UTF-8",
                   "TMPDIR": str(work / "home"), "HERALD_LEASE_SPEED": "5"}  # fmt: skip
    terminal, theirs = pty.openpty()
    os.write(terminal, b"yes\n" * 50)
    with (work / "printed").open("wb") as output:
        process = subprocess.Popen(
            command, cwd=work / "here", env=environment, stdin=theirs, stdout=output, stderr=output,
            start_new_session=True)  # fmt: skip
        try:
            status = process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            status = f"nothing for {DEADLINE} seconds"
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            os.close(terminal)
            os.close(theirs)
    return status, (work / "printed").read_text(errors="replace")


def end_databases(work):
    for file in work.glob("here/**/postmaster.pid"):
        try:
            os.kill(int(file.read_text().split("\n")[0]), signal.SIGQUIT)
        except ProcessLookupError:
            pass


def unknown_commands(herald):
    """What pages show of herald and does not exist."""
    known = Commands.of(herald)
    for page in [ROOT / "README.md", *sorted({*ROOT.glob("docs/**/*.md")} - {WRITTEN})]:
        for words, is_whole in page_commands(page.read_text()):
            try:
                known.check(words, is_whole)
            except Unknown as problem:
                yield f"{page.relative_to(ROOT)}: {problem}: herald {' '.join(words)}"


def without_database(track):
    """The pages before the first one that needs PostgreSQL."""
    return list(itertools.takewhile(lambda page: "initdb" not in page.read_text(), track))


def account(followed):
    """How much of the pages was run."""
    pages = list(dict.fromkeys(page for track in followed for page in track))
    kinds = {page: [block.kind for block in blocks(page)] for page in pages}
    run_blocks = sum(found.count("sh") for found in kinds.values())
    left = {page: found.count("shell") for page, found in kinds.items() if "shell" in found}
    names = ", ".join(f"{page.name} {count}" for page, count in sorted(left.items()))
    return f"follow-docs: {len(pages)} pages, {run_blocks} blocks run, {sum(left.values())} left out" + (
        f" ({names})" if names else "")  # fmt: skip


def main():
    herald = built.herald()
    followed = tracks(sys.argv[1:])
    if not shutil.which("initdb") and not any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        print("follow-docs: PostgreSQL is not installed (make setup), so its pages are left out", file=sys.stderr)
        if os.environ.get("CI"):
            sys.exit(1)
        followed = [without_database(track) for track in followed]
    problems = list(unknown_commands(herald))
    # A copy that everybody may run. Most of the time the pages wait, for leases above all.
    with tempfile.TemporaryDirectory(prefix="herald-docs-") as programs, ThreadPoolExecutor(2) as threads:
        os.chmod(programs, 0o755)
        shutil.copy(herald, f"{programs}/herald")
        for found in threads.map(lambda track: follow(track, programs), followed):
            problems += found
    for problem in dict.fromkeys(problems):
        print(problem, file=sys.stderr)
    print(account(followed))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
