"""Saving of calls beside what people wrote, which stays byte for byte."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.forked_python import forked_python
from tests.unit.explore.shop import SPECS
from toolgen.authoring import saving
from toolgen.authoring.saving import save
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.read import parse
from toolgen.testing.recordings import recorded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QUESTION = "Which teas\n  are there: 'black', \"green\"? #1 \u202e"

EVALUATION = """# Questions of the shop.
toolgen:   1
eval: shop
cases:
  # The first one.
  tea:   {question: "Is there tea?",   expect: [{call: goods.find}]}   # asked often
# The end.
"""


def project(folder: Path) -> Path:
    (folder / "specs").mkdir()
    for name, text in SPECS.items():
        (folder / "specs" / name).write_text(text, encoding="utf-8")
    return folder


def found(args: dict[str, Any]) -> dict[str, Any]:
    """Return a call of the shop as a line of a recording."""
    return {"tool": "goods.find", "arguments": args, "result": [{"id": 1, "name": "pot"}]}


def saves(folder: Path, call: dict[str, Any], **typed: str) -> dict[str, Any]:
    return save(folder, {"call": call, "place": "run 1 call 1", "name": "", "key": "", "question": "", **typed})


def data_of(text: str) -> Any:
    root = parse(text, "a.yaml", Diagnostics())
    assert root is not None
    return root.to_data()


def built(folder: Path) -> None:
    words = [forked_python(), "-m", "toolgen", "build"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def as_it_is(text: str) -> str:
    return text


def without_examples(text: str) -> str:
    return text.replace("    examples: [{args: {word: tea, most: 3}}]\n", "    # no examples\n")


def as_block(text: str) -> str:
    old = "    examples: [{args: {word: tea, most: 3}}]\n"
    return text.replace(old, "    examples:  # all of them\n    -   args: {word:   tea}  # short\n    # end\n")


def with_crlf(text: str) -> str:
    return as_block(text).replace("\n", "\r\n")


def test_a_case_is_added_to_an_evaluation_whose_text_stays(tmp_path: Path) -> None:
    folder = project(tmp_path)
    call = found({"word": "a: b\n\u202e'\""})
    answer = saves(folder, call, kind="case", name="shop", key="find", question=QUESTION)
    assert answer == {"problem": "", "file": "evals/shop.eval.yaml", "line": 4}
    file = folder / "evals" / "shop.eval.yaml"
    file.write_text(EVALUATION)
    answer = saves(folder, call, kind="case", name="shop", key="find", question=QUESTION)
    assert answer == {"problem": "", "file": "evals/shop.eval.yaml", "line": 7}
    text = file.read_text(encoding="utf-8")
    begin, _, end = EVALUATION.partition("# The end.\n")
    assert text.startswith(f"{begin}  find:\n")
    assert text.endswith(f"# The end.\n{end}")
    assert "\u202e" not in text
    built(folder)
    cases = data_of(text)["cases"]
    assert cases["find"] == {
        "question": QUESTION,
        "expect": [{"call": "goods.find", "args": {"word": "a: b\n\u202e'\""}}],
    }


def test_a_key_that_is_there_is_an_error_with_its_place(tmp_path: Path) -> None:
    folder = project(tmp_path)
    (folder / "evals").mkdir()
    file = folder / "evals" / "shop.eval.yaml"
    file.write_text(EVALUATION)
    call = found({"word": "tea"})
    answer = saves(folder, call, kind="case", name="shop", key="tea", question="Which?")
    assert answer["problem"] == "evals/shop.eval.yaml:6:3: the case `tea` is there already: choose another key"
    for key in ("a: b", "", "\u202e", "x\ny", "{"):
        answer = saves(folder, call, kind="case", name="shop", key=key, question="Which?")
        assert answer["problem"].startswith("evals/shop.eval.yaml:7:"), answer
        assert "\u202e" not in answer["problem"]
    for name in ("../x", "a/b", "", "x.y", ".x", "a\nb"):
        assert "name of a file" in saves(folder, call, kind="recording", name=name)["problem"]
    answer = saves(folder, call, kind="case", name="shop", key="pot", question="\ud800")
    assert "surrogate" in answer["problem"]
    assert file.read_text() == EVALUATION


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("toolgen: 1\neval: [\n", "evals/shop.eval.yaml:3"),
        ("toolgen: 1\neval: shop\ncases: 3\n", "evals/shop.eval.yaml:3:8"),
        ("toolgen: 1\neval: shop\ncases:\n  a: {question: x, expect: [{call: goods.fnd}]}\n", "evals/shop.eval.yaml:4"),
        ("\xff", "UTF-8"),
    ],
)
def test_an_evaluation_with_errors_is_refused_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    folder = project(tmp_path)
    (folder / "evals").mkdir()
    file = folder / "evals" / "shop.eval.yaml"
    file.write_bytes(text.encode("latin-1"))
    call = found({"word": "tea"})
    answer = saves(folder, call, kind="case", name="shop", key="k", question="Which?")
    assert problem in answer["problem"]
    assert file.read_bytes() == text.encode("latin-1")


@pytest.mark.parametrize("written", [as_it_is, without_examples, as_block, with_crlf])
def test_an_example_is_added_to_a_spec_whose_text_stays(tmp_path: Path, written: Callable[[str], str]) -> None:
    folder = project(tmp_path)
    file = folder / "specs" / "goods.yaml"
    before = written(SPECS["goods.yaml"]).encode()
    file.write_bytes(b"\xef\xbb\xbf" + before)
    call = found({"word": "# a: 'b'\n\u202e"})
    answer = saves(folder, call, kind="example")
    assert (answer["problem"], answer["file"]) == ("", "specs/goods.yaml")
    after = file.read_bytes()
    assert after.startswith(b"\xef\xbb\xbf")
    start = len(b"\xef\xbb\xbf") + next(
        at for at, (old, new) in enumerate(zip(before, after[3:], strict=False)) if old != new
    )
    added = len(after) - 3 - len(before)
    assert after[3:start] + after[start + added :] == before
    assert b"# a: 'b'" in b"".join(after.split(b"\n")[answer["line"] - 1 : answer["line"] + 3])
    data = data_of(after.decode().removeprefix("\ufeff"))
    example = data["tools"]["find"]["examples"][-1]
    assert example["args"] == {"word": "# a: 'b'\n\u202e"}
    assert example["result"][0]["id"] == 1
    again = saves(folder, call, kind="example")
    assert "is there already" in again["problem"]
    assert again["problem"].startswith(f"specs/goods.yaml:{answer['line']}:")
    assert file.read_bytes() == after
    built(folder)


def test_an_example_that_a_build_would_refuse_is_not_written(tmp_path: Path) -> None:
    folder = project(tmp_path)
    file = folder / "specs" / "goods.yaml"
    call = found({"word": "pu"})
    failed = {"tool": "goods.find", "arguments": {"word": "pot"}, "error": {"kind": "handler", "message": "Closed."}}
    assert "has failed" in saves(folder, failed, kind="example")["problem"]
    stricter = SPECS["goods.yaml"].replace("minLength: 2", "minLength: 3")
    file.write_text(stricter)
    answer = saves(folder, call, kind="example")
    assert answer["problem"].startswith("specs/goods.yaml:")
    assert "shorter than 3" in answer["problem"]
    stale = saves(folder, call, kind="recording", name="calls")
    assert "WIRE501" in stale["problem"]
    case = saves(folder, call, kind="case", name="shop", key="k", question="Which?")
    assert case["problem"].startswith("evals/shop.eval.yaml:")
    assert file.read_text() == stricter
    assert not (folder / "evals").exists()
    assert not (folder / "recordings").exists()
    file.write_text("toolset: [\n")
    for kind in ("case", "example", "recording"):
        answer = saves(folder, call, kind=kind, name="calls", key="k", question="Which?")
        assert answer["problem"].startswith("specs/goods.yaml:2:")
    file.write_text(stricter.replace("  find:", "  seek:"))
    (folder / "specs" / "careful.policy.yaml").unlink()
    (folder / "specs" / "clerk.agent.yaml").unlink()
    assert "no tool is named so" in saves(folder, call, kind="example")["problem"]


def test_a_recording_gets_lines_at_its_end_and_no_call_twice(tmp_path: Path) -> None:
    folder = project(tmp_path)
    tea, pot = (found({"word": word}) for word in ("tea", "pot\u202e\n"))
    first = saves(folder, tea, kind="recording", name="calls")
    assert first == {"problem": "", "file": "recordings/calls.jsonl", "line": 2}
    file = folder / "recordings" / "calls.jsonl"
    before = file.read_bytes().rstrip(b"\n")
    file.write_bytes(before)  # as an editor without a last line break leaves it
    assert saves(folder, pot, kind="recording", name="calls")["line"] == 3
    assert file.read_bytes().startswith(before + b"\n")
    again = saves(folder, tea, kind="recording", name="calls")
    assert again["problem"] == "recordings/calls.jsonl line 2: this call is there already, with this end"
    takes = recorded(file).takes
    assert [each.arguments for each in takes] == [{"word": "tea"}, {"word": "pot\u202e\n"}]
    assert all(each.schemas for each in takes)
    file.write_bytes(before + b"\n{broken\n")
    broken = saves(folder, pot, kind="recording", name="calls")
    assert broken["problem"].startswith("recordings/calls.jsonl line 3, column ")
    assert file.read_bytes() == before + b"\n{broken\n"
    file.write_bytes(before + b"\n" + before.splitlines()[-1][:20])  # as a test leaves it that is killed
    assert saves(folder, pot, kind="recording", name="calls")["line"] == 3
    assert [each.arguments for each in recorded(file).takes] == [{"word": "tea"}, {"word": "pot\u202e\n"}]
    store = folder / "recordings" / "store.jsonl"
    with closing(sqlite3.connect(store)) as base, base:
        base.execute("create table t (x)")
    assert "is a store" in saves(folder, pot, kind="recording", name="store")["problem"]


@pytest.mark.parametrize("kind", ["case", "recording", "example"])
def test_a_link_that_leads_out_is_not_followed(tmp_path: Path, kind: str) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "outside").mkdir()
    folder = project(tmp_path / "project")
    call = found({"word": "tea"})
    if kind == "example":
        file = folder / "specs" / "goods.yaml"
        file.rename(tmp_path / "outside" / "goods.yaml")
        file.symlink_to(tmp_path / "outside" / "goods.yaml")
    else:
        (folder / {"case": "evals", "recording": "recordings"}[kind]).symlink_to(tmp_path / "outside")
    before = {each.name: each.read_bytes() for each in (tmp_path / "outside").iterdir()}
    answer = saves(folder, call, kind=kind, name="calls", key="k", question="Which?")
    assert "leads out" in answer["problem"]
    assert {each.name: each.read_bytes() for each in (tmp_path / "outside").iterdir()} == before


@pytest.mark.parametrize("present", ["", "more"])
@pytest.mark.parametrize("kind", ["case", "example", "recording"])
def test_what_was_written_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, present: str
) -> None:
    folder = project(tmp_path)
    files = {"case": "evals/shop.eval.yaml", "example": "specs/goods.yaml", "recording": "recordings/shop.jsonl"}
    file = folder / files[kind]
    if present:
        saves(folder, found({"word": "pots"}), kind=kind, name="shop", key="first", question="Which?")
    made = {"case": "inserted" if present else "new_text", "example": "inserted", "recording": "take_line"}[kind]
    make: Callable[..., Any] = getattr(saving, made)

    def late(*given: Any) -> Any:
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine")
        return make(*given)

    monkeypatch.setattr(saving, made, late)
    answer = saves(folder, found({"word": "pot"}), kind=kind, name="shop", key="k", question="Which?")
    assert file.read_text() == "mine"
    assert answer["problem"] == f"{file.relative_to(folder)} has changed meanwhile: try again"
    assert file.read_text() == "mine"
