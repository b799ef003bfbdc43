"""Modules that specs may name: the project's own, whatever a reference looks like; through every door."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.command_line import toolgen
from tests.unit.execute.python.importing import build
from toolgen.execute import HandlerModules, specified_executors
from toolgen.execute.http import http_executor as http_executor
from toolgen.execute.python import python_executor
from toolgen.execute.python.modules import ForeignModule
from toolgen.execute.python.references import NotThere, Objects
from toolgen.runtime import Runtime, allow_all
from toolgen.runtime.base.errors import ExecutorError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APP = """
import importlib, os, shop.parts, subprocess
from functools import partial, wraps
from os import system
from pathlib import Path
from subprocess import Popen, getoutput
from sys import modules as loaded
from json import JSONDecoder

open("imported", "a").close()
shell = partial(subprocess.run, shell=True)
decoder = JSONDecoder()
runs = [getoutput]


@wraps(getoutput)
def as_getoutput(cmd): ...


def own(cmd: str) -> str:
    return "own"


short = partial(own, "x")


class Shop(JSONDecoder):
    def find(self, cmd: str) -> str:
        return "found"
"""
FOREIGN = [
    "subprocess:getoutput",
    "os:system",
    "builtins:eval",
    "builtins:exec",
    "sys:exit",
    "posix:system",
    "_posixsubprocess:fork_exec",
    "importlib:import_module",
    "code:interact",
    "this:s",
    "pytest:main",
    "pydantic.deprecated.tools:parse_raw_as",
    "toolgen.cli:main",
    "app:subprocess.getoutput",
    "app:os.system",
    "app:importlib.import_module",
    "app:getoutput",
    "app:system",
    "app:shell",
    "app:Popen",
    "app:Popen.wait",
    "app:Path.unlink",
    "app:Path.home",
    "app:decoder.decode",
    "app:Shop.decode",
    "app:runs.getoutput",
    "app:runs.append",
    "app:as_getoutput",
    "app:own.__call__",
    "app:own.__class__",
    "app:own.__globals__.get",
    "app:loaded.pop",
    "app:__loader__.load_module",
    "app:__loader__.get_data",
    "app:__spec__.loader.exec_module",
    "shop.parts:os.system",
    "shop.parts.os:system",
    "linked:own",
    "linked_folder.inner:own",
    "spaces.outside:own",
    "installed:own",
    "vendor:own",
]
"""References to code that is not of the project, all of which exist."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder with modules; beside it others, that links, namespaces and environments lead to."""
    root, outside = tmp_path / "project", tmp_path / "outside"
    own = "open('imported', 'a').close()\ndef own(cmd: str) -> str: return 'own'\n"
    write(root, {"app.py": APP, "shop/__init__.py": "", "shop/parts.py": f"import os\n{own}", "spaces/inside.py": own})
    write(outside, {"linked.py": own, "linked_folder/inner.py": own, "spaces/outside.py": own})
    write(root, {".venv/lib/python3.11/site-packages/installed.py": own, "lib/site-packages/vendor/__init__.py": own})
    (root / "linked.py").symlink_to(outside / "linked.py")
    (root / "linked_folder").symlink_to(outside / "linked_folder")
    for folder in (outside, root / "lib/site-packages", root / ".venv/lib/python3.11/site-packages", root):
        monkeypatch.syspath_prepend(folder)
    monkeypatch.chdir(root)
    known = set(sys.modules)
    yield root
    for name in set(sys.modules) - known:
        del sys.modules[name]


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def spec_of(reference: str) -> str:
    tool = f"description: d, handler: '{reference}', args: {{cmd: string}}"
    return f"toolgen: 1\ntoolset: shop\ntools: {{run: {{{tool}}}}}\n"


def api_of(reference: str) -> str:
    return (
        f'toolgen: 1\ntoolset: stock\nkind: http\napi: {{app: "{reference}"}}\n'
        "tools: {get: {description: d, http: {method: GET, path: /a}}}\n"
    )


@pytest.mark.parametrize("reference", FOREIGN)
def test_a_reference_to_code_of_another_module_is_refused(project: Path, reference: str) -> None:
    objects = Objects(are_called=True, modules=HandlerModules(str(project)))
    with pytest.raises((ForeignModule, NotThere)) as raised:
        objects.find(reference)
    if not reference.startswith(("app:", "shop")):
        assert not (project / "imported").exists(), "its code ran"
    if isinstance(raised.value, NotThere):
        assert reference in ("app:own.__globals__.get", "shop.parts.os:system", "app:runs.append", "app:loaded.pop")


@pytest.mark.parametrize("reference", FOREIGN[:9])
def test_nothing_is_refused_that_a_person_named(reference: str) -> None:
    assert callable(Objects(are_called=False, modules=None).find(reference))


