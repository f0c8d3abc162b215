"""The emulator as a child process, and its admin endpoints."""

import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request

_ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)")


class EmulatorProcess:
    """A running emulator on a port of its own; stops when the `with` block ends."""

    def __init__(self, *arguments):
        # A file, not a pipe: a pipe nobody drains would block a talkative child.
        self._log = tempfile.NamedTemporaryFile("r", suffix=".log")
        with open(self._log.name, "w") as sink:
            self._child = subprocess.Popen(
                [os.environ["COLLOQUY_EMULATOR"], "--port", "0", *arguments],
                stdout=sink,
                stderr=subprocess.STDOUT,
            )
        self.url = self._announced_address()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._child.terminate()
        self._child.wait(timeout=10)
        self._log.close()

    def admin(self, method, path, body=None):
        """Call `/_emulator/{path}` and return the JSON answer, or None when the answer is empty."""
        request = urllib.request.Request(
            f"{self.url}/_emulator/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def _announced_address(self):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with open(self._log.name) as log:
                text = log.read()
            found = _ADDRESS.search(text)
            if found:
                return f"http://127.0.0.1:{found[1]}"
            if self._child.poll() is not None:
                raise RuntimeError(f"the emulator ended with {self._child.returncode}: {text}")
            time.sleep(0.02)
        raise TimeoutError("the emulator did not announce its address")
