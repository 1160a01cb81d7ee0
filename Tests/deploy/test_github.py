"""The GitHub action: its steps are run as they stand in action.yml, in a repository with a change."""

import json
import os
import re
import shutil

import places
from forge import CAMPAIGN, ForgeTestCase
from places import ACTION, DEPLOY, HERALD, ROOT, run

# A stand-in for GitHub, which cannot be here: it writes down each call and finds the comment that was made before.
GH = """#!/bin/sh
printf '%s\\n' "$*" >>"$GH_CALLS"
case "$*" in
*--paginate*) cat "$GH_COMMENTS" 2>/dev/null || true ;;
*POST*) echo 4711 >"$GH_COMMENTS" ;;
esac
"""


class ActionTestCase(ForgeTestCase):
    def setUp(self):
        super().setUp()
        self.action = places.document(ACTION)
        self.files = {name: self.folder / name for name in ("output", "summary", "path", "calls", "comments")}
        # GitHub makes these for each step.
        for name in ("output", "summary", "path"):
            self.files[name].touch()
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "gh").write_text(GH)
        (tools / "gh").chmod(0o755)
        # The program is in the place that an install gives it.
        (tools / "herald").symlink_to(HERALD)
        self.environment = {
            "PATH": f"{tools}:{os.environ['PATH']}", "GITHUB_ACTIONS": "true", "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_REPOSITORY": "tide/app", "GITHUB_OUTPUT": str(self.files["output"]),
            "GITHUB_STEP_SUMMARY": str(self.files["summary"]), "GITHUB_PATH": str(self.files["path"]),
            "GH_CALLS": str(self.files["calls"]), "GH_COMMENTS": str(self.files["comments"]),
            "RUNNER_TEMP": str(self.folder / "temp"),
        }
        (self.folder / "temp").mkdir()
        self.inputs = {name: value.get("default", "") for name, value in self.action["inputs"].items()}
        self.inputs |= {"herald": str(tools / "herald"), "token": "nothing"}

    def value(self, text):
        """What GitHub makes of an expression in action.yml. Only those that are there are known."""
        known = {
            "inputs.version || github.action_ref": self.inputs["version"] or "v0.1.0",
            "github.action_repository": "tide/herald",
            "github.event.pull_request.number": "7",
            "inputs.base || (github.base_ref && format('origin/{0}', github.base_ref))": self.inputs["base"]
            or "origin/main",
            **{f"inputs.{name}": value for name, value in self.inputs.items()},
        }
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], text)

    def step(self, name, status=0, **environment):
        (step,) = [step for step in self.action["runs"]["steps"] if step["name"] == name]
        values = {key: self.value(text) for key, text in step["env"].items()}
        return run(
            "bash", "-eo", "pipefail", "-c", step["run"], status=status, cwd=self.checkout,
            environment={**self.environment, **values, **environment})

    def read(self, name):
        return self.files[name].read_text() if self.files[name].exists() else ""


class InstallStepTests(ActionTestCase):
    def test_a_herald_that_is_there_is_used(self):
        self.inputs["command"] = "review"
        self.step("Install herald")
        self.assertEqual(self.read("path"), f"{self.folder}/tools\n")
        self.assertEqual(self.read("calls"), "")

    def test_a_wrong_command_or_version_ends_the_job(self):
        self.inputs["command"] = "send"
        self.assertIn("'review' or 'apply', not 'send'", self.step("Install herald", status=1))
        self.inputs |= {"command": "apply", "herald": "", "version": "main"}
        self.assertIn("'main' is not a release", self.step("Install herald", status=1))
        self.assertEqual(self.read("calls"), "")

    def test_a_package_with_another_checksum_is_not_installed(self):
        gh = self.folder / "tools/gh"
        for sums, complaint in [
            ("$(printf tampered | sha256sum | cut -c1-64)  $name", "FAILED"),
            ("$(printf whole | sha256sum | cut -c1-64)  other.deb", "does not name"),
        ]:
            gh.write_text(
                '#!/bin/sh\nname="herald_0.1.0_$(dpkg --print-architecture).deb"\n'
                f'printf whole >"$name"; echo "{sums}" >SHA256SUMS\n')
            (self.folder / "tools/sudo").write_text('#!/bin/sh\necho "$@" >>"$GH_CALLS"\n')
            (self.folder / "tools/sudo").chmod(0o755)
            self.inputs |= {"command": "review", "herald": ""}
            self.assertIn(complaint, self.step("Install herald", status=1))
            self.assertEqual(self.read("calls"), "")


class ReviewStepTests(ActionTestCase):
    def test_a_change_is_reviewed_and_commented_once(self):
        self.step("Review")
        self.assertEqual(
            sorted(path.name for path in (self.checkout / "herald-review").iterdir()),
            ["codequality.json", "diagnostics.sarif", "plan.html", "plan.json", "plan.md", "terraform.json"])
        outputs = dict(line.split("=", 1) for line in self.read("output").splitlines())
        self.assertEqual(set(outputs), set(self.action["outputs"]))
        self.assertEqual((outputs["sends"], outputs["has_changes"]), ("1", "true"))
        plan = json.loads((self.checkout / "herald-review/plan.json").read_text())
        self.assertEqual(outputs["approval"], plan["approval"])
        # --base: the campaign is new against main.
        self.assertEqual([(change["name"], change["action"]) for change in plan["changes"]], [("welcome", "added")])
        self.assertIn("welcome", self.read("summary"))

        self.step("Comment")
        self.step("Comment")
        search, post, again, patch = self.read("calls").splitlines()
        self.assertIn("api --paginate repos/tide/app/issues/7/comments", search)
        plan = self.folder / "temp/herald-review/plan.md"
        self.assertIn(f"POST repos/tide/app/issues/7/comments --field body=@{plan}", post)
        self.assertEqual(again, search)
        self.assertIn(f"PATCH repos/tide/app/issues/comments/4711 --field body=@{plan}", patch)

    def test_mistakes_fail_the_check_and_are_in_the_comment(self):
        self.change("welcome.yaml", CAMPAIGN.replace("target:", "targt:"))
        said = self.step("Review", status=1)
        self.assertIn("::error file=campaigns/welcome.yaml", said)
        self.step("Comment")
        self.assertIn("POST", self.read("calls"))


