"""Measures `herald site` of many campaigns in several languages, in a git repository.

Arguments: herald, and a folder to work in.
"""

import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from figures import ROUNDS, fid, goal, measured

HERALD, WORK = sys.argv[1], Path(sys.argv[2]) / "site"
CAMPAIGNS = int(os.environ.get("BENCH_CAMPAIGNS", "300"))
LOCALES = {"en": "High tide at Ostia, {{ name }}", "it": "Alta marea a Ostia, {{ name }}", "de": "Hochwasser in Ostia, {{ name }}",
           "fr": "Marée haute à Ostie, {{ name }}", "ar": "مد عال في أوستيا، {{ name }}"}
CRONS = ["7 18 * * *", "0 9 * * MON", "30 8,20 * * *", "15 12 1 * *"]
AT = "2026-12-01T08:00:00Z"


def git(*arguments):
    time = {"GIT_AUTHOR_DATE": "2026-10-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-10-01T00:00:00Z"}
    subprocess.run(["git", "-C", WORK / "repository", "-c", "user.name=b", "-c", "user.email=b@example.com", *arguments],
                   check=True, stdout=subprocess.DEVNULL, env={**os.environ, **time})


def campaign(number):
    texts = "".join(f"  {locale}: {{notification: {{title: \"{text}\", body: \"{text}: {number}\"}}}}\n"
                    for locale, text in LOCALES.items() if locale != "en")
    return (f"kind: campaign\nname: tide-{number}\ntarget: {{audience: members}}\n"
            f"schedule: {{cron: \"{CRONS[number % len(CRONS)]}\", timezone: Europe/Rome}}\n"
            f"message: {{notification: {{title: \"{LOCALES['en']}\", body: \"At 18:40, {number}\"}}}}\n"
            f"personal: {{fields: [name, lang], locale: lang, default_locale: en}}\nlocales:\n{texts}")


def fill(folder):
    (folder / "herald.yaml").write_text("herald: 2\nproject: bench\ntimezone: Europe/Rome\n")
    (folder / "members.yaml").write_text(
        "kind: audience\nname: members\nsource: {file: members.csv}\n"
        "fields: {name: {max: 20}, lang: {type: locale}}\nsamples: [{name: Ada, lang: it}]\n")
    (folder / "members.csv").write_text("fid,name,lang\n" + "".join(
        f"{fid(number)},Ada,{list(LOCALES)[number % len(LOCALES)]}\n" for number in range(1000)))
    for number in range(CAMPAIGNS):
        (folder / f"tide-{number}.yaml").write_text(campaign(number))


print("\n== The site of many campaigns")
folder = WORK / "repository"
folder.mkdir(parents=True)
fill(folder)
if shutil.which("git"):
    git("init", "--quiet", "--initial-branch", "main")
    git("add", "--all")
    git("commit", "--quiet", "--message", "Begin")
    (folder / "tide-0.yaml").write_text(campaign(0).replace("At 18:40", "At 18:50"))
seconds, peak = [], 0
for number in range(ROUNDS + 1):
    took, mebibytes, code = measured([HERALD, "-w", folder, "--quiet", "site", "--out", WORK / "site", "--at", AT])
    if code != 0:
        sys.exit(f"herald site ended with {code}")
    # The first round warms up.
    if number:
        seconds.append(took)
    peak = max(peak, mebibytes)
name = f"the site of {CAMPAIGNS} campaigns in {len(LOCALES)} languages"
goal(name, statistics.median(seconds), 3, "s", pages=sum(1 for _ in (WORK / "site").rglob("*.html")))
goal(f"{name}: memory at the peak", peak, 128, "MiB")
shutil.rmtree(WORK)
