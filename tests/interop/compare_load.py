"""Throughput of the emulator and of moto_server, with one load generator, in one run. Called by `load`."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

from emulator_process import EmulatorProcess

BAR = 20
SECONDS = os.environ.get("COLLOQUY_LOAD_SECONDS", "10")
CONNECTIONS = os.environ.get("COLLOQUY_LOAD_CONNECTIONS", "8")
OPERATIONS = {"CreateEvent": "create", "ListEvents": "list"}


def main():
    print(f"{CONNECTIONS} connections, {SECONDS} s each, {os.cpu_count()} cores")
    print(f"{'requests/s':<12} {'moto_server':>12} {'emulator':>12} {'ratio':>8}")
    worst = float("inf")
    for operation, name in OPERATIONS.items():
        # One right after the other, so that whatever else the machine does weighs on both.
        theirs, ours = throughput(moto_server, name), throughput(emulator, name)
        worst = min(worst, ours / theirs)
        print(f"{operation:<12} {theirs:>12} {ours:>12} {ours / theirs:>7.1f}x", flush=True)
    if worst < BAR:
        sys.exit(f"the emulator is to be at least {BAR} times as fast")


def throughput(server, operation):
    """Requests per second of one operation, on a server started for it."""
    with server() as (address, memory):
        done = subprocess.run(
            [
                os.environ["COLLOQUY_LOAD_GENERATOR"],
                *("--address", address, "--memory", memory, "--operation", operation),
                *("--seconds", SECONDS, "--connections", CONNECTIONS),
            ],
            check=True,
            capture_output=True,
            text=True,
        )
    return json.loads(done.stdout)["perSecond"]


@contextlib.contextmanager
def emulator():
    # moto refuses no write because of another one, so the emulator must not either.
    with EmulatorProcess("--switches", "reported") as running:
        body = json.dumps({"name": "load", "eventExpiryDuration": 7}).encode()
        request = urllib.request.Request(f"{running.url}/memories/create", data=body, method="POST")
        with urllib.request.urlopen(request, timeout=10) as answer:
            memory = json.load(answer)["memory"]["id"]
        yield running.url.removeprefix("http://"), memory


@contextlib.contextmanager
def moto_server():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # Its request log would cost it time that is not its service's.
    child = subprocess.Popen(
        [os.environ["COLLOQUY_MOTO_SERVER"], "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port)
        # It does not look whether a memory exists.
        yield f"127.0.0.1:{port}", "load-0123456789"
    finally:
        child.terminate()
        child.wait(timeout=10)


def _wait_for(port):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise TimeoutError("moto_server did not start")


if __name__ == "__main__":
    main()
