"""requirements.lock: its pinned versions, and that it is the same on every machine."""

from __future__ import annotations

import re
from itertools import chain

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.project.checkout import ROOT, pyproject

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
ENTRY = re.compile(
    r"^(?P<name>[\w.-]+)==(?P<version>\S+)(?: ; .+?)?(?P<hashes>(?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n",
    re.MULTILINE,
)


def test_every_entry_is_one_version_with_its_hashes() -> None:
    comments = "".join(f"{line}\n" for line in LOCK.splitlines() if line.startswith("#"))
    assert comments + "".join(entry[0] for entry in ENTRY.finditer(LOCK)) == LOCK


def test_pyproject_and_lock_agree() -> None:
    pinned = {entry["name"]: entry["version"] for entry in ENTRY.finditer(LOCK)}
    project = pyproject()
    wanted = [
        Requirement(line)
        for line in chain(
            project["build-system"]["requires"],
            project["project"]["dependencies"],
            project["project"]["optional-dependencies"]["compiler"],
            project["dependency-groups"]["dev"],
        )
    ]
    stale = [str(one) for one in wanted if not one.specifier.contains(pinned.get(canonicalize_name(one.name), "0"))]
    assert stale == [], "run `make lock`"
