"""Real tools and real calls: all of them import, build, and replay as they were recorded."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.data.sets import OWN, calls_of, place, tools_of
from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen

if TYPE_CHECKING:
    from pathlib import Path

IMPORT_ALL = """
import sys
from importlib import import_module
from pkgutil import walk_packages
sys.path.insert(0, sys.argv[1])
package = import_module("generated")
for found in walk_packages(package.__path__, "generated."):
    module = import_module(found.name)
    for name in getattr(module, "__all__", ()):
        getattr(module, name)
"""


def dataset(name: str, broken: tuple[str, ...], *recordings: str, marks: tuple[pytest.MarkDecorator, ...] = ()) -> Any:
    """Tools, those among them whose calls no validator could check, and recorded calls."""
    return pytest.param(name, broken, recordings, id=name, marks=(pytest.mark.xdist_group(f"data-{name}"), *marks))


@pytest.mark.parametrize(
    ("name", "broken", "recordings"),
    [
        dataset(OWN, (), OWN),
        dataset("tau", (), "tau"),
        dataset("tau2", (), "tau2", marks=(pytest.mark.long,)),
        dataset("kubernetes", (), "kubernetes", "kubernetes_real"),
        dataset("acebench", ("Check_Data_Exposure", "AccountSecurityAdvisor"), "acebench", marks=(pytest.mark.long,)),
    ],
)
def test_all_real_tools_import_build_and_replay(
    name: str, broken: tuple[str, ...], recordings: tuple[str, ...], tmp_path: Path
) -> None:
    listed = place(f"{name}.tools.json")
    imported = toolgen(tmp_path, "import", "mcp", str(listed), "--toolset", f"mcp.{name}", "--format", "json")
    assert imported.code == (1 if broken else 0), imported.err
    assert sorted(imported.json["left_out"]) == sorted(broken)

    built = toolgen(tmp_path, "build", "--format", "json")
    assert built.code == 0, built.out
    compiled = toolgen(tmp_path, "list", "--format", "json").json
    offered = [tool["name"] for tool in tools_of(name)]
    assert sorted(tool["source_name"] for tool in compiled) == sorted(set(offered) - set(broken))
    subprocess.run([sys.executable, "-W", "error", "-c", IMPORT_ALL, str(tmp_path)], check=True, cwd=ROOT)

    for recording in recordings:
        replayed = toolgen(tmp_path, "replay", str(place(f"{recording}.calls.jsonl")), "--format", "json")
        assert replayed.code == 0, replayed.out[:2000] + replayed.err
        recorded = calls_of(recording)
        accepted = sum(call["accept"] for call in recorded)
        assert replayed.json == {
            "total": len(recorded),
            "accepted": accepted,
            "rejected": len(recorded) - accepted,
            "agree": len(recorded),
            "disagree": [],
            "rejections": [],
            "altered": [],
            "broken": [],
        }
        drafts = toolgen(tmp_path, "eval", "from-dataset", str(place(f"{recording}.calls.jsonl")))
        assert (drafts.code, drafts.out.count("\n    question: ")) == (0, min(accepted, 1_000)), drafts.err
