"""Bounds: what an import may take in all. Documents made to be slow, each small."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any, Final, NoReturn

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python
from tests.unit.compiler.importers.openapi.api import import_api, openapi
from toolgen.authoring.format.update import SpecTooLarge, new_text
from toolgen.compiler.importers import bounds
from toolgen.compiler.importers.bounds import TooMuch, bounded_time
from toolgen.compiler.source import json_text, yaml_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BOUNDED = """\
import sys
from toolgen.cli.front import run
from toolgen.authoring.format.update import SpecTooLarge, new_text
from toolgen.compiler.importers import bounds
bounds.SECONDS = 0.2
sys.exit(run(sys.argv[1:]))
"""
TEXT: dict[str, Any] = {"type": "string"}


def chain(length: int, place: str) -> dict[str, Any]:
    """Return definitions each of which refers to the next one."""
    links: dict[str, Any] = {
        f"D{number}": {"type": "object", "properties": {"next": {"$ref": f"{place}D{number + 1}"}}}
        for number in range(length)
    }
    return {**links, f"D{length}": TEXT}


def listed(*schemas: dict[str, Any]) -> dict[str, Any]:
    tools = [
        {"name": f"tool_{number}", "description": "Do it.", "inputSchema": {"type": "object", **schema}}
        for number, schema in enumerate(schemas)
    ]
    return {"tools": tools}


def operation(schema: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "Done.", "content": content}},
    }


NESTED: dict[str, Any] = TEXT
for _ in range(90):
    NESTED = {"type": "array", "items": NESTED}
ALTERNATIVES = [
    {"type": "object", "required": [f"f{number}"], "properties": {f"f{number}": TEXT}} for number in range(3000)
]
PATTERNS = {f"p{n}": {"type": "string", "pattern": f"^(a|b){{1,50}}[a-z]{{1,80}}{n}$"} for n in range(5)}
SLOW: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "one tool whose references lead from one to the next": (
        ("mcp", "source.json", "--toolset", "mcp.slow"),
        listed({"properties": {"first": {"$ref": "#/$defs/D0"}}, "$defs": chain(1500, "#/$defs/")}),
    ),
    "one tool with many alternatives": (
        ("mcp", "source.json", "--toolset", "mcp.slow"),
        listed({"properties": {"a": {"oneOf": ALTERNATIVES}, "b": {"allOf": ALTERNATIVES}}}),
    ),
    "many tools that are nested deeply": (
        ("mcp", "source.json", "--toolset", "mcp.slow"),
        listed(*({"properties": {"deep": NESTED}} for _ in range(400))),
    ),
    "many patterns": (
        ("mcp", "source.json", "--toolset", "mcp.slow"),
        listed(*({"properties": PATTERNS} for _ in range(1200))),
    ),
    "operations that share a large definition": (
        ("openapi", "source.json", "--toolset", "shop.slow"),
        openapi(
            {f"/{number}": {"post": operation({"$ref": "#/components/schemas/Large"})} for number in range(100)},
            components={"schemas": {"Large": {"type": "object", "properties": {f"f{n}": TEXT for n in range(2000)}}}},
        ),
    ),
    "operations whose definitions lead from one to the next": (
        ("openapi", "source.json", "--toolset", "shop.slow"),
        openapi(
            {f"/{n}": {"post": operation({"$ref": f"#/components/schemas/D{n % 50}"})} for n in range(200)},
            components={"schemas": chain(290, "#/components/schemas/")},
        ),
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("slow", SLOW)
def test_an_import_ends_in_its_time_and_writes_nothing(slow: str, tmp_path: Path) -> None:
    arguments, document = SLOW[slow]
    (tmp_path / "source.json").write_text(json.dumps(document), encoding="utf-8")
    is_given_up(tmp_path, *arguments)


def test_an_import_of_python_ends_in_its_time(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text("try:\n    while True: pass\nexcept Exception:\n    pass\n", encoding="utf-8")
    is_given_up(tmp_path, "python", "endless", "--toolset", "slow")


def test_an_import_of_what_a_spec_names_ends_in_its_time(tmp_path: Path) -> None:
    (tmp_path / "source.json").write_text(json.dumps(openapi({"/a": {"post": operation(TEXT)}})), encoding="utf-8")
    assert toolgen(tmp_path, "import", "openapi", "source.json", "--toolset", "shop.slow").code == 0
    spec = tmp_path / "specs/shop.slow.yaml"
    text = spec.read_text(encoding="utf-8")
    _, document = SLOW["operations that share a large definition"]
    (tmp_path / "source.json").write_text(json.dumps(document), encoding="utf-8")
    for arguments in (("--toolset", "shop.slow"), ("--check",)):
        is_given_up(tmp_path, "openapi", *arguments)
    assert spec.read_text(encoding="utf-8") == text


def is_given_up(folder: Path, *arguments: str) -> None:
    """Import with a fifth of a second of processor time; see that it says so, and writes nothing."""
    message = "the import has taken 0.2 seconds of processor time"
    before = sorted(folder.rglob("*.yaml"))
    done = subprocess.run(
        [forked_python(), "-c", BOUNDED, "-C", str(folder), "import", *arguments],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 2, done.stderr[-2000:]
    assert f"Given up: {message}. Import the tools in parts" in done.stderr
    assert sorted(folder.rglob("*.yaml")) == before


def test_what_catches_everything_is_interrupted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "SECONDS", 0.05)
    monkeypatch.setattr(bounds, "_AGAIN", 0.05)
    before = signal.getsignal(signal.SIGPROF)
    caught = 0

    def persist() -> None:
        nonlocal caught
        try:
            while True:
                pass
        except BaseException:  # noqa: BLE001  # as some libraries do
            caught += 1

    def use() -> None:
        with bounded_time():
            persist()
            persist()
            while True:
                pass

    with pytest.raises(TooMuch):
        use()
    assert caught == 2
    assert signal.getsignal(signal.SIGPROF) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def spin() -> NoReturn:
    while True:
        pass


def replaced(error: BaseException) -> NoReturn:
    """Run until interrupted, and end with another error, as compiled code does."""
    try:
        spin()
    except BaseException:  # noqa: BLE001  # as some libraries do
        raise error from None


async def in_a_group() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.to_thread(time.sleep, 0.01))
        group.create_task(asyncio.sleep(10))
        await asyncio.sleep(0)
        spin()


@pytest.mark.parametrize(
    "use",
    [
        spin,
        lambda: replaced(ValueError("it failed")),
        lambda: replaced(SystemExit(3)),
        lambda: asyncio.run(in_a_group()),
    ],
    ids=["interrupt", "error", "exit", "group"],
)
def test_whatever_an_interrupt_becomes_is_given_up(use: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "SECONDS", 0.05)

    with pytest.raises(TooMuch, match=r"has taken 0\.05 seconds"), bounded_time():
        use()


def test_a_person_interrupts_and_an_error_in_time_is_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "SECONDS", 0.05)

    with pytest.raises(KeyboardInterrupt), bounded_time():
        replaced(KeyboardInterrupt())
    with pytest.raises(ValueError, match="it failed"), bounded_time():
        raise ValueError("it failed")


FILES = {f"{number}.json": json.dumps(operation({"type": "string", "enum": ["a", "b"]})) for number in range(4)}
MANY = openapi(
    {"/first": {"get": json.loads(FILES["0.json"])}, **{f"/{n}": {"get": {"$ref": f"{n}.json"}} for n in range(1, 4)}}
)


@pytest.mark.parametrize(
    ("bound", "value", "message"),
    [
        ("FILES", 2, "the description has over 2 files"),
        ("BYTES", 2 * len(FILES["0.json"]), "bytes together"),
        ("VALUES", 40, "over 40 values together"),
        ("READING_SECONDS", 0.0, "took over 0 seconds to read"),
    ],
)
def test_the_files_of_a_description_are_bounded_together(
    bound: str, value: float, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(import_api(MANY, files=FILES).tools) == 4
    monkeypatch.setattr(bounds, bound, value)
    done = import_api(MANY, files=FILES)
    assert 1 <= len(done.tools) < 4
    assert any(message in each for each in done.messages), done.messages
    assert set(done.codes) == {"TG831"}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = TEXT
    for _ in range(levels - 1):
        schema = {"type": "array", "items": schema}
    return schema


def test_a_spec_that_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    """The list alone has a level less than the spec, which is one too many."""
    for levels, code in ((196, 2), (195, 0)):
        tools = listed({"properties": {"deep": nested(levels)}})["tools"]
        (tmp_path / "source.json").write_text(json.dumps(tools), encoding="utf-8")
        done = toolgen(tmp_path, "import", "mcp", "source.json", "--toolset", "mcp.slow")
        assert done.code == code, done.err[-500:]
        assert (tmp_path / "specs/slow.yaml").exists() is (code == 0)
        if code:
            assert "specs/slow.yaml is not written: the value is nested more than 200 levels deep" in done.err
        else:
            assert done.err == ""


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_the_limit_that_a_spec_would_exceed_is_named(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for parser in (yaml_text, json_text):
        monkeypatch.setattr(parser, "MAX_VALUES", 20)
    with pytest.raises(SpecTooLarge, match="more than 20 values"):
        new_text(f"a.{suffix}", {"toolgen": 1, "names": [f"v{number}" for number in range(20)]}, "")


PARTS: Final = {
    "Big": {"type": "object", "properties": {f"field_{number}": {"type": "string"} for number in range(50)}},
    "Told": {"type": "object", "properties": {"a": {"type": "string", "description": "x" * 2_000}}},
}


def of_schema(schema: Any, side: str) -> dict[str, Any]:
    content = {"content": {"application/json": {"schema": schema}}}
    ended = {"200": {"description": "Done.", **(content if side == "result" else {})}}
    return {"responses": ended, **({"requestBody": content} if side == "args" else {})}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bound", "value", "name", "side", "message"),
    [
        ("TOOL_VALUES", 2_000, "Big", "args", "the tools have over 2,000 values together"),
        ("ALL_VALUES", 2_000, "Big", "result", "over 2,000 values together, with the definitions that each needs"),
        ("TOOL_CHARACTERS", 20_000, "Told", "args", "the texts of the tools have over 20,000 characters together"),
    ],
)
@pytest.mark.variants(1)
def test_a_small_document_makes_no_more_than_may_be(
    bound: str, value: int, name: str, side: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = {"$ref": f"#/components/schemas/{name}"}
    document = openapi({f"/{n}": {"post": of_schema(schema, side)} for n in range(40)}, components={"schemas": PARTS})
    assert len(import_api(document).tools) == 40
    monkeypatch.setattr(bounds, bound, value)
    with pytest.raises(TooMuch, match=message):
        import_api(document)
