"""The plugin for pytest: fixtures for stubs, a runtime, recordings, a scripted model and snapshots of requests.

pytest finds it by its entry point. Nothing else of `toolgen.testing` needs pytest.
"""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

import pytest

from toolgen.spec.text import lines_of
from toolgen.spec.writing import write_inside

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.contract.records import ToolsetRegistration
    from toolgen.runtime import Catalog, Runtime
    from toolgen.testing import ModelRequest, ModelTurn, Recording, ScriptedModel, Stubs

_FOLDER: Final = "snapshots"
_LONGEST: Final = 100
"""Characters of the name of a snapshot before its digest: file systems take 255 bytes, and encrypted ones 143."""

_PLACES: Final = pytest.StashKey[dict[str, dict[str, bool]]]()
"""Of each recording that tests have read, by its path, its calls, and whether they have answered one."""

_RECORDED: Final = pytest.StashKey[set[str]]()
"""The paths of the files that this session has recorded calls to: later tests add to them."""

_PASSED: Final = pytest.StashKey[bool]()
_OUTPUT: Final = "toolgen_recordings"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addini("toolgen_package", "The import name of the generated package whose tools are tested.", default="")
    group = parser.getgroup("toolgen")
    group.addoption(
        "--toolgen-record",
        choices=("none", "once", "new", "all"),
        default="none",
        help="What `toolgen_recorded` records: nothing, files that are missing, new calls, or all calls anew.",
    )
    group.addoption("--toolgen-update", action="store_true", help="Write the snapshots of `toolgen_snapshot`.")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to note which recorded calls are used, and which files are recorded."""
    config.stash[_PLACES] = {}
    config.stash[_RECORDED] = set()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note whether a test has passed: stubs are not checked after one that has failed."""
    report = yield
    if call.when == "call":
        item.stash[_PASSED] = report.passed
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Pass what a worker of pytest-xdist has noted on to its controller."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_OUTPUT] = session.config.stash[_PLACES]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a worker of pytest-xdist has noted."""
    for path, places in getattr(node, "workeroutput", {}).get(_OUTPUT, {}).items():
        _note(node.config, path, places)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """List the recorded calls that no test has used, but not of files whose lines this session has changed."""
    read = [places for path, places in config.stash[_PLACES].items() if path not in config.stash[_RECORDED]]
    unused = [place for places in read for place, is_used in places.items() if not is_used]
    if unused:
        terminalreporter.section("recorded calls that no test has used")
        for place in unused:
            terminalreporter.line(place)


@pytest.fixture
def toolgen_catalog(pytestconfig: pytest.Config) -> Catalog:
    """Return the catalog of the package that the setting `toolgen_package` names."""
    from toolgen.runtime import load

    package: str = pytestconfig.getini("toolgen_package")
    if not package:
        pytest.fail("write `toolgen_package = generated` into the settings of pytest, or define `toolgen_catalog`")
    return load(package)


@pytest.fixture
def toolgen_recording() -> Recording | None:
    """Return the recording that answers the stubs. There is none, unless a test or a conftest.py defines this."""
    return None


@pytest.fixture
def toolgen_stubs(
    request: pytest.FixtureRequest, toolgen_catalog: Catalog, toolgen_recording: Recording | None
) -> Iterator[Stubs]:
    """Return stubs of all toolsets; after a test that passes, they are checked."""
    from toolgen.testing import stub_executors

    stubs = stub_executors(toolgen_catalog, recording=toolgen_recording)
    yield stubs
    if _passed(request):
        stubs.check()


@pytest.fixture
def toolgen_runtime(toolgen_catalog: Catalog, toolgen_stubs: Stubs) -> Runtime:
    """Return a runtime whose executors are the stubs. All calls are allowed that no policy denies."""
    from toolgen.runtime import Runtime, allow_all

    return Runtime(toolgen_catalog, executors=toolgen_stubs, permission=allow_all)


