"""The benchmarks run and print the documented fields. The measured values are meaningless here and not checked."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.__main__ import BENCHMARKS
from benchmarks.tools import json_schemas, make_toolsets
from tests.project.checkout import ROOT

pytestmark = pytest.mark.xdist_group("benchmarks")  # one worker runs them, once


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return printed("imports")


@pytest.fixture(scope="module")
def slow_report() -> dict[str, Any]:
    return printed(*(BENCHMARKS.keys() - {"imports", "durable", "records"}))


def printed(*names: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks", "--tiny", *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.long
def test_the_report_names_the_versions_used(report: dict[str, Any]) -> None:
    assert report["runs"] == 1
    assert report["cores"] >= 1
    assert report["versions"]["datamodel-code-generator"]


@pytest.mark.long
def test_builds_are_compared_with_datamodel_code_generator(slow_report: dict[str, Any]) -> None:
    (build,) = slow_report["builds"]
    assert (build["tools"], build["files"]) == (4, 2)
    builds = {"datamodel_code_generator", "cold", "one_changed", "unchanged", "check"}
    assert build["seconds"].keys() == builds | {"list", "show", "search", "explain"}
    assert build["ratio_to_datamodel_code_generator"]["cold"] > 0


@pytest.mark.long
def test_loads_report_time_and_memory(slow_report: dict[str, Any]) -> None:
    (load,) = slow_report["loads"]
    assert load.keys() >= {"tools", "load_ms", "memory_mb", "runtime_ms", "first_call_ms"}
    assert load["load_ms"].keys() == {"median", "least", "most"}
    assert load["ratio_to_floor"] > 0


@pytest.mark.long
def test_calls_are_compared_with_the_floors(slow_report: dict[str, Any]) -> None:
    (call,) = slow_report["calls"]
    assert {"pydantic", "toolgen, as a model calls", "toolgen call"} <= call["steady_ratio_to_floor"].keys()
    assert call["steady_ratio_to_floor"]["pydantic"] == 1
    assert {"bare", "no SDK", "not sampled", "sampled", "sampled, contents"} <= call["telemetry_adds_us"].keys()
    assert call["first_call_ms"].keys() == call["steady_call_us"].keys() == call["steady_ratio_to_floor"].keys()


@pytest.mark.long
def test_adapters_are_compared_with_the_frameworks_own_functions(slow_report: dict[str, Any]) -> None:
    adapters = slow_report["adapters"]
    assert adapters.keys() == {"pydantic-ai", "OpenAI Agents", "LangChain", "FastMCP"}
    for figures in adapters.values():
        assert figures.keys() == {"bare", "own", "adapter", "added_by_the_adapter_us"}
        assert figures["adapter"]["median"] > figures["bare"]["median"] > 0


@pytest.mark.long
def test_records_are_compared_with_bare_inserts(postgres_url: str) -> None:  # skips without Postgres
    calls = printed("records")["records"]["microseconds"]
    names = ("psycopg", "no record", "memory", "sqlite", "postgres")
    assert calls.keys() == {f"{name}, {at_once} at once" for name in names for at_once in (1, 64)}
    assert all(kind["median"] > 0 for kinds in calls.values() for kind in kinds.values())


def test_imports_are_compared_with_pydantic(report: dict[str, Any]) -> None:
    imports = report["imports"]
    assert imports["ratio_to_pydantic"]["toolgen.runtime, what most hosts use"] > 0
    assert imports["loads_pydantic"]["generated package and idents"] is False


def test_generated_tools_are_the_same_every_time() -> None:
    assert json.dumps(json_schemas(make_toolsets(20, 3))) == json.dumps(json_schemas(make_toolsets(20, 3)))


def test_the_requested_number_of_tools_is_generated() -> None:
    toolsets = make_toolsets(1_001, 20)
    assert (len(toolsets), sum(len(toolset.tools) for toolset in toolsets)) == (20, 1_001)


@pytest.mark.long
def test_a_served_call_is_compared_with_the_sdk_and_fastmcp(slow_report: dict[str, Any]) -> None:
    served = slow_report["served"]
    assert served["ratio_to_sdk"]["SDK server and client"] == 1
    assert served["call_us"].keys() == served["ratio_to_sdk"].keys()
    assert "toolgen serve, client executor" in served["call_us"]
    assert all(call["least"] > 0 for call in served["call_us"].values())
    for load in ("alone", "200 at once"):
        over_http = served["http"][load]
        assert over_http["ratio_to_sdk"].keys() == {"toolgen serve", "SDK server", "FastMCP server"}
        assert over_http["ratio_to_sdk"]["SDK server"] == 1
    assert served["api"]["ratio_to_client"].keys() == {"httpx2", "toolgen executor", "toolgen invoke"}
    assert served["api"]["ratio_to_client"]["httpx2"] == 1


@pytest.mark.long
def test_keystrokes_are_measured_at_each_pace(slow_report: dict[str, Any]) -> None:
    (editing,) = slow_report["editing"]
    assert "toolgen lsp" in editing["milliseconds"]
    for paces in editing["milliseconds"].values():
        assert paces.keys() == {"typing", "after a pause"}
        assert all(pace["completion"]["least"] > 0 for pace in paces.values())
    assert editing["dev_seconds"].keys() == {"build", "lint", "changes", "surface"}


@pytest.mark.long
def test_durable_runs_are_compared_with_plain_dbos(postgres_url: str) -> None:  # skips without Postgres
    durable = printed("durable")["durable"]
    (throughput,) = durable["throughput"].values()
    (flushed,) = durable["throughput_with_fsync"].values()
    for found in (throughput, flushed):
        assert found["ratio"]["median"] > 0
        assert found["plain"]["rows"] == found["toolgen"]["rows"] == pytest.approx(14 / 5)  # 11 steps, and the run's 3
        assert found["toolgen"]["bytes"] > found["plain"]["bytes"] > 0
    for name in ("plain", "toolgen"):
        assert durable["milliseconds"][name]["queue_to_result"]["p50"] > 0
        assert durable["idle_worker"][name]["transactions_per_second"] > 0
    assert throughput["toolgen"]["connections_per_worker"] <= 10
    assert durable["takeover_seconds"]["least"] > 0
    assert durable["in_process_us"]["call"] > durable["in_process_us"]["invoke"] > 0
