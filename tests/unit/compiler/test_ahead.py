"""Builds by several processes: the package, findings and cache are those of one process, and none is left behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.project.checkout import ROOT
from toolgen.compiler import ahead
from toolgen.compiler import build as compiler_build
from toolgen.compiler.ahead import SHARE
from toolgen.compiler.build import build_target
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.cache import FOLDER, Cache
from toolgen.compiler.project.config import load_config
from toolgen.compiler.project.forks import usable_cores
from toolgen.compiler.publish.publish import publish

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone"),
]

LONG = "It finds what was asked for. " * 55
SHARED = {
    "toolgen": 1,
    "types": {"Person": {"toolset": "string", "manager?": "Person"}},
    "tags": {"billing": "Costs money."},
}


def tool(number: int) -> dict[str, Any]:
    """Return a tool with types of its file and of the shared one, classes of its own, tags, or a warning."""
    fields: list[dict[str, Any]] = [
        {"query": "string", "limit?": "integer"},
        {"price": "Money", "by": {"$ref": "shared.yaml#/types/Person"}},
        {"filter": {"name": "string", "inner": {"deep": "number"}}, "order": {"field": "string"}},
        {"type": "object", "properties": {"units": {"unit": "km"}, "limit": {"type": "integer", "default": "ten"}}},
    ]
    tags = [["billing"], ["archive"], [], []][number % 4]
    return {"description": f"{LONG}{number}", "args": fields[number % 4], "result": {"found": ["Money"]}, "tags": tags}


def toolset(name: str, tools: int, **head: Any) -> dict[str, Any]:
    types = {"Money": {"amount": "number", "currency?": "string"}}
    made = {f"find_{number}": tool(number) for number in range(tools)}
    return {"toolgen": 1, "toolset": name, "types": types, **head, "tools": made}


def yaml_of(spec: dict[str, Any]) -> str:
    """Return a spec as YAML, with each tool on a line of its own, which can be divided."""
    *head, (last, tools) = spec.items()
    lines = [f"{key}: {json.dumps(value)}" for key, value in head] + [f"{last}:"]
    return "\n".join([*lines, *(f"  {key}: {json.dumps(value)}" for key, value in tools.items())]) + "\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose specs are long: a file that is divided, others that are not, and one in JSON."""
    specs = tmp_path / "project" / "specs"
    specs.mkdir(parents=True)
    (specs / "shared.yaml").write_text(yaml.safe_dump(SHARED), encoding="utf-8")
    (specs / "large.yaml").write_text(yaml_of(toolset("large", 150)), encoding="utf-8")
    (specs / "small.yaml").write_text(yaml_of(toolset("small", 40, tags={"archive": "What is old."})), encoding="utf-8")
    (specs / "as_json.json").write_text(json.dumps(toolset("as_json", 40)), encoding="utf-8")
    return specs.parent


def copied(project: Path, name: str) -> Path:
    return shutil.copytree(project, project.parent / name)


def start(project: Path, *arguments: str, cores: int | None = None) -> subprocess.Popen[str]:
    """Start a command, in a process group of its own, that may use some number of cores."""
    allowed = sorted(os.sched_getaffinity(0))[:cores]
    code = f"import os, sys; os.sched_setaffinity(0, {allowed}); from toolgen.cli import main; sys.exit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def build(project: Path, *arguments: str, cores: int | None = None) -> tuple[int, str]:
    """Return the exit code of a build, and what it shows."""
    process = start(project, "build", *arguments, cores=cores)
    out, _ = process.communicate(timeout=300)
    return process.returncode, out


def files_of(folder: Path) -> dict[str, bytes]:
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if name != "toolgen.lock"}


def entries_of(project: Path) -> set[str]:
    """Return the names of what a build has kept, but for the patterns of fields, which processes find apart."""
    return {path.name for path in (project / FOLDER).glob("*-*") if not path.name.startswith("patterns-")}


