"""The program that scripts try: HERALD's, or that of the debug build."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def herald():
    named = os.environ.get("HERALD")
    if named:
        return str(Path(named).resolve())
    folder = subprocess.check_output(["swift", "build", "--package-path", str(ROOT), "--show-bin-path"], text=True)
    return folder.strip() + "/herald"
