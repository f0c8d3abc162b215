"""The context table on ministack's DynamoDB: the same checks that the embedded one passes in the Rust tests."""

import os
import pathlib
import subprocess

from stack_process import StackProcess


def test_the_contracts_of_the_context_store_hold(emulator):
    program = pathlib.Path(os.environ["COLLOQUY_BINARIES"], "contract")
    # One without tables: the store's own code makes the table here, not the deployment's.
    with StackProcess(emulator.url) as stack:
        done = subprocess.run([program, stack.url], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "the contracts hold\n"
