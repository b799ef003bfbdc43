"""Rooms: the tests of a module are found from its name, because `tests/unit` has the folders of `toolgen`."""

from __future__ import annotations

from tests.project.checkout import ROOT, sources

UNIT = ROOT / "tests" / "unit"
NAMES = {file.relative_to(ROOT / "toolgen").with_suffix("") for file in sources("toolgen")}
ROOMS = {name.parent for name in NAMES}
UNDER_ANOTHER_NAME = {"contract"}
"""Rooms that the tests of others use throughout: those of `runtime`, and those of generated code."""


def test_each_folder_of_unit_tests_is_named_after_a_room_or_a_module() -> None:
    folders = {file.parent.relative_to(UNIT) for file in UNIT.rglob("*.py")}
    assert {str(folder) for folder in folders - ROOMS - NAMES} == set()


def test_each_top_room_has_unit_tests() -> None:
    tested = {file.relative_to(UNIT).parts[0] for file in UNIT.rglob("test_*.py")}
    assert {room.parts[0] for room in ROOMS if room.parts} - tested == UNDER_ANOTHER_NAME