@pytest.fixture
def toolgen_recorded(request: pytest.FixtureRequest) -> Iterator[Callable[..., Recording]]:
    """Return `recorded` for files beside the test, in the mode of `--toolgen-record`; unused calls are reported.

    The mode is that of a file and a session: what one test has recorded, later ones add to. Recordings of one file that
    a test opens several times are one recording.
    """
    from toolgen.testing import recorded

    config = request.config
    opened: list[tuple[str, Recording]] = []

    def opened_beside(name: str, *, executors: Iterable[ToolsetRegistration] = ()) -> Recording:
        file, given = request.path.parent / name, tuple(executors)
        path = os.path.realpath(file)
        for other, recording in opened:
            if other == path and recording.records:
                recording.executors.update({each.toolset: each for each in given})
                return recording
        mode: Any = "new" if given and path in config.stash[_RECORDED] else config.getoption("--toolgen-record")
        recording = recorded(file, mode, executors=given)
        if recording.records and hasattr(config, "workerinput"):
            pytest.fail(
                f"{recording.name} cannot be recorded by several workers of pytest-xdist: record it without `-n`, "
                f"or with `-n 0`",
                pytrace=False,
            )
        opened.append((path, recording))
        return recording

    yield opened_beside
    for path, each in opened:
        _note(config, path, {str(take): take.is_used for take in each.takes})
        if each.has_recorded:
            config.stash[_RECORDED].add(path)


@pytest.fixture
def toolgen_model(request: pytest.FixtureRequest) -> Iterator[Callable[..., ScriptedModel]]:
    """Return `ScriptedModel`; after a test that passes, it is checked that each of its turns was asked for."""
    from toolgen.testing import ScriptedModel

    made: list[ScriptedModel] = []

    def model(*turns: ModelTurn | Callable[[ModelRequest], ModelTurn], provider: str = "openai") -> ScriptedModel:
        made.append(ScriptedModel(*turns, provider=provider))
        return made[-1]

    yield model
    if _passed(request):
        for each in made:
            each.check()


@pytest.fixture
def toolgen_snapshot(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a function that compares the tools of a request with a file in `snapshots`, beside the test.

    It takes what `Conversation.request()` returns, or a request of a scripted model, and a name where a test has
    several. `--toolgen-update` writes the files.
    """
    folder, test = request.path.parent / _FOLDER, (request.path.stem, *_names_in_file(_item(request)))
    written: dict[str, str] = {}

    def compare(got: Mapping[str, Any] | ModelRequest, name: str = "") -> None:
        fields: Mapping[str, Any] = got if isinstance(got, Mapping) else got.fields
        tools = {key: fields[key] for key in ("tools", "toolConfig") if key in fields}
        text = json.dumps(tools, indent=2, ensure_ascii=False) + "\n"
        place = _file_name(*test, *filter(None, [name]))
        file = folder / f"{place}.json"
        if request.config.getoption("--toolgen-update"):
            if written.setdefault(place, text) != text:
                raise AssertionError(f"two different requests have one snapshot {file.name}: give them names")
            write_inside(request.path.parent, f"{_FOLDER}/{place}.json", text.encode())
            return
        _compare(text, file)

    return compare


def _names_in_file(item: pytest.Item) -> list[str]:
    """Return the names of the classes of a test and its own: its node id below the file.

    The node id itself ends with the group of the test in workers of pytest-xdist.
    """
    nodes = takewhile(lambda node: not isinstance(node, pytest.File), reversed(item.listchain()))
    return [node.name for node in nodes][::-1]


def _file_name(*parts: str) -> str:
    """Return the name of a file for a snapshot.

    It ends with a digest of the parts where they may be mistaken for others: those of other characters than the safe
    ones, those in capitals, which some file systems do not tell apart, and long ones.
    """
    name = "-".join(parts)
    if len(name) <= _LONGEST and all(re.fullmatch(r"[a-z0-9_.]+", part) for part in parts):
        return name
    digest = sha256(json.dumps(parts).encode()).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', name)[:_LONGEST]}-{digest}"


def _compare(text: str, file: Path) -> None:
    if not file.exists():
        raise AssertionError(f"there is no snapshot {file.name}: write it with `pytest --toolgen-update`")
    kept = file.read_text(encoding="utf-8")
    if text != kept:
        lines = difflib.unified_diff(lines_of(kept), lines_of(text), file.name, "this request", lineterm="")
        raise AssertionError("the tools differ; `pytest --toolgen-update` keeps them\n" + "\n".join(lines))


def _passed(request: pytest.FixtureRequest) -> bool:
    return _item(request).stash.get(_PASSED, False)


def _item(request: Any) -> pytest.Item:
    """Return the test of a fixture, whose type pytest leaves open."""
    item: pytest.Item = request.node
    return item


def _note(config: pytest.Config, path: str, places: Mapping[str, bool]) -> None:
    known = config.stash[_PLACES].setdefault(path, {})
    for place, is_used in places.items():
        known[place] = known.get(place, False) or is_used
