"""The Python of docs/how-to/emulator-sdks.md works as it stands there."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from emulator import Emulator

HERE = pathlib.Path(__file__).parent
TEXT = (HERE.parents[1] / "docs" / "how-to" / "emulator-sdks.md").read_text()


def blocks(language):
    found = re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    assert found, f"docs/how-to/emulator-sdks.md has nothing in {language}"
    return found


@pytest.fixture(scope="module", params=["http", "https"])
def running(request):
    emulator = Emulator(*(["--tls"] if request.param == "https" else []))
    yield emulator
    emulator.stop()


def run(emulator, *command):
    environment = {**os.environ, "FCM_EMULATOR_HOST": emulator.url if emulator.is_secure else emulator.authority}
    if emulator.is_secure:
        environment |= {"SSL_CERT_FILE": emulator.certificate, "REQUESTS_CA_BUNDLE": emulator.certificate}
    done = subprocess.run(command, env=environment, cwd=HERE, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_python(emulator):
    [block] = blocks("python")
    output = run(emulator, sys.executable, "-B", "-c", "import loopback\nloopback.guard()\n" + block)
    assert re.fullmatch(r"projects/tide-app-prod/messages/\d+\n", output)
    assert [line["fan_out"] for line in emulator.ledger()] == [1]