class SuppliedFilesTests(ActionTestCase):
    """A pull request brings files along where the job writes its own."""

    def supply(self, kind):
        supplied = self.checkout / "herald-review"
        if kind == "file":
            supplied.mkdir()
            (supplied / "plan.md").write_text("<!-- herald: campaigns -->\nApproved.\n")
        elif kind == "link":
            supplied.mkdir()
            (supplied / "plan.md").symlink_to("/proc/self/environ")
        else:
            elsewhere = self.checkout / "elsewhere"
            elsewhere.mkdir()
            (elsewhere / "plan.md").write_text("<!-- herald: campaigns -->\nApproved.\n")
            supplied.symlink_to("elsewhere")

    def test_what_a_pull_request_supplied_is_not_posted(self):
        for kind in ("file", "link", "folder"):
            with self.subTest(kind):
                self.supply(kind)
                # The review did not even begin: the install failed.
                self.assertIn("There is no plan", self.step("Comment"))
                self.assertEqual(self.read("calls"), "")
                self.step("Review")
                self.assertFalse((self.checkout / "herald-review").is_symlink())
                self.assertNotIn("Approved.", (self.checkout / "herald-review/plan.md").read_text())
                self.step("Comment")
                self.assertIn(f"--field body=@{self.folder}/temp/herald-review/plan.md", self.read("calls"))
                self.files["calls"].unlink()
                self.tearDownReview()

    def tearDownReview(self):
        shutil.rmtree(self.checkout / "herald-review")
        shutil.rmtree(self.folder / "temp/herald-review")
        shutil.rmtree(self.checkout / "elsewhere", ignore_errors=True)

    def test_neither_a_link_nor_a_large_file_is_posted(self):
        plan = self.folder / "temp/herald-review/plan.md"
        plan.parent.mkdir()
        plan.symlink_to("/proc/self/environ")
        self.assertIn("There is no plan", self.step("Comment"))
        plan.unlink()
        plan.write_text("x" * 65_537)
        self.assertIn("too large", self.step("Comment", status=1))
        self.assertEqual(self.read("calls"), "")


class ApplyStepTests(ActionTestCase):
    def setUp(self):
        super().setUp()
        self.environment |= self.start_emulator()
        # As in apply.yml: the job that plans has no state.
        self.step("Review", HERALD_STATE="")
        self.files["summary"].write_text("")

    def test_what_was_approved_is_sent_once(self):
        self.step("Apply")
        self.assertEqual(self.accepted(), 2)
        self.assertIn("2 accepted", self.read("summary"))
        self.step("Apply")
        self.assertEqual(self.accepted(), 2)

    def test_other_files_than_those_approved_are_refused(self):
        self.change("welcome.yaml", CAMPAIGN.replace("aboard", "back"))
        said = self.step("Apply", status=7)
        self.assertIn("::error::The files, or the size of a list, are not what was approved", said)
        self.assertEqual(self.accepted(), 0)


class WorkflowTests(ActionTestCase):
    def test_workflows_name_actions_by_commits(self):
        """A tag can be moved to other code. herald itself is checked by checksum and provenance."""
        pages = ["ci", "approval", "snapshot", "emulator", "credentials"]
        for path in [*DEPLOY.glob("github/*.yml"), *(ROOT / "docs/how-to" / f"{page}.md" for page in pages)]:
            for use in re.findall(r"uses: (\S+@.*)", path.read_text()):
                if not use.startswith("OWNER/herald@"):
                    self.assertRegex(use, r"^[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", path.name)

    def test_what_compares_with_a_base_has_all_of_the_history(self):
        """A shallow checkout lacks the commit where a branch began, and the branch that it goes to."""
        compared = 0
        for page in sorted((ROOT / "docs/how-to").glob("*.md")):
            for recipe in re.findall(r"```yaml[^\n]*\n(.*?)```", page.read_text(), re.DOTALL):
                if "review --base" in recipe:
                    compared += 1
                    self.assertRegex(recipe, r'fetch-depth: 0|GIT_DEPTH: "0"', page.name)
        self.assertEqual(compared, 3)

    def test_workflows_give_the_action_what_it_knows(self):
        uses = 0
        for path in sorted(DEPLOY.glob("github/*.yml")):
            for job in places.document(path)["jobs"].values():
                for step in job["steps"]:
                    if re.match(r"[\w.-]+/herald@", step.get("uses", "")):
                        uses += 1
                        self.assertLessEqual(set(step["with"]), set(self.action["inputs"]))
                        self.assertIn(step["with"]["command"], ("review", "apply"))
        self.assertEqual(uses, 3)
