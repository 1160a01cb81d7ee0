"""The files have the shape that GitHub, GitLab, Compose, pre-commit and Kubernetes want, by their own schemas."""

import pathlib
import tempfile
import unittest

import kubernetes_validate

import places
from places import ACTION, COMPOSE, DEPLOY, DOCKERFILE, GITLAB, KUBERNETES, ROOT, WORKFLOWS, run, tool

TEMPLATES = [path for path in sorted(ROOT.glob(".github/ISSUE_TEMPLATE/*.yml")) if path.stem != "config"]

SCHEMAS = {
    "vendor.github-workflows": WORKFLOWS,
    "vendor.github-actions": [ACTION],
    "vendor.github-issue-forms": TEMPLATES,
    "vendor.github-issue-config": [ROOT / ".github/ISSUE_TEMPLATE/config.yml"],
    "vendor.gitlab-ci": [GITLAB],
    "vendor.compose-spec": [COMPOSE],
}


class SchemaTests(unittest.TestCase):
    def check(self, schema, *paths, status=0):
        transform = ["--data-transform", "gitlab-ci"] if schema.endswith("gitlab-ci") else []
        return run(tool("check-jsonschema"), "--builtin-schema", schema, *transform, *paths, status=status)

    def test_files_keep_to_their_schemas(self):
        for schema, paths in SCHEMAS.items():
            with self.subTest(schema):
                self.assertTrue(paths)
                self.check(schema, *paths)

    def test_a_wrong_key_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            for schema, paths in SCHEMAS.items():
                with self.subTest(schema):
                    # A sequence is a wrong document everywhere.
                    path = pathlib.Path(folder, "wrong.yml")
                    path.write_text("- nothing\n")
                    self.check(schema, path, status=1)

    def test_kubernetes_takes_the_resources(self):
        kinds = set()
        for path in KUBERNETES:
            for resource in places.documents(path):
                with self.subTest(file=path.name, kind=resource["kind"]):
                    kinds.add(resource["kind"])
                    kubernetes_validate.validate(resource, desired_version="1.33", strict=True)
        self.assertEqual(kinds, {"ConfigMap", "CronJob", "Deployment", "PersistentVolumeClaim", "ServiceAccount"})

    def test_kubernetes_refuses_a_wrong_key(self):
        resource = places.document(DEPLOY / "kubernetes/workers.yaml")
        resource["spec"]["template"]["spec"]["containers"][0]["argv"] = []
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(resource, desired_version="1.33", strict=True)

    def test_zizmor_finds_no_weakness(self):
        run(tool("zizmor"), "--offline", "--no-progress", "--config", ROOT / ".github/zizmor.yml",
            ACTION, *WORKFLOWS)

    def test_hadolint_finds_no_mistake(self):
        run(tool("hadolint"), DOCKERFILE)

    def test_pre_commit_takes_the_hooks(self):
        run(tool("pre-commit"), "validate-manifest", ROOT / ".pre-commit-hooks.yaml")
        run(tool("pre-commit"), "validate-config", DEPLOY / "pre-commit/.pre-commit-config.yaml")
