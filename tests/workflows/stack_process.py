"""ministack as a child process on a free port."""

import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import boto3
from botocore.config import Config

REGION = "us-east-1"


class StackProcess:
    """A running ministack; it and all it wrote are gone when the `with` block ends."""

    def __init__(self, bedrock_url):
        self._folder = tempfile.TemporaryDirectory(prefix="workflows-")
        self._log = pathlib.Path(self._folder.name, "stack.log")
        self.expressions = pathlib.Path(self._folder.name, "expressions.jsonl")
        # The port is free when it is looked up; should another program be quicker, the next try finds another.
        for attempt in range(5):
            self.port = _free_port()
            self.url = f"http://127.0.0.1:{self.port}"
            self._child = self._start(bedrock_url)
            if self._answers():
                return
        raise RuntimeError(f"ministack does not start: {self.log()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._child.terminate()
        try:
            self._child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._folder.cleanup()

    def client(self, service):
        """A client of one of its services. Failures are for the tests to see, so nothing is retried."""
        config = Config(retries={"max_attempts": 0}, read_timeout=120, inject_host_prefix=False)
        return boto3.client(service, endpoint_url=self.url, region_name=REGION, config=config)

    def log(self):
        """What it has written, its functions included."""
        return self._log.read_text(errors="replace")

    def _start(self, bedrock_url):
        own = {
            "GATEWAY_PORT": str(self.port),
            "BIND_HOST": "127.0.0.1",
            "MINISTACK_REGION": REGION,
            "BEDROCK_URL": bedrock_url,
            "EXPRESSIONS_FILE": str(self.expressions),
            # Its pauses between retries follow the definition; a tenth of them is enough to show that they are made.
            "SFN_WAIT_SCALE": "0.1",
            "LAMBDA_EXECUTOR": "local",
            "LOG_LEVEL": "WARNING",
            "TMPDIR": self._folder.name,
        }
        with open(self._log, "w") as sink:
            return subprocess.Popen(
                [sys.executable, str(pathlib.Path(__file__).with_name("stack.py"))],
                env={**os.environ, **own},
                stdout=sink,
                stderr=subprocess.STDOUT,
            )

    def _answers(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self._child.poll() is not None:
                return False
            try:
                with urllib.request.urlopen(f"{self.url}/_ministack/health", timeout=2):
                    return True
            except OSError:
                time.sleep(0.05)
        self._child.kill()
        self._child.wait()
        return False


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
