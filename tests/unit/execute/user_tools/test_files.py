"""User tools are read only from files that no other user could have written; skipped files are reported."""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.execute.command import CommandHost
from toolgen.execute.user_tools import load_user_tools
from toolgen.runtime import Catalog, load
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.policy.paths import PathPolicy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.runtime.package import Shop

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners, permissions, pipes and links of POSIX")

TOOL: dict[str, Any] = {
    "name": "mine.show",
    "description": "Show.",
    "input_schema": {"type": "object"},
    "command": "true",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home/tools").mkdir(parents=True)
    (tmp_path / "project").mkdir()
    write(tmp_path / "home/tools/good.json")
    return tmp_path / "home"


def write(place: Path, **changes: Any) -> Path:
    place.write_text(json.dumps(TOOL | changes))
    return place


def loaded(home: Path, catalog: Catalog | None = None) -> tuple[str, ...]:
    host = CommandHost(paths=PathPolicy(home.parent / "project", home=home))
    return load_user_tools(catalog or Catalog(), home, host)


def leads_out(place: Path) -> None:
    outside = write(place.parents[2] / "outside.json", name="mine.outside")
    place.symlink_to(outside)


def writable_by_all(mode: int) -> Callable[[Path], None]:
    return lambda place: write(place, name="mine.bad").chmod(mode)


def huge(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(1 << 30)


@pytest.mark.parametrize(
    ("put", "reason"),
    [
        (os.mkfifo, "it is a pipe, not a regular file"),
        (lambda place: place.mkdir(), "it is a folder, not a regular file"),
        (lambda place: place.symlink_to("/dev/zero"), "it is a link that leads out of the folder"),
        (leads_out, "it is a link that leads out of the folder"),
        (lambda place: place.symlink_to(place.name), "Too many levels of symbolic links"),
        (writable_by_all(0o664), "users other than its owner may write it: run `chmod go-w` on it"),
        (writable_by_all(0o646), "users other than its owner may write it: run `chmod go-w` on it"),
        (huge, "it is over 1,048,576 bytes"),
    ],
)
def test_reg_53_a_file_that_another_user_could_have_written_is_skipped_with_a_warning(
    home: Path, caplog: pytest.LogCaptureFixture, put: Callable[[Path], Any], reason: str
) -> None:
    put(home / "tools/bad.json")

    assert loaded(home) == ("mine.show",)
    assert [record.getMessage() for record in caplog.records] == [f"the user tool tools/bad.json is skipped: {reason}"]


def test_reg_53_a_socket_is_skipped(
    home: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home / "tools")  # the path of a socket is limited to about 100 bytes
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("bad.json")

    assert loaded(home) == ("mine.show",)
    assert "it is a socket, not a regular file" in caplog.text


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can change the owner of files")
def test_reg_53_a_file_or_a_folder_of_another_user_is_refused(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    os.chown(write(home / "tools/bad.json", name="mine.bad"), 12345, -1)
    assert loaded(home) == ("mine.show",)
    assert "tools/bad.json is skipped: it belongs to another user" in caplog.text

    os.chown(home / "tools", 12345, -1)
    with pytest.raises(CatalogError, match=r"^tools: it belongs to another user$"):
        loaded(home)


def test_reg_53_links_inside_the_folder_are_followed(home: Path) -> None:
    (home / "tools/kept").mkdir()
    write(home / "tools/kept/other", name="mine.other")
    (home / "tools/linked.json").symlink_to("kept/other")

    assert loaded(home) == ("mine.show", "mine.other")


@pytest.mark.parametrize("mode", [0o775, 0o757])
def test_reg_53_a_folder_that_others_can_write_is_refused(home: Path, mode: int) -> None:
    (home / "tools").chmod(mode)

    with pytest.raises(CatalogError, match=r"^tools: users other than its owner may write it: run `chmod go-w` on it$"):
        loaded(home)


def test_reg_53_a_path_that_is_not_a_folder_is_an_error(home: Path) -> None:
    (home / "tools").rename(home.parent / "elsewhere")
    for put, reason in (
        (lambda place: place.write_text("{}"), "it is not a readable folder: Not a directory"),
        (os.mkfifo, "it is not a readable folder: Not a directory"),
        (lambda place: place.symlink_to("nowhere"), "it is not a readable folder: No such file or directory"),
        (lambda place: place.symlink_to(home.parent / "elsewhere"), "it is a link that leads out of its home"),
    ):
        put(home / "tools")
        with pytest.raises(CatalogError) as raised:
            loaded(home)
        assert str(raised.value) == f"tools: {reason}"
        (home / "tools").unlink()


@pytest.mark.parametrize("name", ["code.grep", "code.more.grep", "agent.x", "actions.x", "internal.x"])
def test_names_of_built_in_toolsets_are_reserved(home: Path, name: str) -> None:
    write(home / "tools/bad.json", name=name)

    with pytest.raises(CatalogError) as raised:
        loaded(home)
    assert str(raised.value) == (
        f"tools/bad.json: `name`: {name} has the name of a built-in toolset, which is reserved"
    )


def test_a_user_tool_never_joins_a_compiled_toolset_even_if_the_host_allows_registration(
    home: Path, shop: Shop
) -> None:
    write(home / "tools/bad.json", name="shop.orders.extra")
    catalog = load(shop.name)
    catalog.open_toolset("shop.orders")

    with pytest.raises(CatalogError, match=r"shop\.orders\.extra would join the compiled"):
        loaded(home, catalog)
    assert "mine.show" not in catalog
