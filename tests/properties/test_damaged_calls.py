"""Valid calls, randomly damaged: each gets the verdict of the validator, and valid values are preserved.

They are the calls of the cases and, in the long run, the recorded ones, if these are beside the checkout. The damage is
the same in every run.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.case import all_cases, write
from tests.data.sets import OWN, calls_of, place
from tests.properties.codecs.test_codecs import try_value
from tests.properties.values import damaged
from tests.unit.cli.command_line import toolgen
from toolgen.runtime.codec.codec import Codec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolgen.runtime.base.packages import Side

RECORDED = {OWN: OWN, "tau": "tau", "tau2": "tau2", "kubernetes": "kubernetes_real"}
"""Tools by the name of their file, and their recorded calls."""

seeded = settings(
    derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


class Valid(NamedTuple):
    """A value that one side of a tool accepts, and the package of the tool."""

    package: str
    tool: str
    side: Side
    value: Any


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Valid]]:
    """Return the valid calls of all cases with importable packages."""
    folder = tmp_path_factory.mktemp("calls")
    found: list[Valid] = []
    for case in all_cases():
        valid = [call for call in case.calls() if call.accept]
        if valid:
            package = f"damaged_calls.{case.name}"
            write(folder / "damaged_calls" / case.name, case.compile().files)
            found += [
                Valid(package, call.tool, "result" if call.side == "result" else "args", call.value) for call in valid
            ]
    sys.path.insert(0, str(folder))
    yield found
    sys.path.remove(str(folder))


@settings(seeded, max_examples=4 * settings().max_examples)
@given(st.data())
def test_damaged_calls_get_the_verdict_of_the_validator(calls: list[Valid], data: st.DataObject) -> None:
    check(data, calls)


@pytest.mark.long
@settings(seeded, max_examples=5000)
@given(st.data())
def test_more_damaged_calls_get_the_verdict_of_the_validator(calls: list[Valid], data: st.DataObject) -> None:
    check(data, calls)


@pytest.fixture(scope="module", params=sorted(RECORDED))
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Valid]]:
    """Return the valid calls of one recording, whose tools are imported and built."""
    listed = place(f"{request.param}.tools.json")
    folder = tmp_path_factory.mktemp("recorded")
    package = f"recorded_{request.param}"
    (folder / "toolgen.toml").write_text(f'[[targets]]\nspecs = "specs"\nout = "{package}"\n', encoding="utf-8")
    toolgen(folder, "import", "mcp", str(listed), "--toolset", "mcp.real")
    assert toolgen(folder, "build").code == 0
    sys.path.insert(0, str(folder))
    yield [*_recorded_calls(folder, package, RECORDED[request.param])]
    sys.path.remove(str(folder))


@pytest.mark.long
@settings(seeded, max_examples=1500)
@given(st.data())
def test_damaged_recordings_get_the_verdict_of_the_validator(recorded: list[Valid], data: st.DataObject) -> None:
    check(data, recorded)


def _recorded_calls(folder: Path, package: str, name: str) -> Iterator[Valid]:
    tools = json.loads((folder / package / "catalog.json").read_text(encoding="utf-8"))["tools"]
    idents = {tool.get("source_name", ident.rpartition(".")[2]): ident for ident, tool in tools.items()}
    for line in calls_of(name):
        if line["accept"] and "arguments" in line and line["tool"] in idents:
            yield Valid(package, idents[line["tool"]], "args", line["arguments"])


def check(data: st.DataObject, calls: Sequence[Valid]) -> None:
    """Damage one of the calls and try it."""
    call = data.draw(st.sampled_from(calls))
    made = call.value
    for _ in range(data.draw(st.integers(1, 3))):
        made = data.draw(damaged(made))
    codec = Codec[Any].of_package(call.package, call.tool, call.side)
    text = json.dumps(made)
    value = json.loads(text)
    accepted = _validator(call.package, call.tool, call.side).is_valid(value)
    try:
        try_value(codec, value, text, accepted)
    except Exception as error:
        verdict = "accepts" if accepted else "refuses"
        raise AssertionError(f"{verdict} {text}: {call.package} {call.tool} {json.dumps(codec.schema)}") from error


@cache
def _validator(package: str, tool: str, side: Side) -> jsonschema_rs.Validator:
    document = json.loads(Path(import_module(package).__path__[0], "catalog.json").read_text(encoding="utf-8"))
    asserts = document.get("formats", "annotate") != "annotate"
    schema = Codec[Any].of_package(package, tool, side).schema
    return jsonschema_rs.validator_for(schema, validate_formats=asserts, offline=True)
