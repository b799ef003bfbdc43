"""Escapes from the write roots, and around the rules for sensitive paths. All must fail."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.toolsets.code.world import SECRET, needs_ripgrep
from toolgen.execute.paths import PathAccess
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.policy.paths import PathRules

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.toolsets.code.world import World

OUTSIDE, SENSITIVE_PATH, INVALID = "outside_roots", "sensitive_path", "invalid_path"

WAYS_OUT = [
    # what it tries                    path                                     how it ends
    ("parent", "../outside/new.txt", OUTSIDE),
    ("parent_of_a_folder", "sub/../../outside/new.txt", OUTSIDE),
    ("dots_between", "./././.././outside/./new.txt", OUTSIDE),
    ("doubled_slashes", "..//outside///new.txt", OUTSIDE),
    ("absolute", "{outside}/new.txt", OUTSIDE),
    ("absolute_with_two_slashes", "//{outside}/new.txt", OUTSIDE),
    ("absolute_by_way_of_the_project", "{project}/../outside/new.txt", OUTSIDE),
    ("above_the_root", "../../../../../../../../../../../../../..{outside}/new.txt", OUTSIDE),
    ("parent_of_a_missing_folder", "missing/../../outside/new.txt", OUTSIDE),
    ("parent_of_missing_folders", "new/deep/../../../outside/new.txt", OUTSIDE),
    ("parent_of_a_file", "file.txt/../../outside/new.txt", OUTSIDE),
    ("sibling_with_the_name_as_prefix", "../project-evil/file.txt", OUTSIDE),
    ("sibling_in_capitals", "../PROJECT/new.txt", OUTSIDE),
    ("link_to_a_folder", "to_outside/new.txt", OUTSIDE),
    ("link_to_a_folder_and_more", "to_outside/new/deep/new.txt", OUTSIDE),
    ("link_to_a_file", "to_outside_file", OUTSIDE),
    ("link_to_a_missing_file", "to_missing", OUTSIDE),
    ("relative_link", "relative/new.txt", OUTSIDE),
    ("link_with_dots_in_its_target", "to_dots/new.txt", OUTSIDE),
    ("chain_of_links", "chain1/new.txt", OUTSIDE),
    ("parent_of_what_a_link_leads_to", "sub/up/../outside/new.txt", OUTSIDE),
    ("link_to_the_parent", "to_parent/outside/new.txt", OUTSIDE),
    ("link_to_the_root", "to_root{outside}/new.txt", OUTSIDE),
    ("link_in_a_link", "to_parent/project/to_outside/new.txt", OUTSIDE),
    ("back_and_out", "to_outside/../project/to_outside/new.txt", OUTSIDE),
    ("home", "~/new.txt", OUTSIDE),
    ("parent_of_the_home", "~/../outside/new.txt", OUTSIDE),
    ("bare_home", "~", OUTSIDE),
    ("folder_for_temporary_files", "{temporary}/new.txt", OUTSIDE),
    ("system_file", "/etc/new.txt", OUTSIDE),
    ("device", "/dev/null", OUTSIDE),
    ("link_to_a_device", "to_null", OUTSIDE),
    ("root_of_the_process", "/proc/self/root{outside}/new.txt", SENSITIVE_PATH),
    ("root_of_the_thread", "/proc/thread-self/root{outside}/new.txt", SENSITIVE_PATH),
    ("working_folder_of_the_process", "/proc/self/cwd/../outside/new.txt", SENSITIVE_PATH),
    ("descriptor", "/proc/self/fd/1", SENSITIVE_PATH),
    ("descriptor_as_a_device", "/dev/fd/1", SENSITIVE_PATH),
    ("memory_of_the_process", "/proc/self/mem", SENSITIVE_PATH),
    ("nul", "../outside/new.txt\0.md", INVALID),
    ("nul_behind_a_good_name", "file.txt\0/../../outside/new.txt", INVALID),
    ("empty", "", INVALID),
    ("link_to_itself", "to_itself/new.txt", INVALID),
    ("ring_of_links", "ring1", INVALID),
    ("too_long", "a/" * 2048 + "new.txt", INVALID),
    ("folder_by_its_slash", "new/", "not_a_file"),
    ("folder", "sub", "not_a_file"),
    ("the_project", ".", "not_a_file"),
    ("link_to_the_project", "sub/up", "not_a_file"),
    ("socket", "socket", "not_a_file"),
]

STAYS_INSIDE = [
    # what it tries                    path                                     where it is written
    ("backslashes", "..\\..\\outside\\new.txt", "..\\..\\outside\\new.txt"),
    ("drive", "C:\\new.txt", "C:\\new.txt"),
    ("wide_dots", "．．/outside/new.txt", "．．/outside/new.txt"),  # noqa: RUF001  # under test
    ("one_dot_leader", "\u2025/outside/new.txt", "\u2025/outside/new.txt"),
    ("wide_slash", "..／outside／new.txt", "..／outside／new.txt"),  # noqa: RUF001  # under test
    ("hidden_mark", "..\u200b/outside/new.txt", "..\u200b/outside/new.txt"),
    ("writing_direction", "\u202e../new.txt", "\u202e../new.txt"),
    ("percent_encoding", "%2e%2e/outside/new.txt", "%2e%2e/outside/new.txt"),
    ("three_dots", ".../outside/new.txt", ".../outside/new.txt"),
    ("dots_and_a_blank", ".. /outside/new.txt", ".. /outside/new.txt"),
    ("home_of_another", "~root/new.txt", "~root/new.txt"),
    ("home_in_the_middle", "sub/~/new.txt", "sub/~/new.txt"),
    ("variable", "$HOME/new.txt", "$HOME/new.txt"),
    ("url", "file:///outside/new.txt", "file:/outside/new.txt"),
    ("line_break", "new\n../outside.txt", "new\n../outside.txt"),
    ("dash", "-rf/new.txt", "-rf/new.txt"),
    ("out_and_back", "../project/new.txt", "new.txt"),
    ("by_way_of_a_link", "to_outside/../project/new.txt", "new.txt"),
    ("second_name_of_a_file_outside", "hard_outside.txt", "hard_outside.txt"),
]

WAYS_TO_SECRETS = [
    # what it tries                    path
    ("each_default_ssh", "~/.ssh/id_rsa"),
    ("each_default_gnupg", "~/.gnupg/ring"),
    ("each_default_aws", "~/.aws/credentials"),
    ("each_default_gcloud", "~/.config/gcloud/token"),
    ("each_default_pem", "server.pem"),
    ("each_default_key", "tls.key"),
    ("each_default_env", ".env"),
    ("each_default_env_and_more", ".env.local"),
    ("absolute", "{home}/.ssh/id_rsa"),
    ("parent", "../home/.ssh/id_rsa"),
    ("in_and_out", "~/.ssh/../.ssh/id_rsa"),
    ("dots_between", "~/./.ssh/./id_rsa"),
    ("doubled_slashes", "~//.ssh//id_rsa"),
    ("not_there", "~/.ssh/missing"),
    ("in_a_folder", "sub/.env"),
    ("outside_of_the_project", "{outside}/cert.pem"),
    ("folder_of_that_name", "dir.env/.env/inner"),
    ("folder_with_that_ending", "bundle.key/inner"),
    ("capitals", ".ENV"),
    ("capital_ending", "SERVER.PEM"),
    ("capital_place", "~/.SSH/id_rsa"),
    ("wide_letters", ".ｅｎｖ"),  # noqa: RUF001  # under test
    ("long_s", "~/.\u017f\u017fh/id_rsa"),
    ("hidden_mark", ".e\u200bnv"),
    ("soft_hyphen", "server.p\u00adem"),
    ("dot_at_the_end", "server.pem."),
    ("blank_at_the_end", ".env "),
    ("link_to_a_file", "notes.txt"),
    ("link_to_a_folder", "to_ssh/id_rsa"),
    ("link_to_the_home", "to_home/.ssh/id_rsa"),
    ("link_to_the_root", "to_root{home}/.ssh/id_rsa"),
    ("link_to_a_name", "readme.txt"),
    ("chain_of_links", "sub/readme.txt"),
    ("name_that_is_a_link", ".env.example"),
    ("hard_link_to_a_name", "hard.txt"),
    ("hard_link_to_a_place", "hard_ssh.txt"),
    ("root_of_the_process", "/proc/self/root{home}/.ssh/id_rsa"),
    ("environment_of_the_process", "/proc/self/environ"),
    ("environment_of_another", "/proc/1/environ"),
    ("memory_map", "/proc/thread-self/maps"),
    ("standard_input", "/dev/stdin"),
    ("descriptor", "/dev/fd/0"),
]

BEHIND_A_LINK = [("by_its_name", "~/.kube/id"), ("by_where_it_leads", "{outside}/vault/id"), ("folder", "~/.kube/.")]


def named(table: list[Any]) -> Any:
    """Parametrize with the rows of a table; their first column is the test id."""
    return [pytest.param(*row[1:], id=row[0]) for row in table]


def filled(world: World, path: str) -> str:
    for name in ("project", "home", "outside", "temporary"):
        path = path.replace(f"{{{name}}}", str(getattr(world, name)))
    return path


def assert_says_nothing(failure: CallFailed, world: World) -> None:
    assert SECRET not in failure.message + failure.hint
    assert str(world.project) not in failure.message + failure.hint


def test_there_are_at_least_60_escapes() -> None:
    tables: list[list[Any]] = [WAYS_OUT, STAYS_INSIDE, WAYS_TO_SECRETS, BEHIND_A_LINK]
    assert sum(map(len, tables)) >= 100
    assert all(len({row[0] for row in table}) == len({row[1] for row in table}) == len(table) for table in tables)
    assert len({row[1] for row in [*WAYS_OUT, *WAYS_TO_SECRETS, *BEHIND_A_LINK]}) >= 60, (
        "that lead outside, instead of only attempting it"
    )


@pytest.mark.parametrize(("path", "code"), named(WAYS_OUT))
def test_reg_74_write_file_cannot_escape(furnished: World, path: str, code: str) -> None:
    before = furnished.contents(furnished.top)
    failure = furnished.failure("write_file", path=filled(furnished, path), content="x", overwrite=True)
    assert failure.code == code
    assert failure.hint or code == "not_a_file"
    assert furnished.contents(furnished.top) == before


@pytest.mark.parametrize(("path", "code"), named(WAYS_OUT))
def test_reg_74_edit_file_cannot_escape(furnished: World, path: str, code: str) -> None:
    before = furnished.contents(furnished.top)
    edits = [{"old": "", "new": "x"}]
    assert furnished.code("edit_file", path=filled(furnished, path), edits=edits, create_if_missing=True) == code
    assert furnished.contents(furnished.top) == before


@pytest.mark.parametrize(("path", "written"), named(STAYS_INSIDE))
def test_reg_74_unusual_names_stay_inside(furnished: World, path: str, written: str) -> None:
    before = furnished.contents(furnished.outside, furnished.home)
    furnished.call("write_file", path=path, content="mine", overwrite=True)
    assert (furnished.project / written).read_text() == "mine"
    assert furnished.contents(furnished.outside, furnished.home) == before


@pytest.mark.parametrize(
    ("cwd", "code"),
    [
        ("..", OUTSIDE),
        ("{outside}", OUTSIDE),
        ("to_outside", OUTSIDE),
        ("chain1", OUTSIDE),
        ("sub/up/..", OUTSIDE),
        ("missing/../..", OUTSIDE),
        ("~", OUTSIDE),
        ("~/.ssh", SENSITIVE_PATH),
        ("/proc/self/cwd", SENSITIVE_PATH),
        ("to_ssh", SENSITIVE_PATH),
        ("bundle.key", SENSITIVE_PATH),
        (".\0", INVALID),
        ("ring1", INVALID),
        ("missing", "file_not_found"),
        ("file.txt", "not_a_folder"),
        ("socket", "not_a_folder"),
    ],
)
def test_reg_50_a_command_cannot_run_in_another_folder(furnished: World, cwd: str, code: str) -> None:
    assert furnished.code("run_command", argv=["touch", "made"], cwd=filled(furnished, cwd)) == code
    assert not list(furnished.top.rglob("made"))


@pytest.mark.parametrize("path", named(WAYS_TO_SECRETS))
def test_reg_52_sensitive_files_are_not_read(furnished: World, path: str) -> None:
    failure = furnished.failure("read_file", path=filled(furnished, path))
    assert failure.code == SENSITIVE_PATH
    assert_says_nothing(failure, furnished)


@pytest.mark.parametrize("path", named(WAYS_TO_SECRETS))
def test_reg_52_editing_a_sensitive_file_reveals_nothing_of_its_content(furnished: World, path: str) -> None:
    before = furnished.contents(furnished.project, furnished.home)
    failure = furnished.failure("edit_file", path=filled(furnished, path), edits=[{"old": SECRET, "new": "x"}])
    assert failure.code in (SENSITIVE_PATH, OUTSIDE)
    assert furnished.contents(furnished.project, furnished.home) == before


@needs_ripgrep
@pytest.mark.parametrize("path", named(WAYS_TO_SECRETS))
def test_reg_45_sensitive_files_are_not_searched(furnished: World, path: str) -> None:
    failure = furnished.failure("search", query=".", path=filled(furnished, path))
    assert failure.code == SENSITIVE_PATH
    assert_says_nothing(failure, furnished)


@needs_ripgrep
@pytest.mark.parametrize("path", [".", "{project}", "~", "{outside}", "to_home", "to_parent", "sub/up", "{top}"])
def test_reg_45_a_search_of_a_parent_folder_shows_nothing_sensitive(furnished: World, path: str) -> None:
    path = path.replace("{top}", str(furnished.top))
    furnished.tools = furnished.tools_with(policy=furnished.policy(rules=[PathRules(sensitive=["~/.kube"])]))
    furnished.granted.append(furnished.policy().judge(filled(furnished, path)).resolved)
    result = furnished.call("search", query=f"{SECRET}|content", path=filled(furnished, path))
    assert not [match for match in result.matches if SECRET in match.text]


@pytest.mark.parametrize("path", ["~/.ssh", "{home}/.aws", "to_ssh", "to_home/.gnupg", "bundle.key", "/proc/self"])
def test_reg_44_sensitive_folders_are_not_listed(furnished: World, path: str) -> None:
    assert furnished.code("list_dir", path=filled(furnished, path)) == SENSITIVE_PATH


def test_reg_44_a_listing_of_a_parent_folder_names_sensitive_folders_without_their_entries(furnished: World) -> None:
    shown = {entry.path for entry in furnished.call("list_dir", path="~", recursive=True).entries}
    assert {"~/.ssh", "~/.aws", "~/.config", "~/.config/gcloud", "~/.kube"} <= shown
    assert not shown & {"~/.ssh/id_rsa", "~/.aws/credentials", "~/.config/gcloud/token", "~/.kube/id"}


@pytest.mark.parametrize("path", named(BEHIND_A_LINK))
def test_reg_52_a_sensitive_link_is_sensitive_by_both_its_names(furnished: World, path: str) -> None:
    furnished.tools = furnished.tools_with(policy=furnished.policy(rules=[PathRules(sensitive=["~/.kube"])]))
    assert furnished.code("read_file", path=filled(furnished, path)) == SENSITIVE_PATH


def test_reg_74_a_write_root_replaced_by_a_link_stays_at_its_path(furnished: World) -> None:
    (furnished.project / "build").mkdir()
    furnished.tools = furnished.tools_with(policy=furnished.policy(rules=[PathRules(write_roots=["build"])]))
    (furnished.project / "build").rmdir()
    (furnished.project / "build").symlink_to(furnished.outside)
    assert furnished.code("write_file", path="build/new.txt", content="x") == OUTSIDE


@pytest.mark.parametrize("replaced", ["folder", "parent", "file"])
def test_reg_74_a_path_swapped_for_a_link_after_the_check_is_not_followed(furnished: World, replaced: str) -> None:
    furnished.put("project/a/b/note", "plain\n")
    furnished.put("home/.ssh/note", SECRET)
    access = PathAccess(furnished.policy())
    answer = access.check_edit("a/b/note")
    swapped = {"folder": "a/b", "parent": "a", "file": "a/b/note"}[replaced]
    target = {"folder": ".ssh", "parent": "deep", "file": ".ssh/note"}[replaced]
    furnished.put("home/deep/b/note", SECRET)
    (furnished.project / swapped).rename(furnished.project / "moved")
    (furnished.project / swapped).symlink_to(furnished.home / target)
    before = furnished.contents(furnished.home)
    with pytest.raises(CallFailed) as caught:
        access.open_file(answer)
    assert caught.value.code in ("not_a_folder", "not_a_file")
    with pytest.raises((CallFailed, OSError)), access.open_parent(answer) as (folder, name):
        folder.replace_file(name, b"x")
    assert furnished.contents(furnished.home) == before


def test_reg_74_an_open_folder_stays_the_checked_one(furnished: World) -> None:
    access = PathAccess(furnished.policy())
    answer = access.check_write("sub/new.txt")
    with access.open_parent(answer) as (folder, name):
        (furnished.project / "sub").rename(furnished.project / "moved")
        (furnished.project / "sub").symlink_to(furnished.outside)
        folder.create_file(name, b"x")
    assert (furnished.project / "moved/new.txt").read_bytes() == b"x"
    assert not (furnished.outside / "new.txt").exists()


def test_reg_52_a_file_swapped_for_a_hard_link_after_the_check_is_not_read(furnished: World) -> None:
    access = PathAccess(furnished.policy())
    answer = access.check_read("file.txt")
    (furnished.project / "file.txt").unlink()
    (furnished.project / "file.txt").hardlink_to(furnished.home / ".ssh/id_rsa")
    with pytest.raises(CallFailed) as caught:
        access.open_file(answer)
    assert caught.value.code == SENSITIVE_PATH


class Swapper:
    """A thread that swaps a folder of the project for a link and back as fast as possible."""

    def __init__(self, folder: Path, link: Path, aside: Path) -> None:
        self._paths = folder, link, aside
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._swap)

    def _swap(self) -> None:
        folder, link, aside = self._paths
        while not self._stopped.is_set():
            folder.rename(aside)
            link.rename(folder)
            folder.rename(link)
            aside.rename(folder)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_error: object) -> None:
        self._stopped.set()
        self._thread.join()


def test_reg_74_concurrently_swapping_a_folder_for_a_link_allows_no_escape(furnished: World) -> None:
    furnished.put("project/dir/note", "plain\n")
    furnished.put("home/.ssh/note", SECRET)
    (furnished.project / "link").symlink_to(furnished.home / ".ssh")
    before = furnished.contents(furnished.home)
    seen, codes = set[str](), set[str]()
    with Swapper(*(furnished.project / name for name in ("dir", "link", "aside"))):
        for number in range(300):
            calls: list[tuple[str, dict[str, Any]]] = [
                ("read_file", {}),
                ("write_file", {"content": f"plain {number}\n", "overwrite": True, "create_dirs": False}),
                ("write_file", {"path": f"dir/{number}.txt", "content": "x", "create_dirs": False}),
                ("edit_file", {"edits": [{"old": "plain", "new": "plain"}]}),
                ("list_dir", {"path": "dir"}),
            ]
            for tool, args in calls:
                try:
                    seen.add(str(furnished.call(tool, **{"path": "dir/note", **args})))
                except CallFailed as failure:
                    codes.add(failure.code)
    assert SECRET not in str(seen)
    assert furnished.contents(furnished.home) == before
    assert seen
    assert codes <= {
        SENSITIVE_PATH,
        "file_not_found",
        "not_a_folder",
        "path_conflict",
        "not_a_file",
        "text_not_found",
    }
