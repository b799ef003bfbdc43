"""search."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.toolsets.code.world import needs_ripgrep
from toolgen.contract.records import FailureKind
from toolgen.toolsets.code.ripgrep import KEPT_BYTES, FoundLine, Output

if TYPE_CHECKING:
    from tests.unit.toolsets.code.world import World
    from toolgen.toolsets.code import CodeTools


def matches(world: World, query: str, **args: Any) -> list[tuple[str, int, str]]:
    found = world.call("search", query=query, **args).matches
    return [(match.path, match.line, match.text) for match in found]


def test_reg_45_without_ripgrep_it_says_how_to_install_it(world: World) -> None:
    failure = world.failure("search", query="x", tools=world.tools_with(ripgrep="rg-that-is-not-there"))
    assert (failure.kind, failure.code) == (FailureKind.UNAVAILABLE, "ripgrep_missing")
    assert failure.message == "search needs ripgrep (rg), which is not installed here"
    assert "apt-get install ripgrep" in failure.hint


@needs_ripgrep
@pytest.mark.parametrize("path", ["{outside}", "{outside}/d.txt", "../outside", "to_outside", "/etc", "~", "/"])
def test_reg_45_outside_of_the_project_only_what_was_granted_is_searched(world: World, path: str) -> None:
    found = world.put("outside/d.txt", "needle\n")
    (world.project / "to_outside").symlink_to(world.outside)
    path = path.format(outside=world.outside)
    assert world.code("search", query="needle", path=path) == "outside_project"
    if "outside" in path:
        assert found.exists()
        world.granted.append(world.policy().judge(path).resolved)
        assert [text for _, _, text in matches(world, "needle", path=path)] == ["needle"]


@needs_ripgrep
class TestWithRipgrep:
    def test_reg_45_it_searches_the_project_sorted_by_path(self, world: World) -> None:
        world.put("project/b.txt", "one\ntwo\n")
        world.put("project/a/c.txt", "x\r\ntwo two\r\n")
        world.put("outside/d.txt", "two\n")
        assert matches(world, "t.o") == [("a/c.txt", 2, "two two"), ("b.txt", 2, "two")]
        assert matches(world, "two$", path="a") == [("a/c.txt", 2, "two two")]

    def test_reg_45_a_file_is_shown_by_the_given_path(self, world: World) -> None:
        world.put("project/a/-b.txt", "x\n")
        assert matches(world, "x", path="./a/-b.txt") == [("./a/-b.txt", 1, "x")]
        assert matches(world, "x", path=str(world.project)) == [(f"{world.project}/a/-b.txt", 1, "x")]

    @pytest.mark.parametrize("query", ["-v", "--files", "--", "-e", "-", "--pre=touch made", "-f/etc/passwd", "-rx"])
    def test_reg_45_a_query_that_begins_with_a_dash_is_a_pattern(self, world: World, query: str) -> None:
        world.put("project/a.txt", f"other\nthe {query} line\n")
        assert ("a.txt", 2, f"the {query} line") in matches(world, query)
        assert not (world.project / "made").exists()

    @pytest.mark.parametrize("name", ["-v", "--files", "a b", "$(touch made)", "*", "[x]", "a\nb", "ü"])
    def test_reg_45_an_unusual_path_is_treated_as_a_path(self, world: World, name: str) -> None:
        world.put(f"project/{name}/{name}", "x\n")
        world.put("project/other/x", "x\n")
        assert matches(world, "x", path=name) == [(f"{name}/{name}", 1, "x")]
        assert matches(world, "x", path=f"{name}/{name}") == [(f"{name}/{name}", 1, "x")]

    @pytest.mark.parametrize(
        ("glob", "found"),
        [("*.py", ["a.py", "b/c.py"]), ("b/**", ["b/c.py", "b/d.md"]), ("!*.md", ["a.py", "b/c.py"]), ("-x", [])],
    )
    def test_reg_45_a_glob_selects_files(self, world: World, glob: str, found: list[str]) -> None:
        for path in ("a.py", "b/c.py", "b/d.md"):
            world.put(f"project/{path}", "x\n")
        assert [path for path, _, _ in matches(world, "x", glob=glob)] == found

    @pytest.mark.parametrize(("limit", "truncated"), [(1, True), (5, True), (6, False), (7, False)])
    def test_reg_45_a_limit_is_applied_and_reported(self, world: World, limit: int, truncated: bool) -> None:
        for name in ("a", "b"):
            world.put(f"project/{name}", "x\nx\nx\n")
        result = world.call("search", query="x", limit=limit)
        assert (len(result.matches), result.truncated) == (min(limit, 6), truncated)

    def test_reg_45_a_sensitive_file_is_searched_only_if_granted(self, world: World) -> None:
        secret = world.put("project/server.pem", "x secret\n")
        world.put("project/a.txt", "x\n")
        assert matches(world, "x") == [("a.txt", 1, "x")]
        assert world.code("search", query="x", path="../project/server.pem") == "sensitive_path"
        world.granted.append(str(secret))
        assert matches(world, "x") == [("a.txt", 1, "x"), ("server.pem", 1, "x secret")]

    def test_links_in_searched_folders_are_not_followed(self, world: World) -> None:
        world.put("home/.ssh/id", "x\n")
        (world.project / "a").symlink_to(world.home / ".ssh")
        assert matches(world, "x") == []
        assert world.code("search", query="x", path="a") == "sensitive_path"

    @pytest.mark.parametrize(
        ("args", "says", "wrong"),
        [
            ({"query": "("}, "unclosed group", "query"),
            ({"query": "a", "glob": "{"}, "parsing glob", "glob"),
            ({"query": "a\0b"}, "`query` contains a NUL character", "text file"),
            ({"query": "a", "glob": "a\0b"}, "`glob` contains a NUL character", "text file"),
            ({"query": "x" * 131_072}, "`query` has more than 100,000 bytes", "search for less"),
            ({"query": "a", "glob": "é" * 50_001}, "`glob` has more than 100,000 bytes", "search for less"),
        ],
        ids=str,
    )
    def test_an_invalid_pattern_is_reported(self, world: World, args: dict[str, str], says: str, wrong: str) -> None:
        failure = world.failure("search", **args)
        assert (failure.kind, failure.code) == (FailureKind.INVALID_CALL, "invalid_pattern")
        assert says in failure.message
        assert wrong in failure.hint
        assert "\n" not in failure.message

    def test_a_missing_path_is_refused(self, world: World) -> None:
        assert world.code("search", query="x", path="missing") == "file_not_found"
        world.granted.append("/dev/null")
        assert world.code("search", query="x", path="/dev/null") == "not_a_file"

    def test_a_long_line_is_truncated_and_invalid_bytes_are_marked(self, world: World) -> None:
        world.put("project/a", b"x" * 5000 + b"\ncaf\xe9 x\n")
        assert matches(world, "x") == [("a", 1, "x" * 4096), ("a", 2, "caf\ufffd x")]

    @pytest.mark.parametrize(
        "encoded",
        [
            b"\xef\xbb\xbf" + "é\ndef a\r\n\ndef b".encode(),
            b"\xef\xbb\xbf\xff\ndef a\r\n\ndef b\n",
            "é\ndef a\r\n\ndef b\n".encode("utf-16"),
            b"\xfe\xff" + "é\ndef a\n\ndef b".encode("utf-16-be"),
            b"\xff\xfe" + "\ud800\ndef a\n\ndef b".encode("utf-16-le", "surrogatepass"),
        ],
    )
    def test_files_with_a_byte_order_mark_are_searched_as_they_are_read(self, world: World, encoded: bytes) -> None:
        world.put("project/a.txt", encoded)
        expected = [("a.txt", 2, "def a"), ("a.txt", 4, "def b")]
        assert matches(world, "^def .$") == matches(world, "^def .$", path="a.txt") == expected
        for path, line, text in expected:
            assert world.call("read_file", path=path, start_line=line, max_lines=1).content.rstrip("\n") == text

    def test_lines_with_a_byte_order_mark_may_be_long_and_invalid(self, world: World) -> None:
        for codec in ("utf-8-sig", "utf-16"):
            world.put(f"project/{codec}.txt", ("\nx" + "é" * 500_000 + "\nx\n").encode(codec))
        world.put("project/invalid.txt", b"\xef\xbb\xbf\xffx\n")
        found = [(path, line, len(text.encode())) for path, line, text in matches(world, "x")]
        assert found == [
            ("invalid.txt", 1, 4), ("utf-16.txt", 2, 4095), ("utf-16.txt", 3, 1),
            ("utf-8-sig.txt", 2, 4095), ("utf-8-sig.txt", 3, 1),
        ]  # fmt: skip

    def test_a_long_line_hides_no_later_match(self, world: World) -> None:
        world.put("project/a.min.js", "needle" + "z" * 33_000_000 + "\nneedle\n")
        world.put("project/b.txt", b"needle \xff" + b"needle" * 1_000_000)
        world.put("project/c.txt", "needle\n")
        result = world.call("search", query="needle")
        found = [(match.path, match.line, len(match.text.encode())) for match in result.matches]
        assert found == [("a.min.js", 1, 4096), ("a.min.js", 2, 6), ("b.txt", 1, 4096), ("c.txt", 1, 6)]
        assert not result.truncated

    @pytest.mark.parametrize("path", [".", "a.txt"])
    def test_a_file_is_searched_if_read_file_shows_it(self, world: World, path: str) -> None:
        world.put("project/a.txt", b"needle\n" + b"x" * 9_000 + b"\0\nneedle\n")
        world.put("project/b.bin", b"needle\0\nneedle\n")
        assert matches(world, "needle", path=path) == [("a.txt", 1, "needle"), ("a.txt", 3, "needle")]
        assert matches(world, "needle", path="b.bin") == []
        assert world.code("read_file", path="b.bin") == "binary_file"

    def test_a_line_with_many_matches_costs_as_much_as_one_with_few(self, world: World) -> None:
        used = []
        for line in ("b" * 8_000_000 + "a", "a" * 8_000_000):
            world.put("project/a", line)
            before = os.times().children_user
            assert len(matches(world, "a")) == 1
            used.append(os.times().children_user - before)
        assert used[1] < 10 * used[0] + 0.5

    def test_settings_of_the_user_are_ignored(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        world.put("project/a", "x\n")
        monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(world.put("outside/rc", "--invert-match\n")))
        assert matches(world, "x") == [("a", 1, "x")]


def printed(path: bytes, line: bytes) -> bytes:
    """Return the first line of a file as ripgrep prints it."""
    return path + b"\0001:0:" + line + b"\n"


def rg_that_prints(world: World, output: bytes, then: str = "") -> CodeTools:
    """Return the tools with a search program that prints this, and then runs code."""
    code = f"import sys, time\nsys.stdout.buffer.write({output!r})\nsys.stdout.flush()\n{then}\n"
    script = world.put("outside/rg.py", code)
    # A shebang cannot name an interpreter in a folder with a space.
    program = world.put("outside/rg", f"#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(script))}\n")
    program.chmod(0o755)
    return world.tools_with(ripgrep=str(program))


def found_by(world: World, *lines: tuple[bytes, bytes]) -> list[tuple[str, int, str]]:
    """Return the matches shown if the search program reports these lines."""
    output = b"".join(printed(path, line) for path, line in lines)
    found = world.call("search", query="x", tools=rg_that_prints(world, output)).matches
    return [(match.path, match.line, match.text) for match in found]


def test_reg_74_only_matches_that_exist_in_readable_files_are_shown(world: World) -> None:
    world.put("home/.ssh/id", "secret\n")
    world.put("project/a", "plain\n")
    world.put("project/.env", "secret\n")
    (world.project / "link").symlink_to(world.home / ".ssh")
    (world.project / "id").symlink_to("link/id")
    places = (b"./a", b"./.env", b"./id", b"./link/id", b"./../home/.ssh/id", b"./missing", b"./a/b", b"./")
    hidden = [(path, b"secret") for path in places]
    assert found_by(world, *hidden) == []
    assert found_by(world, *hidden, (b"./a", b"plain")) == [("a", 1, "plain")]


def test_names_and_lines_that_are_not_text_are_read_too(world: World) -> None:
    name = b"caf\xe9"
    world.put(f"project/{name.decode('utf-8', 'surrogateescape')}", b"\xff x\n")
    assert found_by(world, (b"./" + name, b"\xff x")) == [("caf\\xe9", 1, "\ufffd x")]


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1000, 65_536, 10**9])
@pytest.mark.variants(3)
def test_reg_45_output_is_read_in_parts_of_any_size(size: int) -> None:
    lines = [
        *(b"plain", b"crlf\r", b"", b"b\0001:0:x", b"\0\0", b"./d\0001:0:"),
        *(b"x" * start + "\\\x01é".encode() * 7_000 for start in range(8)),
        b"x" * (KEPT_BYTES - 1) + b"\r",
        b"\xff" * 26_000,
    ]
    output = b"".join(printed(b"./a/b\nc", line) for line in lines) + printed(b"./c", b"x" * 65_530)
    parser, found = Output(), list[tuple[tuple[str, ...], FoundLine]]()
    for start in range(0, len(output), size):
        found += parser.take(output[start : start + size])
    assert [names for names, _ in found] == [("a", "b\nc")] * len(lines) + [("c",)]
    assert [line.content for _, line in found[:-1]] == [line[:KEPT_BYTES].removesuffix(b"\r") for line in lines]
    assert {(line.number, line.offset) for _, line in found} == {(1, 0)}


def test_output_of_another_form_is_told_before_it_fills_memory() -> None:
    parser = Output()
    assert [*parser.take(b"x" * 60_000)] == []
    with pytest.raises(ValueError, match="the output of ripgrep has another form"):
        [*parser.take(b"x" * 10_000)]


def test_the_search_ends_with_the_first_match_beyond_the_limit(world: World) -> None:
    for name in "ab":
        world.put(f"project/{name}", "plain\n")
    output = b"".join(printed(name, b"plain") for name in (b"./a", b"./b"))
    result = world.call("search", query="x", limit=1, tools=rg_that_prints(world, output, "time.sleep(3600)"))
    assert ([match.path for match in result.matches], result.truncated) == (["a"], True)


def test_a_search_that_takes_too_long_ends(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.toolsets.code.search.TIMEOUT_MS", 100)
    failure = world.failure("search", query="x", tools=rg_that_prints(world, b"", "time.sleep(3600)"))
    assert (failure.kind, failure.code) == (FailureKind.TIMEOUT, "timeout")


def test_a_search_that_was_killed_does_not_seem_to_find_nothing(world: World) -> None:
    tools = rg_that_prints(world, b"", "import os; os.kill(os.getpid(), 9)")
    assert world.failure("search", query="x", tools=tools).code == "search_failed"
