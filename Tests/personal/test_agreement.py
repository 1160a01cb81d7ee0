"""herald and the renderer agree on every message, on every row that gets none, and on who is in which variant."""

import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import files
import world
from relay import Relay
from renderer import Bad, Personal
from values import Field, shown

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "sdk"))
from emulator import Emulator  # noqa: E402

HERALD = os.environ["HERALD"]
SEED = int(os.environ.get("PERSONAL_SEED") or random.SystemRandom().randrange(1 << 32))
WORKSPACES, CAMPAIGNS, ROWS = 8, 25, 50
SETTINGS = "herald: 1\nproject: personal\nfcm: {rate: unlimited, ramp: 0s}\n"


class DuplicateKey(ValueError):
    pass


def strict(pairs):
    """An object of JSON, each of whose keys stands once."""
    if len({key for key, _ in pairs}) != len(pairs):
        raise DuplicateKey([key for key, _ in pairs])
    return dict(pairs)


class Workspace:
    """A folder with campaigns, and a state of its own."""

    def __init__(self, folder, host):
        self.folder = pathlib.Path(folder)
        self._environment = {**os.environ, "FCM_EMULATOR_HOST": host, "CI": "true"}
        (self.folder / "herald.yaml").write_text(SETTINGS)

    def add(self, made, chance, bad_rows="skip"):
        (self.folder / (made.name + made.suffix)).write_bytes(files.list_file(made, chance))
        (self.folder / f"{made.name}.yaml").write_text(files.document(made, bad_rows))

    def run(self, *arguments, status=0):
        done = subprocess.run(
            [HERALD, "-w", self.folder, "--quiet", *arguments],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env=self._environment,
        )
        if done.returncode != status:
            said = shown(done.stdout[-2000:] + done.stderr[-6000:]).replace("<U+000A>", "\n")
            raise AssertionError(f"exit {done.returncode} instead of {status} from {arguments}:\n{said}")
        return done.stdout

    def plan(self):
        """What a plan says of each personal campaign, and the whole."""
        plan = json.loads(self.run("plan", "--format", "json"))
        return {personal["campaign"]: personal for personal in plan["personal"]}, plan

    def apply(self, *options, status=0):
        """The steps of a report by campaign. A step's id ends with the occurrence."""
        report = self.folder / "report.json"
        self.run("apply", "--auto-approve", "--report", report, *options, status=status)
        steps = json.loads(report.read_text())["steps"]
        return {step["occurrence"].partition("@")[0]: step for step in steps}


class Expected:
    """What a campaign is to give."""

    def __init__(self, made):
        outcomes = made.outcomes.items()
        self.planned = len(outcomes)
        self.bad = {row.line: outcome for _, (row, outcome) in outcomes if isinstance(outcome, Bad)}
        good = {registration: outcome for registration, (_, outcome) in outcomes if not isinstance(outcome, Bad)}
        self.sent = {registration: outcome for registration, outcome in good.items() if outcome.message is not None}
        self.held_out = len(good) - len(self.sent)
        # Who gets no locale's text gets the message itself.
        message = made.personal.default_locale or "message"
        self.locales = collections.Counter(outcome.locale or message for outcome in self.sent.values())
        self.variants = (
            collections.Counter(outcome.variant for outcome in self.sent.values()) if made.personal.variants else {}
        )


class AgreementTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"PERSONAL_SEED={SEED}", flush=True)
        cls.emulator = Emulator()
        cls.addClassCleanup(cls.emulator.stop)
        cls.relay = Relay(cls.emulator.authority)
        cls.addClassCleanup(cls.relay.stop)

    def workspace(self):
        folder = tempfile.TemporaryDirectory(prefix="herald-personal-")
        self.addCleanup(folder.cleanup)
        self.emulator.reset()
        self.relay.take()
        return Workspace(folder.name, self.relay.authority)

    def sent(self):
        """The message of each registration as it left herald, without the registration. Nobody got two."""
        sent = {}
        for _, path, body in self.relay.take():
            if not path.endswith("/messages:send"):
                continue
            request = json.loads(body, object_pairs_hook=strict)
            message = request.pop("message")
            self.assertIn(request, ({}, {"validate_only": False}))
            registration = message.pop("token", None) or message.pop("fid")
            self.assertNotIn(registration, sent, "sent to twice")
            sent[registration] = message
        return sent

    def test_random_campaigns(self):
        kinds = collections.Counter()
        for number in range(WORKSPACES):
            with self.subTest(seed=SEED, workspace=number):
                self._check(world.World(SEED + number), kinds)
        # A seed that makes none of some kind would test less than it says.
        for kind in ("sent", "held out", *KINDS):
            self.assertGreater(kinds[kind], 0, kind)
        print(dict(kinds), flush=True)

    def _check(self, made_by, kinds):
        campaigns = [made_by.campaign(number, ROWS) for number in range(CAMPAIGNS)]
        workspace = self.workspace()
        for made in campaigns:
            workspace.add(made, made_by.chance)
        planned, _ = workspace.plan()
        reported = workspace.apply()
        sent = self.sent()
        self.assertEqual(len(self.emulator.ledger()), len(sent))
        for made in campaigns:
            expected = Expected(made)
            kinds.update({"sent": len(expected.sent), "held out": expected.held_out})
            kinds.update(outcome.kind for outcome in expected.bad.values())
            with self.subTest(campaign=made.name):
                self._check_plan(planned[made.name], expected)
                self._check_report(reported.get(made.name), expected)
            with self.subTest(campaign=made.name):
                self._check_messages({who: sent.pop(who, None) for who in expected.sent}, expected.sent, made.outcomes)
        self.assertEqual(sent.keys(), set(), "who is to get nothing got a message")

    def _check_messages(self, sent, expected, outcomes):
        """Of many that differ, three are told."""
        differing = [who for who, outcome in expected.items() if sent[who] != outcome.message]
        for who in differing[:3]:
            row, outcome = outcomes[who]
            with self.subTest(line=row.line, locale=outcome.locale, variant=outcome.variant, row=row.texts):
                self.assertEqual(sent[who], outcome.message)
        self.assertEqual(len(differing), 0, f"of {len(expected)} messages")

    def _check_plan(self, step, expected):
        self.assertEqual(
            step.get("bad_rows", {}), dict(collections.Counter(outcome.kind for outcome in expected.bad.values()))
        )
        self.assertEqual(step.get("held_out", 0), expected.held_out)
        self.assertEqual(filled(step.get("locales", {})), expected.locales)
        self.assertEqual(filled(step.get("variants", {})), expected.variants)
        self._check_lines(step.get("bad_lines", []), expected.bad)

    def _check_lines(self, lines, bad):
        """The first lines, in order, each with its mistake."""
        self.assertEqual([line["line"] for line in lines], sorted(bad)[: len(lines)])
        self.assertGreaterEqual(len(lines), min(3, len(bad)))
        for line in lines:
            outcome = bad[line["line"]]
            self.assertEqual(line["kind"], outcome.kind)
            if outcome.fields:
                self.assertIn(line["field"], outcome.fields)

    def _check_report(self, step, expected):
        # A campaign that nobody is sent has no step.
        if not expected.sent:
            return self.assertIsNone(step)
        self.assertEqual(
            (step["accepted"], step["skipped"]), (len(expected.sent), len(expected.bad) + expected.held_out)
        )
        self.assertEqual(step["planned"], expected.planned)
        for key, figures in (("locales", expected.locales), ("variants", expected.variants)):
            accepted = {name: account["accepted"] for name, account in step.get(key, {}).items()}
            self.assertEqual(filled(accepted), figures)

    def test_a_campaign_with_bad_rows_waits_for_a_person(self):
        """`bad_rows: error`: the campaign is left out, the rest is done. An override skips those rows."""
        made = [simple("clean", ["Anna", "Ben"]), simple("spoilt", ["Chris", " ", "Dora"])]
        workspace = self.workspace()
        for campaign in made:
            workspace.add(campaign, random.Random(SEED), bad_rows="error")
        planned, plan = workspace.plan()
        self.assertEqual([guard["guard"] for guard in plan["guards"]], ["personal_rows"])
        self._check_lines(planned["spoilt"]["bad_lines"], Expected(made[1]).bad)
        workspace.apply(status=3)
        self.assertEqual(self.sent(), {who: outcome.message for who, outcome in Expected(made[0]).sent.items()})
        workspace.apply("--override", "personal_rows=spoilt")
        self.assertEqual(self.sent(), {who: outcome.message for who, outcome in Expected(made[1]).sent.items()})


def filled(counts):
    """Without those that nobody is in."""
    return {name: count for name, count in counts.items() if count}


def simple(name, people):
    every = {"first_name": Field()}
    personal = Personal(
        message={"notification": {"title": "Hi {{ first_name }}"}}, fields=["first_name"], every=every, seed=f"{name}#1"
    )
    made = world.Campaign(name, personal, {"first_name": "First Name"}, [], ".csv", {}, False)
    for number, person in enumerate(people):
        row = world.Row(f"{name}:" + f"{number:03}" * 40, {"first_name": person})
        made.rows.append(row)
        made.outcomes[row.registration] = (row, personal.outcome(row.texts, row.registration))
    return made


KINDS = ("missing", "wrong_type", "too_long", "control_character", "bad_url", "too_large", "no_split")

if __name__ == "__main__":
    unittest.main()
