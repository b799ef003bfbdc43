"""The program of tests whose interpreters are forks."""

from __future__ import annotations

import socket
import subprocess

from tests.unit.cli.forked_python import _server, forked_python


def test_a_launcher_that_is_killed_as_it_begins_ends_no_other_program() -> None:
    program = forked_python()
    for sent in (b"", b"x"):
        with socket.socket(socket.AF_UNIX) as launcher:
            launcher.connect(_server())
            if sent:
                socket.send_fds(launcher, [(1000).to_bytes(4, "big")], [0, 1, 2])
                launcher.sendall(sent)
    done = subprocess.run([program, "-c", "print(1 + 1)"], capture_output=True, text=True, check=True)
    assert done.stdout == "2\n"
