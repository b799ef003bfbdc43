"""The store of a cache: what it keeps, what it does not accept, and what it removes."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.compiler.project.cache import FOLDER, Cache, MemoryCache, open_cache, open_in_memory

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def user_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    return tmp_path / "user"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def entry(project: Path) -> Path:
    [place] = (project / FOLDER).glob("part-*")
    return place


def test_a_value_is_found_by_another_process_of_the_same_user(project: Path) -> None:
    open_cache(project).put("part", "k", {"a": [1, 1.5, "\ud800", None]})
    cache = open_cache(project)

    assert cache.get("part", "k") == {"a": [1, 1.5, "\ud800", None]}
    assert [cache.get("part", "l"), cache.get("toolset", "k")] == [None, None]
    assert (cache.hits, cache.misses) == ({"part": 1}, {"part": 1, "toolset": 1})


def test_git_ignores_a_cache(project: Path) -> None:
    open_cache(project).put("part", "k", 1)

    assert (project / FOLDER / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: content[:40],
        lambda _content: b"",
        lambda content: content.replace(b"good", b"evil"),
        lambda content: content.partition(b"\n")[2],
        lambda content: b"\n" + content.partition(b"\n")[2],
        lambda content: b"\xff" + content[1:],
    ],
)
def test_a_damaged_entry_is_none_and_can_be_kept_again(project: Path, damage: Any) -> None:
    open_cache(project).put("part", "k", "good")
    entry(project).write_bytes(damage(entry(project).read_bytes()))

    assert open_cache(project).get("part", "k") is None
    open_cache(project).put("part", "k", "good")
    assert open_cache(project).get("part", "k") == "good"


def test_an_entry_under_another_name_is_none(project: Path) -> None:
    open_cache(project).put("part", "k", "good")
    entry(project).rename(project / FOLDER / "part-l")

    assert open_cache(project).get("part", "l") is None


def test_an_entry_of_another_user_is_none(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_cache(project).put("part", "k", "code that a repository brings")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))

    assert open_cache(project).get("part", "k") is None


def test_the_secret_is_the_users_alone(project: Path, user_folder: Path) -> None:
    open_cache(project)
    [key] = (user_folder / "toolgen").iterdir()

    assert len(key.read_bytes()) == 32
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_processes_that_start_at_once_have_one_secret(project: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        caches = list(pool.map(lambda _: open_cache(project), range(8)))
    caches[0].put("part", "k", 1)

    assert [cache.get("part", "k") for cache in caches] == [1] * 8


@pytest.mark.parametrize("content", [b"", b"short"])
def test_without_a_whole_secret_nothing_is_kept(project: Path, user_folder: Path, content: bytes) -> None:
    (user_folder / "toolgen").mkdir(parents=True)
    (user_folder / "toolgen" / "cache.key").write_bytes(content)
    cache = open_cache(project)
    cache.put("part", "k", 1)

    assert cache.get("part", "k") is None
    assert not (project / FOLDER).exists()


def test_a_folder_that_leads_out_of_the_project_is_not_used(project: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project / ".toolgen").symlink_to(tmp_path / "elsewhere")
    open_cache(project).put("part", "k", 1)

    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_link_in_place_of_an_entry_is_none(project: Path, tmp_path: Path) -> None:
    open_cache(project).put("part", "k", 1)
    entry(project).replace(tmp_path / "moved")
    (project / FOLDER / "part-k").symlink_to(tmp_path / "moved")

    assert open_cache(project).get("part", "k") is None


def test_a_cache_that_only_reads_writes_nothing(project: Path) -> None:
    open_cache(project, is_kept=False).put("part", "k", 1)

    assert list(project.iterdir()) == []


def test_a_folder_that_cannot_be_created_keeps_nothing(project: Path) -> None:
    (project / ".toolgen").write_text("a file")
    open_cache(project).put("part", "k", 1)

    assert open_cache(project).get("part", "k") is None


def test_entries_used_longest_ago_are_removed_first_and_none_that_were_just_used(project: Path) -> None:
    for number in range(4):
        open_cache(project).put("part", str(number), "x" * 1000)
        os.utime(project / FOLDER / f"part-{number}", (number, number))
    cache: Cache = open_cache(project)
    assert cache.get("part", "0") is not None
    cache.put("part", "4", "x" * 1000)
    cache.prune(3300)

    assert sorted(path.name for path in (project / FOLDER).glob("part-*")) == ["part-0", "part-3", "part-4"]
    assert (project / FOLDER / "part-0").stat().st_mtime > 1000


def test_what_a_cache_in_memory_keeps_is_not_written_and_each_value_is_a_new_one(project: Path) -> None:
    cache = open_in_memory(project)
    cache.put("part", "k", {"a": [1, "\ud800"]})
    cache.get("part", "k")["a"].clear()

    assert cache.get("part", "k") == {"a": [1, "\ud800"]}
    assert open_cache(project).get("part", "k") is None
    assert not (project / FOLDER).exists()


def test_a_cache_in_memory_has_what_builds_have_written_and_keeps_it(project: Path) -> None:
    open_cache(project).put("part", "k", [1])
    cache = open_in_memory(project)

    assert cache.get("part", "k") == [1]
    entry(project).unlink()
    assert cache.get("part", "k") == [1]


def test_a_cache_in_memory_forgets_first_what_was_used_longest_ago() -> None:
    cache = MemoryCache(most=20)
    for key in ("a", "b"):
        cache.put("part", key, "12345678")  # ten bytes of JSON
    cache.get("part", "a")
    cache.put("part", "c", "12345678")
    assert [cache.get("part", key) for key in "abc"] == ["12345678", None, "12345678"]

    cache.put("part", "a", "1")
    cache.put("part", "d", "12345")
    assert [cache.get("part", key) for key in "acd"] == ["1", "12345678", "12345"]
    cache.put("part", "e", "x" * 30)  # more than there may be
    assert [cache.get("part", key) for key in "acde"] == [None] * 4