def test_a_package_does_not_depend_on_the_number_of_processes(project: Path) -> None:
    other = copied(project, "other")

    code, out = build(project, "--format", "json", "--timings", "--all")
    alone_code, alone = build(other, "--format", "json", "--timings", "--all", cores=1)
    [made], [made_alone] = json.loads(out)["targets"], json.loads(alone)["targets"]

    assert (code, alone_code) == (0, 0)
    forked = [stage for stage in made["timings"]["stages"] if stage.startswith("compiling in ")]
    length = sum(len(path.read_text("utf-8")) for path in (project / "specs").iterdir())
    processes = min(usable_cores(), length // SHARE)
    assert length > 2.5 * SHARE
    assert forked == ([f"compiling in {processes} processes"] if processes > 1 else [])
    assert not any(stage.startswith("compiling") for stage in made_alone["timings"]["stages"])
    assert made["diagnostics"] == made_alone["diagnostics"]
    assert {each["code"] for each in made["diagnostics"]} == {"TG203", "TG208"}
    assert files_of(project / "generated") == files_of(other / "generated")
    assert entries_of(project) == entries_of(other)
    assert made["timings"]["cache"] == made_alone["timings"]["cache"], "what was made in this build was not cached"
    assert build(project, "--check")[0] == build(other, "--check")[0] == 0


def test_what_the_processes_made_is_not_made_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    puts: Counter[str] = Counter()
    put = Cache.put

    def count(cache: Cache, kind: str, key: str, value: Any) -> None:
        puts[kind] += 1
        put(cache, kind, key, value)

    monkeypatch.setenv("XDG_CACHE_HOME", str(project.parent / "user"))
    monkeypatch.setattr(ahead, "run_forked", lambda parts: [part() for part in parts])
    monkeypatch.setattr(Cache, "put", count)  # not that of processes, which is a `Recorder`
    config = load_config(project)
    sink = Diagnostics()
    built = build_target(config, config.targets[0], sink, processes=4)

    assert built.published is not None
    assert not sink.has_errors
    assert puts == {"output": 1, "summary": 1, "derived-files": 1, "built": 1}, "what is of no piece"


@pytest.mark.long
def test_a_check_without_a_cache_finds_the_same_with_any_number_of_processes(project: Path) -> None:
    build(project, cores=1)
    shutil.rmtree(project / FOLDER)
    changed = project / "specs" / "small.yaml"
    changed.write_text(changed.read_text("utf-8").replace("Costs", "Takes"), encoding="utf-8")
    (project / "generated" / "catalog.json").unlink()

    many, one = build(project, "--check"), build(project, "--check", cores=1)

    assert many == one
    assert many[0] == 1
    assert not (project / FOLDER).exists(), "a check writes nothing"


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("large.yaml", "string", "strang"),
        ("small.yaml", "string", "strang"),
        ("as_json.json", "string", "strang"),
        ("shared.yaml", "string", "strang"),
        ("as_json.json", '"as_json"', '"small"'),
    ],
    ids=["divided", "whole", "JSON", "shared", "two of one name"],
)
@pytest.mark.variants(1)
def test_errors_do_not_depend_on_the_number_of_processes(project: Path, name: str, right: str, wrong: str) -> None:
    broken = project / "specs" / name
    broken.write_text(broken.read_text("utf-8").replace(right, wrong, 1), encoding="utf-8")

    other = copied(project, "other")
    many, one = build(other), build(project, cores=1)

    assert many == one
    assert many[0] == 1
    assert wrong.strip('"') in many[1]
    for each in (other, project):
        (each / "specs" / name).write_text(broken.read_text("utf-8").replace(wrong, right, 1), encoding="utf-8")
    assert build(other)[0] == build(project, cores=1)[0] == 0
    assert files_of(other / "generated") == files_of(project / "generated")


@pytest.mark.long
def test_a_tag_of_another_toolset_may_be_declared_where_its_users_are_compiled_before(project: Path) -> None:
    build(project)
    large = project / "specs" / "large.yaml"
    large.write_text(large.read_text("utf-8").replace('"tags": []', '"tags": ["archive", "later"]', 1), "utf-8")
    missing = build(project)
    small = project / "specs" / "small.yaml"
    small.write_text(small.read_text("utf-8").replace('"archive":', '"later": "Not now.", "archive":', 1), "utf-8")

    assert missing[0] == 1
    assert "TG405" in missing[1]
    assert "`later`" in missing[1]
    assert build(project)[0] == 0


@pytest.mark.skipif(usable_cores() < 2, reason="one core: nothing is forked")
def test_an_interrupted_build_leaves_no_process_and_no_package(project: Path) -> None:
    process = start(project, "build")
    while not (forked := _children(process.pid)) and process.poll() is None:
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)

    assert forked
    assert process.returncode == 130
    while True:  # what is left of the group has only to be noticed as ended
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.01)
    assert not (project / "generated").exists()
    assert build(project)[0] == 0


def _children(process: int) -> list[str]:
    try:
        return Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    except FileNotFoundError:
        return []


@pytest.mark.parametrize("happens", ["nothing", "the process fails", "a spec changes meanwhile"])
@pytest.mark.variants(1)
def test_derived_data_is_that_of_the_package_whatever_happens_to_its_process(
    happens: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = os.getpid()
    derived_here: list[bytes] = []
    derive_texts = compiler_build._derived_texts

    def derived_texts(catalog: bytes, *args: Any) -> dict[str, bytes]:
        if os.getpid() == own:
            derived_here.append(catalog)
        elif happens == "the process fails":
            raise MemoryError
        return derive_texts(catalog, *args)

    def published(*args: Any, **options: Any) -> Any:
        if happens == "a spec changes meanwhile":
            (project / "specs" / "small.yaml").write_text(yaml_of(toolset("small", 3, tags={"archive": "Old."})))
        return publish(*args, **options)

    monkeypatch.setenv("XDG_CACHE_HOME", str(project.parent / "user"))
    monkeypatch.setattr(compiler_build, "_derived_texts", derived_texts)
    monkeypatch.setattr(compiler_build, "publish", published)
    config = load_config(project)
    built = build_target(config, config.targets[0], Diagnostics(), processes=4)

    assert built.published
    catalog = (project / "generated" / "catalog.json").read_bytes()
    assert derived_here == ([] if happens == "nothing" else [catalog])
    made = files_of(project / "generated" / "_derived")
    shutil.rmtree(project / "generated")
    shutil.rmtree(project / FOLDER)
    build_target(config, config.targets[0], Diagnostics())
    assert made == files_of(project / "generated" / "_derived")
