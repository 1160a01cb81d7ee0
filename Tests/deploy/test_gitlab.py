"""The jobs of the GitLab recipe and the pre-commit hook are run in a repository with a change."""

import json
import os
import re
import xml.etree.ElementTree

import places
from forge import CAMPAIGN, GIT, ForgeTestCase
from places import DEPLOY, GITLAB, HERALD, ROOT, run, tool


class GitLabTests(ForgeTestCase):
    def setUp(self):
        super().setUp()
        self.recipe = places.document(GITLAB)
        (self.folder / "tools").mkdir()
        (self.folder / "tools/herald").symlink_to(HERALD)
        self.environment = {
            "PATH": f"{self.folder}/tools:{os.environ['PATH']}", "HOME": str(self.folder),
            "CI_PROJECT_DIR": str(self.checkout),
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "GITLAB_TOKEN": "token", **self.recipe["variables"],
        }

    def job(self, name, status=0, part="script"):
        before = self.recipe["default"]["before_script"] if part == "script" else []
        text = "\n".join(before + self.recipe[name][part]).replace("/tmp/", f"{self.folder}/")
        return run(
            "bash", "-eo", "pipefail", "-c", text, status=status, cwd=self.checkout, environment=self.environment)

    def artifacts(self, name):
        artifacts = self.recipe[name]["artifacts"]
        return [self.checkout / path for path in [*artifacts["paths"], *artifacts.get("reports", {}).values()]]

    def test_a_merge_request_is_reviewed(self):
        self.job("review")
        for path in self.artifacts("review"):
            self.assertTrue(path.exists(), path)
        self.assertEqual(json.loads((self.checkout / "herald-review/terraform.json").read_text())["create"], 1)
        self.change("welcome.yaml", CAMPAIGN.replace("target:", "targt:"))
        self.job("review", status=1)
        self.assertTrue(json.loads((self.checkout / "herald-review/codequality.json").read_text()))

    def test_a_merge_is_applied_once(self):
        self.job("plan")
        self.environment |= self.start_emulator()
        for _ in range(2):
            self.job("apply")
            self.job("apply", part="after_script")
            for path in self.artifacts("apply"):
                self.assertTrue(path.exists(), path)
            self.assertEqual(self.accepted(), 2)
        xml.etree.ElementTree.parse(self.checkout / "herald-report.xml")

    def test_other_files_than_those_approved_are_refused(self):
        self.job("plan")
        self.environment |= self.start_emulator()
        self.change("welcome.yaml", CAMPAIGN.replace("aboard", "back"))
        self.job("apply", status=7)
        self.job("apply", part="after_script")
        self.assertEqual(self.accepted(), 0)


class PreCommitTests(ForgeTestCase):
    def test_a_mistake_is_not_committed(self):
        tools, hooks = self.folder / "tools", self.folder / "hooks"
        tools.mkdir()
        (tools / "herald").symlink_to(HERALD)
        hooks.mkdir()
        (hooks / ".pre-commit-hooks.yaml").write_text((ROOT / ".pre-commit-hooks.yaml").read_text())
        run(*GIT, "init", "--quiet", hooks)
        self.commit(hooks, "Hooks")
        run(*GIT, "tag", "v0.1.0", cwd=hooks)
        config = (DEPLOY / "pre-commit/.pre-commit-config.yaml").read_text()
        config, found = re.subn(r"https://github\.com/[\w.-]+/herald\b", str(hooks), config)
        self.assertEqual(found, 1)
        (self.checkout / ".pre-commit-config.yaml").write_text(config)
        environment = {"PATH": f"{tools}:{os.environ['PATH']}", "PRE_COMMIT_HOME": str(self.folder / "cache")}
        pre_commit = [tool("pre-commit"), "run", "--all-files"]
        run(*GIT, "add", "--all", cwd=self.checkout)
        run(*pre_commit, cwd=self.checkout, environment=environment)
        (self.checkout / "campaigns/welcome.yaml").write_text(CAMPAIGN.replace("target:", "targt:"))
        said = run(*pre_commit, status=1, cwd=self.checkout, environment=environment)
        self.assertIn("welcome.yaml:3", said)
