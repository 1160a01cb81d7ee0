"""What the tests share: where things are, and how programs are run."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
HERALD = pathlib.Path(os.environ["HERALD"]).resolve()

WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml")) + sorted(DEPLOY.glob("github/*.yml"))
ACTION = ROOT / "action.yml"
GITLAB = DEPLOY / "gitlab/.gitlab-ci.yml"
COMPOSE = DEPLOY / "compose/compose.yaml"
KUBERNETES = sorted(DEPLOY.glob("kubernetes/*.yaml"))
UNITS = [DEPLOY / "systemd/herald.service", DEPLOY / "systemd/herald.timer"]
DOCKERFILE = DEPLOY / "container/Dockerfile"
SCRIPTS = sorted(ROOT.glob("Scripts/*.sh")) + sorted(DEPLOY.rglob("*.sh")) + [ROOT / ".ci/run"]


def run(*command, status=0, cwd=ROOT, environment=None, text=True):
    """Runs a program that must end with `status`, and returns what it printed."""
    environment = {**os.environ, **(environment or {})}
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, text=text, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != status:
        said = done.stdout if text else done.stdout.decode(errors="replace")
        raise AssertionError(f"exit {done.returncode} instead of {status} from {command}:\n{said[-4000:]}")
    return done.stdout


def tool(name):
    """A program of the virtual environment that runs the tests, or of the system. CI must have it."""
    beside = pathlib.Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        if os.environ.get("CI") == "true":
            raise AssertionError(f"{name} is not installed: make setup")
        raise unittest.SkipTest(f"{name} is not installed: make setup")
    return found


def documents(path):
    return [document for document in yaml.safe_load_all(path.read_text()) if document is not None]


def document(path):
    (only,) = documents(path)
    return only
