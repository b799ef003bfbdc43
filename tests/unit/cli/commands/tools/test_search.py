"""`toolgen search`: queries and the tools they find."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.command_line import toolgen
from toolgen.spec.builtin import DISCOVERY

if TYPE_CHECKING:
    from pathlib import Path

MAIL = """\
toolgen: 1
toolset: mcp.mail
description: Mail.
kind: mcp
tools:
  send_message:
    remote: send.message
    description: Send a message to a person.
    args: {recipient: {type: string, description: Whom it goes to.}}
  list_messages: {description: List the messages of an inbox., permission: readonly, args: {}}
"""
SHOP = """\
toolgen: 1
toolset: shop
tools:
  cancel: {description: Cancel an order of a person., args: {order_id: string}}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with two targets; the tool of the shop is in both."""
    folder = tmp_path_factory.mktemp("project")
    for target, specs in {"mail": {"mail": MAIL, "shop": SHOP}, "shop": {"shop": SHOP}}.items():
        (folder / target).mkdir()
        for name, text in specs.items():
            (folder / target / f"{name}.yaml").write_text(text, encoding="utf-8")
    targets = [f'[[targets]]\nspecs = "{name}"\nout = "generated_{name}"\n' for name in ("mail", "shop")]
    (folder / "toolgen.toml").write_text("\n".join(targets), encoding="utf-8")
    assert toolgen(folder, "build").code == 0
    return folder


def test_tools_are_listed_best_first_with_what_they_do(project: Path) -> None:
    done = toolgen(project, "search", "send someone a message")
    assert done.code == 0, done.err
    rows = [line.split(maxsplit=2) for line in done.out.splitlines()]
    assert [(row[0], row[2]) for row in rows] == [
        ("mcp.mail.send_message", "Send a message to a person."),
        ("mcp.mail.list_messages", "List the messages of an inbox."),
    ]
    assert float(rows[0][1]) > float(rows[1][1]) > 0
    assert toolgen(project, "search", "send", "someone", "a message").out == done.out


def test_each_query_from_stdin_gives_a_line_of_json(project: Path) -> None:
    asked = "inbox\nCancel an order — “now”\nnothing of it, zzzz\n"
    done = toolgen(project, "search", "--stdin", "--format", "json", "--limit", "1", stdin=asked)
    answers = [json.loads(line) for line in done.out.splitlines()]
    assert [answer["query"] for answer in answers] == asked.splitlines()
    first, second, third = (answer["hits"] for answer in answers)
    assert [first[0].keys(), len(first)] == [{"tool", "source_name", "score"}, 1]
    assert (first[0]["tool"], first[0]["source_name"]) == ("mcp.mail.list_messages", "list_messages")
    assert (second[0]["tool"], second[0]["source_name"]) == ("shop.cancel", "cancel")
    assert third == []


def test_queries_from_stdin_are_named_in_the_text(project: Path) -> None:
    lines = toolgen(project, "search", "--stdin", stdin="inbox\r\nzzzz").out.splitlines()
    assert lines[0] == "inbox:"
    assert lines[1].startswith("mcp.mail.list_messages")
    assert lines[-2:] == ["zzzz:", "no matching tools: try other words, or see `toolgen list`"]


def test_a_query_without_hits_is_reported_on_stderr(project: Path) -> None:
    done = toolgen(project, "search", "zzzz")
    assert (done.code, done.out) == (0, "")
    assert done.err == "no matching tools: try other words, or see `toolgen list`\n"


def test_an_empty_line_finds_nothing_and_the_others_keep_their_answers(project: Path) -> None:
    done = toolgen(project, "search", "--stdin", "--format", "json", stdin="inbox\n\ninbox\n")
    first, second, third = (json.loads(line)["hits"] for line in done.out.splitlines())
    assert (first, second) == (third, [])


def configured(project: Path, folder: Path, embedding_class: str) -> Path:
    """Return a copy of the project with its own embedding class."""
    copy = shutil.copytree(project, folder / "copy")
    settings = f'[action_retrieval]\nembedding_class = "own"\nclasses.own.{embedding_class}\n'
    (copy / "toolgen.toml").write_text((copy / "toolgen.toml").read_text() + settings, encoding="utf-8")
    return copy


def with_vectors(project: Path, folder: Path) -> Path:
    """Return a copy of the project with a working embedding class."""
    copy = configured(project, folder, 'function = "own_vectors:embed"')
    program = (
        "def embed(texts):\n    return [[1.0, 0.0] if 'cancel' in text.lower() else [0.0, 1.0] for text in texts]\n"
    )
    (copy / "own_vectors.py").write_text(program, encoding="utf-8")
    return copy


def score(project: Path, query: str) -> float:
    """Return the score of the first hit."""
    done = toolgen(project, "search", query, "--format", "json", "--limit", "1")
    found: float = done.json["hits"][0]["score"]
    return found


def test_vectors_of_an_embedding_class_are_used(project: Path, tmp_path: Path) -> None:
    copy = with_vectors(project, tmp_path)
    done = toolgen(copy, "search", "--yes", "to cancel it", "--format", "json", "--limit", "1")
    assert done.err == "the embedding class own runs the code of own_vectors:embed\n"
    (hit,) = done.json["hits"]
    fused = pytest.approx(0.55 * score(project, "to cancel it") + 0.45, abs=1e-5)
    assert hit == {"tool": "shop.cancel", "source_name": "cancel", "score": fused}
    assert (copy / ".toolgen" / "vectors.db").is_file()


def test_vectors_are_not_cached_if_the_folder_cannot_be_created(project: Path, tmp_path: Path) -> None:
    copy = with_vectors(project, tmp_path)
    shutil.rmtree(copy / ".toolgen")
    (copy / ".toolgen").write_text("a file")
    done = toolgen(copy, "search", "--yes", "to cancel it", "--format", "json", "--limit", "1")
    assert done.code == 0
    assert (
        done.err.partition("\n")[2]
        == "vectors are not cached: the folder .toolgen cannot be created: Not a directory\n"
    )
    assert done.json["hits"][0]["score"] > score(project, "to cancel it"), "vectors count nevertheless"


def test_vectors_are_not_cached_if_they_cannot_be_written(project: Path, tmp_path: Path) -> None:
    copy = with_vectors(project, tmp_path)
    (copy / ".toolgen" / "vectors.db").mkdir(parents=True)
    done = toolgen(copy, "search", "--yes", "to cancel it", "--format", "json", "--limit", "1")
    assert done.code == 0
    reason = "the file of vectors cannot be opened: it is a folder, not a regular file"
    assert done.err.partition("\n")[2] == f"vectors are recomputed and not stored: {reason}\n"
    assert done.json["hits"][0]["score"] > score(project, "to cancel it"), "vectors count nevertheless"


def test_discovery_tools_are_not_found(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "mail.yaml").write_text(MAIL, encoding="utf-8")
    target = '[[targets]]\nspecs = "specs"\nout = "generated_with_actions"\nbuiltin = ["actions"]\n'
    (tmp_path / "toolgen.toml").write_text(target, encoding="utf-8")
    assert toolgen(tmp_path, "build").code == 0
    done = toolgen(tmp_path, "search", "list messages, search and describe actions", "--format", "json")
    found = [hit["tool"] for hit in done.json["hits"]]
    assert "mcp.mail.list_messages" in found
    assert not [tool for tool in found if tool in DISCOVERY]


def test_a_missing_embedding_model_is_a_usage_error(project: Path, tmp_path: Path) -> None:
    done = toolgen(configured(project, tmp_path, 'path = "no/such/model"'), "search", "--yes", "inbox")
    assert done.code == 2
    assert "toolgen[local-vectors]" in done.err


@pytest.mark.parametrize(
    ("arguments", "stdin", "why"),
    [
        ([], "", "The QUERY is missing. Give a QUERY, or --stdin to read one query per line."),
        (["x", "--stdin"], "x", "Give a QUERY or --stdin, not both."),
        ([" "], "", "The QUERY is empty."),
        (["--stdin"], "\n", "stdin is empty. Give one query per line."),
        (["x", "--limit", "0"], "", "Invalid value for '--limit'"),
    ],
)
def test_wrong_arguments_are_usage_errors(arguments: list[str], stdin: str, why: str, project: Path) -> None:
    done = toolgen(project, "search", *arguments, stdin=stdin)
    assert (done.code, done.out) == (2, "")
    assert why in done.err


def test_specs_that_were_not_built_are_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "shop.yaml").write_text(SHOP, encoding="utf-8")
    done = toolgen(tmp_path, "search", "order")
    assert done.code == 2
    assert "Run `toolgen build` first." in done.err
