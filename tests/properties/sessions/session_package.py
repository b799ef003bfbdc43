"""Tools, agents, policies and folders of the host in `test_sessions`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from tests.properties.sessions.session_model import CHILDREN_PER_RUN, CHILDREN_PER_SESSION
from toolgen.contract.version import CONTRACT_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STARTS: Final = "helpers.start"

TOOLS: Final[Mapping[str, dict[str, Any]]] = {
    "files.save": {"access": {"write": ["path"]}},
    "files.copy": {"access": {"read": ["source"], "write": ["target"]}},
    "files.read": {"permission": "readonly", "access": {"read": ["path"]}},
    "web.get": {"permission": "readonly", "tags": {"network"}, "access": {"url": ["url"]}},
    "db.set": {"access": {"scope": ["key"]}},
    "shell.run": {"tags": {"dangerous"}, "access": {"exec": ["argv"], "cwd": ["cwd"]}},
    "raw.do": {},
    "quota.daily": {"permission": "readonly"},
    "quota.cool": {"permission": "readonly"},
    "quota.both": {"access": {"scope": ["key"]}},
    STARTS: {"permission": "readonly", "tags": {"agent"}},
}

DOCUMENT: Final = {
    "contract": CONTRACT_VERSION,
    "tools": {},
    "agents": {"main": {"role": "main", "use": ["*"]}, "helper": {"role": "sub", "use": ["*"]}},
    "policies": {
        "p": {
            "rules": {"shell.*": "allow"},
            "network": {"good.example": "allow", "*.bad.example": "deny"},
            "limits": {"children_per_run": CHILDREN_PER_RUN, "children_per_session": 9},
        },
        "q": {
            "network": {"*": "ask", "good.example": "allow"},
            "limits": {"children_per_session": CHILDREN_PER_SESSION},
        },
    },
}


def create_folders(folder: Path) -> None:
    for name in ("project/a", "project/b", "project/secret", "outside"):
        (folder / name).mkdir(parents=True)
    (folder / "project/to_a").symlink_to("a")
    (folder / "project/to_outside").symlink_to(folder / "outside")
    (folder / "project/to_env").symlink_to("secret/.env")


def write_package(folder: Path) -> None:
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "catalog.json").write_text(json.dumps(DOCUMENT), encoding="utf-8")
