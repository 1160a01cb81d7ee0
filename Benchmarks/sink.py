"""A running sink, see Sources/sink."""

import json
import subprocess
from pathlib import Path


class Sink:
    """Accepts sends until the block ends. Then `figures` are set."""

    def __init__(self, program, folder, *options):
        folder = Path(folder)
        self.certificate = folder / "sink.pem"
        key = folder / "sink.key"
        if not self.certificate.exists():
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                 "-keyout", key, "-out", self.certificate, "-days", "30", "-subj", "/CN=sink",
                 "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        self._process = subprocess.Popen(
            [program, "--certificate", self.certificate, "--key", key, *options], stdout=subprocess.PIPE, text=True)
        self.origin = self._process.stdout.readline().strip().partition("=")[2]
        self._process.stdout.readline()
        self.figures = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        rest, _ = self._process.communicate()
        self.figures = json.loads(rest)
