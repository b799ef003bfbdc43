"""The folders for calls of the handlers of `code`."""

from __future__ import annotations

import socket
from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from tests.unit.toolsets.code.world import SECRET, World

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def furnished(world: World) -> World:
    """The folders for the escape tables: with links, secrets, and special files."""
    for path in ("project/file.txt", "project/sub/file.txt", "outside/file.txt", "project-evil/file.txt"):
        world.put(path, f"content of {path}\n")
    for path in (
        "home/.ssh/id_rsa",
        "home/.gnupg/ring",
        "home/.aws/credentials",
        "home/.config/gcloud/token",
        "project/.env",
        "project/.env.local",
        "project/sub/.env",
        "project/server.pem",
        "project/SERVER.PEM",
        "project/tls.key",
        "project/bundle.key/inner",
        "project/dir.env/.env/inner",
        "outside/vault/id",
        "outside/cert.pem",
    ):
        world.put(path, f"{SECRET}\n")
    project, home, outside = world.project, world.home, world.outside
    links: dict[str, str | Path] = {
        "to_outside": outside,
        "to_outside_file": outside / "file.txt",
        "to_missing": outside / "new.txt",
        "relative": "../outside",
        "chain1": "chain2",
        "chain2": "sub/chain3",
        "sub/chain3": "../../outside",
        "sub/up": "..",
        "to_parent": "..",
        "to_root": "/",
        "to_dots": "sub/../../outside",
        "to_itself": "to_itself",
        "ring1": "ring2",
        "ring2": "ring1",
        "to_ssh": home / ".ssh",
        "to_home": home,
        "notes.txt": home / ".ssh" / "id_rsa",
        "readme.txt": ".env",
        "sub/readme.txt": "../readme.txt",
        ".env.example": "file.txt",
        "to_null": "/dev/null",
    }
    for link, target in links.items():
        (project / link).symlink_to(target)
    (home / ".kube").symlink_to(outside / "vault")
    (project / "hard.txt").hardlink_to(project / ".env")
    (project / "hard_ssh.txt").hardlink_to(home / ".ssh" / "id_rsa")
    (project / "hard_outside.txt").hardlink_to(outside / "file.txt")
    with chdir(project), socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")  # the path of a socket is limited to about 100 bytes
    return world
