"""write_file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolgen.contract.records import FailureKind, ToolCallMeta
from toolgen.runtime.base.errors import CallFailed
from toolgen.toolsets.generated.tools.code import WriteFileArgs

if TYPE_CHECKING:
    from tests.unit.toolsets.code.world import World


def test_reg_46_a_new_file_is_written_with_its_folders(world: World) -> None:
    result = world.call("write_file", path="a/b/c.txt", content="é\r\n")
    assert (result.bytes_written, result.created) == (4, True)
    assert (world.project / "a/b/c.txt").read_bytes() == "é\r\n".encode()


def test_reg_46_without_create_dirs_the_folder_must_exist(world: World) -> None:
    assert world.code("write_file", path="a/b.txt", content="", create_dirs=False) == "file_not_found"
    assert not (world.project / "a").exists()


def test_reg_46_an_existing_file_is_kept(world: World) -> None:
    file = world.put("project/a.txt", "old")
    failure = world.failure("write_file", path="a.txt", content="new")
    assert (failure.kind, failure.code) == (FailureKind.DOMAIN_REJECTION, "path_conflict")
    assert (failure.message, failure.hint[:13]) == ("'a.txt' exists", "set overwrite")
    assert file.read_text() == "old"


def test_reg_46_overwrite_replaces_it(world: World) -> None:
    file = world.put("project/a.txt", "old")
    file.chmod(0o640)
    result = world.call("write_file", path="a.txt", content="new", overwrite=True)
    assert (result.bytes_written, result.created) == (3, False)
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("new", 0o640)


def test_reg_46_a_folder_is_not_overwritten(world: World) -> None:
    (world.project / "a").mkdir()
    assert world.code("write_file", path="a", content="") == "path_conflict"
    assert world.code("write_file", path="a", content="", overwrite=True) == "not_a_file"


def test_a_file_used_as_a_folder_is_refused(world: World) -> None:
    world.put("project/a", "x")
    assert world.code("write_file", path="a/b", content="") == "not_a_folder"


def test_a_link_inside_is_kept_and_its_target_written(world: World) -> None:
    (world.project / "link").symlink_to("new.txt")
    world.call("write_file", path="link", content="x")
    assert (world.project / "link").is_symlink()
    assert (world.project / "new.txt").read_text() == "x"


def test_reg_73_outside_the_roots_it_writes_only_granted_files(world: World) -> None:
    world.granted.append(str(world.outside / "a.txt"))
    world.call("write_file", path="../outside/a.txt", content="x")
    assert (world.outside / "a.txt").read_text() == "x"
    failure = world.failure("write_file", path="../outside/b.txt", content="x")
    assert (failure.kind, failure.code) == (FailureKind.PERMISSION_DENIED, "outside_roots")
    assert failure.message == (
        "'../outside/b.txt' is outside the folders that may be written to, and permission was not granted"
    )


def test_reg_73_a_grant_does_not_follow_a_link_created_later(world: World) -> None:
    world.granted.append(str(world.outside / "a.txt"))
    world.put("home/file", "old")
    (world.outside / "a.txt").symlink_to(world.home / "file")
    assert world.code("write_file", path="../outside/a.txt", content="x", overwrite=True) == "outside_roots"


def test_reg_52_a_sensitive_file_of_the_project_is_not_written(world: World) -> None:
    assert world.code("write_file", path=".env", content="A=1") == "sensitive_path"


def test_a_lone_surrogate_is_refused_before_anything_is_created(world: World) -> None:
    with pytest.raises(CallFailed, match="lone surrogate at 1") as caught:
        world.tools.write_file(WriteFileArgs(path="a/b.txt", content="a\ud800"), ToolCallMeta())
    assert caught.value.code == "validation_error"
    assert not (world.project / "a").exists()