@pytest.mark.parametrize(
    "reference",
    ["app:own", "app:short", "app:Shop.find", "shop.parts:own", "spaces.inside:own", "shop:parts.own"],
)
def test_the_projects_own_code_is_found(project: Path, reference: str) -> None:
    assert callable(Objects(are_called=True, modules=HandlerModules(str(project))).find(reference))


@pytest.mark.parametrize("reference", ["linked_folder.inner:own", "spaces.outside:own", "installed:own", "vendor:own"])
def test_named_modules_are_found_with_those_below(project: Path, reference: str) -> None:
    module = reference.partition(":")[0]
    for named in {module, module.partition(".")[0]}:
        assert callable(Objects(are_called=True, modules=HandlerModules(str(project), (named,))).find(reference))
    with pytest.raises(ForeignModule, match=f'handlers = \\["{module}"\\]'):
        Objects(are_called=True, modules=HandlerModules(str(project), (f"{module}x", f"{module}.below"))).find(
            reference
        )


def test_the_modules_beside_a_package_are_the_default_and_the_package_alone_where_it_is_installed(
    project: Path,
) -> None:
    beside = HandlerModules.of_catalog(build(spec_of("app:own"), project, "beside"))
    assert beside == HandlerModules(str(project))
    below = build(spec_of("app:own"), project / "shop", "compiled_beside")
    assert HandlerModules.of_catalog(below).folder == str(project / "shop")
    library = project / "lib/site-packages"
    assert HandlerModules.of_catalog(build(spec_of("x:y"), library, "alone")).folder == str(library / "alone")


def test_a_runtime_without_what_specs_name_says_where_it_is(project: Path) -> None:
    for spec, toolset in ((spec_of("app:own"), "shop"), (api_of("app:own"), "stock")):
        catalog = build(spec, project, f"compiled_without_{toolset}")
        with pytest.raises(ExecutorError) as raised:
            Runtime(catalog, permission=allow_all)
        assert str(raised.value) == (
            f"there is no executor for the toolset {toolset}: pass one in `executors` "
            f"(`toolgen.execute.specified_executors(catalog)` has that of {toolset}), or list toolsets without an "
            f"executor in `missing`, such as missing=['{toolset}']"
        )
        Runtime(catalog, executors=specified_executors(catalog), permission=allow_all)


def test_each_way_to_run_a_spec_refuses_code_of_other_modules(project: Path) -> None:
    handlers = build(spec_of("subprocess:getoutput"), project, "compiled_handlers")
    api = build(api_of("subprocess:getoutput"), project, "compiled_api")
    for make in (
        lambda: python_executor(handlers, "shop"),
        lambda: specified_executors(handlers),
        lambda: http_executor(api, "stock"),
        lambda: specified_executors(api),
    ):
        with pytest.raises(ExecutorError, match="specs may not name the module `subprocess`"):
            make()
    allowed = specified_executors(handlers, HandlerModules(named=("subprocess",)))
    assert [each.toolset for each in allowed] == ["shop"]


@pytest.mark.parametrize("kind", ["handler", "app"])
def test_each_command_that_runs_tools_refuses_code_of_other_modules(tmp_path: Path, kind: str) -> None:
    marker = tmp_path / "ran"
    write(tmp_path, {"specs/shop.yaml": (spec_of if kind == "handler" else api_of)("subprocess:getoutput")})
    assert toolgen(tmp_path, "build").code == 0
    tool, args = ("shop.run", {"cmd": f"touch {marker}"}) if kind == "handler" else ("stock.get", {})
    for command in (["call", tool, json.dumps(args), "--yes"], ["serve", "--yes"], ["serve", "--http", "0"]):
        done = toolgen(tmp_path, *command)
        assert (done.code, "specs may not name the module `subprocess`" in done.err) == (2, True), done.err
        assert 'handlers = ["subprocess"]' in done.err
        assert "Traceback" not in done.err
    assert not marker.exists()
    (tmp_path / "toolgen.toml").write_text('handlers = ["subprocess"]\n')
    if kind == "handler":
        assert toolgen(tmp_path, "call", tool, json.dumps(args), "--yes").code == 0
        assert marker.exists()


def test_an_import_reads_no_other_module(tmp_path: Path) -> None:
    for source in ("subprocess:getoutput", "subprocess", "app:system"):
        write(tmp_path, {"app.py": "from os import system\n"})
        done = toolgen(tmp_path, "import", "python", source, "--toolset", "shop")
        assert done.code == 1, done.err
        assert "handlers = [" in done.err
    assert not list(tmp_path.glob("specs/*"))
    (tmp_path / "toolgen.toml").write_text('handlers = ["subprocess"]\n')
    assert toolgen(tmp_path, "import", "python", "subprocess:getoutput", "--toolset", "shop").code == 0
