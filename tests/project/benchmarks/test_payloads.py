"""Request sizes for the tools of the peers' benchmark: bytes are the same on every machine, so they are asserted."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.payloads import FOLDER
from tests.project.checkout import ROOT

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="shared/bench is not beside the checkout")


def measured(flat: list[int], actions: list[int]) -> dict[str, Any]:
    arguments = json.dumps([flat, actions, 1])
    command = [sys.executable, "-m", "benchmarks.measured.payloads", str(FOLDER), arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return measured([1, 67, 100, 200], [20, 200])


@pytest.mark.long
def test_tus_24_the_flat_payload_is_small_and_the_other_presentations_are_smaller(report: dict[str, Any]) -> None:
    sizes = {presentation: found["bytes"] for presentation, found in report["request"]["67"].items()}
    assert 40_000 < sizes["enumerate-all"] <= 54_000
    assert sizes["enumerate-all"] >= 3.2 * sizes["universal-category"] > 0
    assert sizes["codeact"] <= 0.5 * sizes["enumerate-all"]
    given = report["flat_args_bytes"]["67"]
    assert given["compact"] <= 0.61 * given["given"]


def test_tus_09_the_flat_payload_grows_with_its_tools(report: dict[str, Any]) -> None:
    sizes = {int(count): found["enumerate-all"]["bytes"] for count, found in report["request"].items()}
    assert sizes[200] - sizes[100] == pytest.approx(sizes[100], rel=0.01)


def test_uac_14_uac_55_wrappers_and_prompt_do_not_grow_with_the_actions(report: dict[str, Any]) -> None:
    few, many = ({**report["wrappers"][count], "unchanged_us": 0} for count in ("20", "200"))
    assert few == many
    assert 0 < few["tools_bytes"] <= 4_000


@pytest.mark.long
def test_wrappers_of_twenty_thousand_actions_are_no_larger() -> None:
    wrappers = measured([1], [20, 20_000])["wrappers"]
    assert wrappers["20"]["bytes"] == wrappers["20000"]["bytes"]
