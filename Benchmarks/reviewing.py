"""Measures a review beside a plan of the same files: of the example workspace, and of a thousand campaigns of which a
hundred changed.

Arguments: herald, and a folder to work in.
"""

import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from figures import ROUNDS, fid, goal, timed

HERALD, WORK = sys.argv[1], Path(sys.argv[2]) / "reviewing"
CAMPAIGNS, CHANGED = 1000, 100
# Nothing listens there: neither a plan nor a review sends.
ENVIRONMENT = {**os.environ, "FCM_EMULATOR_HOST": "127.0.0.1:9", "GIT_AUTHOR_NAME": "bench",
               "GIT_AUTHOR_EMAIL": "bench@example.com", "GIT_COMMITTER_NAME": "bench",
               "GIT_COMMITTER_EMAIL": "bench@example.com"}


def git(*arguments, input=None):
    return subprocess.run(
        ["git", "-C", WORK / "repository", *arguments], check=True, capture_output=True, input=input,
        env=ENVIRONMENT).stdout


def commit():
    git("add", "--all")
    git("commit", "--quiet", "--message", "Change campaigns")


def read_base():
    """What a review asks git for to know the files of the base."""
    git("rev-parse", "--show-prefix")
    for name in ("HEAD", "HEAD~1"):
        git("rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}")
    git("merge-base", "HEAD~1", "HEAD")
    tree = git("rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD~1:").decode().strip()
    listing = git("ls-tree", "--full-tree", "-r", "-z", "-l", tree)
    objects = [line.split()[2] for line in listing.split(b"\0") if line]
    git("cat-file", "--batch", input=b"\n".join(objects) + b"\n")


def herald(*arguments):
    folder = WORK / "repository"
    code = subprocess.run(
        [HERALD, "-w", folder, "--quiet", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=ENVIRONMENT).returncode
    # 3: a guard refuses, which a plan and a review find out alike.
    if code not in (0, 3):
        sys.exit(f"herald {arguments[0]} ended with {code}")


def repository(fill):
    folder = WORK / "repository"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    git("init", "--quiet", "--initial-branch", "main")
    fill(folder)
    commit()
    return folder


def compared(name, limit, base, git_counts):
    """The median of review ÷ plan of the rounds, taken in turn."""
    review = ["review", "--out", str(WORK / "review"), *(["--base", "HEAD~1"] if base else [])]
    ratios, plans, reviews = [], [], []
    for number in range(ROUNDS + 1):
        plan_seconds = timed(lambda: herald("plan"))
        seconds = timed(lambda: herald(*review))
        git_seconds = timed(read_base) if git_counts else 0
        # The first round warms up.
        if number:
            ratios.append((seconds - git_seconds) / plan_seconds)
            plans.append(plan_seconds)
            reviews.append(seconds)
    goal(name, statistics.median(ratios), limit, "× plan", seconds=statistics.median(reviews),
         plan_seconds=statistics.median(plans))


def example(folder):
    shutil.copytree(Path(__file__).parent.parent / "campaigns", folder, dirs_exist_ok=True)


def campaign(number, body):
    return (f"kind: campaign\nname: campaign-{number}\ntarget: {{topic: tides}}\nschedule: {{cron: '7 18 * * *'}}\n"
            f"message: {{notification: {{title: High tide, body: \"{body} at Ostia\"}}}}\n")


def thousand(folder):
    (folder / "herald.yaml").write_text("herald: 1\nproject: bench\n")
    (folder / "topics.yaml").write_text(f"kind: audience\nname: all\nfids: [{fid(1)}]\n---\n"
                                        "kind: topic\nname: tides\nsubscribers: [all]\n")
    for number in range(CAMPAIGNS):
        (folder / f"campaign-{number}.yaml").write_text(campaign(number, "18:42"))


print("\n== A review beside a plan")
if shutil.which("git") is None:
    print("git is not installed (make setup): not measured")
    sys.exit()
folder = repository(example)
(folder / "base.txt").write_text("")
commit()
compared("review of the example workspace", 1.5, base=False, git_counts=False)
compared("review of the example workspace with --base, git's time not counted", 1.5, base=True, git_counts=True)
folder = repository(thousand)
for number in range(CHANGED):
    (folder / f"campaign-{number}.yaml").write_text(campaign(number, "19:15"))
commit()
compared(f"review --base of {CAMPAIGNS} campaigns, {CHANGED} of them changed", 4, base=True, git_counts=False)
shutil.rmtree(WORK)
