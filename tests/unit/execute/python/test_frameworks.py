"""Tool objects of five frameworks: read from what they make public, compiled, and called."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.project.checkout import ROOT
from tests.unit.execute.python.importing import CODE as SHOP
from tests.unit.execute.python.importing import MODULES, Calls, Import, build, import_code
from toolgen.contract.records import FailureKind
from toolgen.execute.python.references import NotThere
from toolgen.execute.python.sources import NoTools, text_of, tools_of

CODE = "tests.unit.execute.python.framework_tools"
NAMES = (
    *(
        "pydantic_ai_tool",
        "needs_context",
        "langchain_tool",
        "Subclass",
        "openai_tool",
        "raw_openai_tool",
        "odd_openai_tool",
    ),
    *("fastmcp_tool", "fastmcp_text", "weather", "Picture"),
)


@pytest.fixture(scope="module")
def made() -> Import:
    return import_code(*NAMES, module=CODE)


@pytest.fixture(scope="module")
def calls(made: Import, tmp_path_factory: pytest.TempPathFactory) -> Calls:
    return Calls.of(build(made.text, tmp_path_factory.mktemp("frameworks"), "compiled_frameworks"))


def test_what_no_call_from_outside_can_run_is_left_out(made: Import) -> None:
    assert made.faults == {
        "needs_context": "it takes a `RunContext`, which only its agent has: write a function without it",
        "odd_openai_tool": "its schema is not JSON: Object of type set is not JSON serializable",
        "Picture": "its input `image` is of type image, which JSON does not have",
    }
    assert made.messages == []


def test_a_tool_of_pydantic_ai(made: Import, calls: Calls) -> None:
    tool = made.tools["shift_day"]
    assert (tool["handler"], tool["description"]) == (f"{CODE}:pydantic_ai_tool", "Add days to a day.")
    assert tool["args"]["properties"]["days"] == {"type": "integer", "description": "How many.", "default": 3}
    assert tool["result"] == {"type": "object", "additionalProperties": {"type": "string", "format": "date"}}
    assert calls.value("shift_day", {"day": "2020-01-01"}) == {"day": "2020-01-04"}
    refused = calls.error("shift_day", {"day": "2020-01-01", "days": 13})
    assert (refused.kind, refused.message) == (FailureKind.DOMAIN_REJECTION, "not 13")
    invalid = calls.error("shift_day", {"day": "soon"})
    assert (invalid.kind, invalid.issues[0].pointer) == (FailureKind.INVALID_CALL, "/day")


def test_a_tool_of_langchain(made: Import, calls: Calls) -> None:
    assert made.tools["langchain_tool"]["args"]["properties"]["day"]["description"] == "The day."
    assert calls.value("langchain_tool", {"day": "2020-01-01"}) == {"day": "2020-01-04"}
    assert calls.error("langchain_tool", {"day": "2020-01-01", "days": 13}).message == "not 13"


def test_a_class_of_tools_is_made_once(made: Import, calls: Calls) -> None:
    assert made.tools["subclass"]["tags"] == ["calendar"]
    assert calls.value("subclass", {"days": 2}) == [0, 1]


def test_a_tool_of_openai_agents(made: Import, calls: Calls) -> None:
    assert made.tools["openai_tool"]["args"]["required"] == ["day", "days"]
    assert calls.value("openai_tool", {"day": "x", "days": 1}) == "x + 1"
    assert calls.value("raw") == {"args": "{}"}


def test_a_tool_of_fastmcp(made: Import, calls: Calls) -> None:
    tool = made.tools["add-days"]
    assert (tool["permission"], tool["tags"]) == ("readonly", ["calendar-days"])
    assert "title" not in tool  # it is the name's
    assert list(made.data["tags"]) == ["calendar", "calendar-days"]
    assert calls.value("add-days", {"day": "2020-01-01"}) == {"result": ["2020-01-04"]}
    assert calls.error("add-days", {"day": "2020-01-01", "days": 13}).message == "not 13"
    assert made.tools["explain"]["tags"] == ["dangerous"]
    assert calls.value("explain", {"days": 2}) == "2 days"
    assert calls.error("explain", {"days": 13}).message == "13 days"


def test_a_tool_of_smolagents(made: Import, calls: Calls) -> None:
    args = made.tools["weather"]["args"]
    assert args["required"] == ["city", "extra"]
    assert args["properties"]["days"] == {"type": ["integer", "null"], "description": "How many."}
    assert args["properties"]["extra"] == {"description": "More."}
    assert calls.value("weather", {"city": "x", "extra": [1]}) == ["x", [1], None]


def test_a_module_has_its_tool_objects_too() -> None:
    found = {each.reference.rpartition(":")[2] for each in tools_of(CODE, MODULES)}
    assert found == {
        *NAMES,
        "shift",
        "in_context",
        "add",
        "explain",
        "double",
        "triple",
        "with_context",
        "client_of",
    } - {"Subclass", "Picture"}


def test_functions_need_no_framework() -> None:
    code = f"""if True:
        import sys
        from toolgen.execute.python.modules import HandlerModules
        from toolgen.execute.python.sources import tools_of
        list(tools_of({SHOP!r}, HandlerModules(named=("tests",))))
        print(*sys.modules.keys() & {{"agents", "fastmcp", "langchain_core", "pydantic_ai", "smolagents", "mcp"}})
    """
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


CONTAINERS = ("listed", "pair", "toolset", "agent", "server")


@pytest.fixture(scope="module")
def contained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Import, Calls]:
    made = import_code(*CONTAINERS, module=CODE)
    return made, Calls.of(build(made.text, tmp_path_factory.mktemp("containers"), "compiled_containers"))


def test_the_tools_of_containers_are_imported_by_their_names(contained: tuple[Import, Calls]) -> None:
    made, _ = contained
    assert made.faults == {
        "agent.with_context": "it takes a `RunContext`, which only its agent has: write a function without it"
    }
    assert {tool["handler"].rpartition(":")[2] for tool in made.tools.values()} == {
        "listed.double", "listed.add_days", "listed.langchain_tool", "pair.double", "pair.shift_day", "toolset.shift",
        "agent.triple", "agent.shift", "server.add_days", "server.client_of",
    }  # fmt: skip
    for source in CONTAINERS:
        assert text_of(f"{CODE}:{source}", MODULES) == text_of(CODE, MODULES)


def test_the_tools_of_containers_are_called(contained: tuple[Import, Calls]) -> None:
    made, calls = contained
    keys = {tool["handler"].rpartition(":")[2]: key for key, tool in made.tools.items()}
    assert calls.value(keys["listed.double"], {"number": 4}) == 8
    assert calls.value(keys["listed.add_days"], {"day": "2020-01-01"}) == {"result": ["2020-01-04"]}
    assert calls.value(keys["pair.shift_day"], {"day": "2020-01-01"}) == {"day": "2020-01-04"}
    assert calls.value(keys["agent.triple"], {"number": 4}) == 12
    assert calls.value(keys["toolset.shift"], {"day": "2020-01-01"}) == {"day": "2020-01-04"}
    assert calls.value(keys["server.add_days"], {"day": "2020-01-01"}) == {"result": ["2020-01-04"]}
    assert calls.value(keys["server.client_of"], {"word": "x"}) == {"result": "days x"}
    refused = calls.error(keys["server.add_days"], {"day": "2020-01-01", "days": 13})
    assert (refused.kind, refused.message) == (FailureKind.DOMAIN_REJECTION, "not 13")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("empty", "is a list: name modules, classes, functions, tool objects and lists of them"),
        ("unnamed", "it contains a int, which is no function and no tool object"),
        ("twice", "two of its tools have the name `double`: import them one by one"),
        ("filtered", "only an agent knows the tools of a FilteredToolset: import its source itself"),
    ],
)
def test_a_container_whose_tools_cannot_be_named_is_refused(source: str, said: str) -> None:
    with pytest.raises(NoTools, match=said):
        list(tools_of(f"{CODE}:{source}", MODULES))


def test_a_tool_that_a_container_does_not_have_is_refused() -> None:
    with pytest.raises(NotThere, match=r"framework_tools:agent` has no `tripel`; did you mean `triple`\?"):
        list(tools_of(f"{CODE}:agent.tripel", MODULES))
