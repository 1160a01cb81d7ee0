"""What Kubernetes and Compose start: with few rights, and with everything that it names."""

import pathlib
import shutil
import tempfile
import unittest

import database
import places
from places import COMPOSE, DEPLOY, HERALD, KUBERNETES, run
from test_commands import find


class KubernetesTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.resources = [resource for path in KUBERNETES for resource in places.documents(path)]
        cls.pods = []
        for resource in cls.resources:
            spec = resource.get("spec", {})
            spec = spec.get("jobTemplate", {}).get("spec", spec)
            if "template" in spec:
                cls.pods.append(spec["template"]["spec"])

    def test_containers_have_few_rights(self):
        self.assertEqual(len(self.pods), 2)
        for pod in self.pods:
            self.assertTrue(pod["securityContext"]["runAsNonRoot"])
            for container in pod["containers"] + pod.get("initContainers", []):
                rights = container["securityContext"]
                self.assertTrue(rights["readOnlyRootFilesystem"])
                self.assertFalse(rights["allowPrivilegeEscalation"])
                self.assertEqual(rights["capabilities"], {"drop": ["ALL"]})

    def test_what_is_named_is_there(self):
        names = {(resource["kind"], resource["metadata"]["name"]) for resource in self.resources}
        for pod in self.pods:
            self.assertIn(("ServiceAccount", pod["serviceAccountName"]), names)
            volumes = {volume["name"]: volume for volume in pod["volumes"]}
            for container in pod["containers"] + pod.get("initContainers", []):
                for mount in container["volumeMounts"]:
                    self.assertIn(mount["name"], volumes)
            for volume in volumes.values():
                if "configMap" in volume:
                    self.assertIn(("ConfigMap", volume["configMap"]["name"]), names)
                if "persistentVolumeClaim" in volume:
                    self.assertIn(("PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]), names)

    def test_the_workspace_is_valid_as_it_is_mounted(self):
        (config,) = [resource for resource in self.resources if resource["kind"] == "ConfigMap"]
        with tempfile.TemporaryDirectory() as folder:
            # As Kubernetes mounts it: links to a hidden folder, which the first container copies from.
            mounted, workspace = pathlib.Path(folder, "config"), pathlib.Path(folder, "workspace")
            (mounted / "..data").mkdir(parents=True)
            workspace.mkdir()
            for name, text in config["data"].items():
                (mounted / "..data" / name).write_text(text)
                (mounted / name).symlink_to(f"..data/{name}")
            (copy,) = [container["command"] for container in find(self.resources, "initContainers")]
            command = copy[-1].replace("/config", str(mounted)).replace("/workspace", str(workspace))
            run("sh", "-c", command)
            run(HERALD, "-w", workspace, "validate")
            self.assertEqual(sorted(path.name for path in workspace.iterdir()), sorted(config["data"]))

    def test_runs_and_workers_are_of_one_project(self):
        (config,) = [resource for resource in self.resources if resource["kind"] == "ConfigMap"]
        (arguments,) = [
            container["args"] for container in find(self.resources, "containers") if "work" in container["args"]]
        project = arguments[arguments.index("--project") + 1]
        self.assertIn(f"project: {project}\n", config["data"]["herald.yaml"])


class ComposeTests(unittest.TestCase):
    def test_what_is_named_is_there(self):
        compose = places.document(COMPOSE)
        for name, service in compose["services"].items():
            with self.subTest(name):
                for other in service.get("depends_on", {}):
                    self.assertIn(other, compose["services"])
                for volume in service.get("volumes", []):
                    source = volume.split(":")[0]
                    if source.startswith("."):
                        self.assertTrue((DEPLOY / "compose" / source).exists(), source)
                    else:
                        self.assertIn(source, compose["volumes"])

    def test_its_workspace_is_valid_and_shared_with_workers(self):
        run(HERALD, "-w", DEPLOY / "compose/workspace", "validate", "--lists", "skip")
        conductor = places.document(COMPOSE)["services"]["conductor"]["environment"]
        with database.running((DEPLOY / "compose/app.sql").read_text()) as socket, \
                tempfile.TemporaryDirectory() as folder:
            workspace = pathlib.Path(folder, "workspace")
            shutil.copytree(DEPLOY / "compose/workspace", workspace)
            address = conductor["APP_DATABASE"].replace("/socket", socket)
            allowed = {"HERALD_SOURCE_VARS": conductor["HERALD_SOURCE_VARS"], "APP_DATABASE": address}
            run(HERALD, "-w", workspace, "fetch", environment=allowed)
            (listed,) = workspace.glob(".herald/lists/*.csv")
            rows = listed.read_text().splitlines()[1:]
            self.assertGreaterEqual(len(rows), 200, "fewer recipients are not shared with workers")
            plan = run(HERALD, "-w", workspace, "plan", environment={"HERALD_STATE": f"{folder}/state.sqlite"})
            self.assertIn(f"{len(rows)} recipients", plan)
