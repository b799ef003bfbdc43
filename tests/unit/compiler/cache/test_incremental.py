"""Incremental builds equal cold ones, whatever is edited, reverted, renamed, touched or damaged in between."""

from __future__ import annotations

import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from toolgen.authoring.lint import view
from toolgen.authoring.lint.lint import lint
from toolgen.compiler import ahead
from toolgen.compiler.build import build_target, derive
from toolgen.compiler.cache import toolsets
from toolgen.compiler.compile import compile_specs, generate, read_files
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.cache import FOLDER, Cache, open_cache
from toolgen.compiler.project.config import load_config
from toolgen.compiler.publish.tree import Tree
from toolgen.spec.derived import DERIVED, INDEX_FILE, STUBS_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from random import Random

    from toolgen.compiler.diagnostics import Diagnostic
    from toolgen.compiler.ir.catalog import Catalog
    from toolgen.compiler.project.config import Target

T = TypeVar("T")

SCHEMAS: Final[tuple[Any, ...]] = (
    {"name": "string", "size?": "integer"},
    {"name": "Money", "more?": ["Money"]},
    {"owner": {"$ref": "shared.yaml#/types/Person"}},
    {"order": {"$ref": "b.yaml#/types/Order"}},
    {"type": "object", "properties": {"limit": {"type": "integer", "default": "ten"}, "units": {"unit": "km"}}},
    {"filter": {"name": "string"}, "a": {"b": {"c": "integer"}}, "args_size": {"width": "integer"}},
    {"when": {"type": "string", "format": "date"}},
    {"thing": "Add", "others": ["AddFilter"]},
    {"from_": {"type": "string", "not": {"pattern": "^-"}, "description": "The first\u200b day."}},
)
"""Args: scalars, types of the own file, of a shared one and of another toolset, ones with warnings, nested classes,
types whose classes could be called like those of tools, and one that providers and reviewers remark on.
"""

TYPES: Final[tuple[Any, ...]] = (
    {"amount": "number"},
    {"amount": "integer", "currency?": "string"},
    {"enum": ["a", "b"]},
    {"$ref": "shared.yaml#/types/Person"},
    {"type": "array", "items": "string"},
    {"args": {"width": "integer"}, "filter": {"args": {"width": "number"}}, "result?": {"args": {"unit": "string"}}},
)
LIKE_TOOLS: Final = {"Add": TYPES[5], "AddFilter": TYPES[5]}
TOOLSETS: Final = ("a", "b", "c")
KEYS: Final = ("add", "add_args", "add_filter", "find", "remove")
FORMS: Final = ("yaml", "commented", "json", "crlf")
"""How files are written: YAML with each tool on lines of its own, also with comments or other line ends, or as JSON."""

SPELLINGS: Final = (
    *("{0}:", '"{0}":', "'{0}':", "{0} :", "? {0}\n:", "? '{0}'\n:", "!!str {0}:", "&key {0}:"),
    *('"\\x{1:02x}{2}":', "{0}:  # Noted.\n ", "---\n{0}:", "\ufeff{0}:", "{0}: &here"),
)
"""How an outermost key of a file is written, by the key, its first character, and the others."""

OUTERMOST: Final = ("toolgen", "toolset", "types", "methods", "tags", "tools", "imported")
METHODS: Final[tuple[Any, ...]] = (
    {"payload": {"name": "string", "size?": "integer"}, "result": {"name": "string"}},
    {"payload": {"name": "Money"}, "result": "Money"},
    {"$ref": "b.yaml#/methods/Find"},
)

OTHERS: Final[dict[str, Any]] = {
    "agent": {"toolgen": 1, "agent": "helper", "description": "Helps.", "use": ["a", "b.find"]},
    "policy": {"toolgen": 1, "policy": "strict", "rules": {"*+billing": "ask"}},
}
CONFIGURATIONS: Final = ("", 'formats = "typed"', 'profile = "core"', 'builtin = ["internal"]', 'export = ["openai"]')


class Project(RuleBasedStateMachine):
    """One project that is edited and built; after each step a cold build of the same specs is compared."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(mkdtemp(prefix="toolgen-incremental-"))
        self.earlier: list[dict[str, str]] = []
        self.good: dict[str, bytes] = {}
        self.form = FORMS[0]
        self.spelling: dict[str, str] = {}
        self.processes = 1

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @initialize()
    def begin(self) -> None:
        self.write("shared.yaml", {"toolgen": 1, "tags": {"billing": "Costs money."}, "types": {"Person": TYPES[0]}})
        for name in TOOLSETS:
            tools = {key: {"description": "Does it.", "args": SCHEMAS[0]} for key in KEYS[:2]}
            types = {
                "Money": TYPES[0],
                "Add": TYPES[5],
                "AddFilter": TYPES[5],
                **({"Order": TYPES[1]} if name == "b" else {}),
            }
            head = {"toolgen": 1, "toolset": name, "types": types}
            self.write(f"{name}.yaml", {**head, "tools": tools, "imported": {"add": "a1"}})
        self.configure(0)

    @rule(name=st.sampled_from(TOOLSETS), key=st.sampled_from(KEYS), args=st.sampled_from(SCHEMAS), tag=st.booleans())
    def change_tool(self, name: str, key: str, args: Any, tag: bool) -> None:
        spec = self.read(f"{name}.yaml")
        if spec is not None and "tools" in spec:
            spec["tools"][key] = {"description": "Changed.", "args": args, "tags": ["billing"] if tag else []}
            self.write(f"{name}.yaml", spec)

    @rule(name=st.sampled_from(TOOLSETS), key=st.sampled_from(KEYS), new=st.sampled_from(KEYS))
    def rename_or_remove_tool(self, name: str, key: str, new: str) -> None:
        spec = self.read(f"{name}.yaml")
        if spec is not None and key in spec.get("tools", ()):
            tool = spec["tools"].pop(key)
            spec["tools"] |= {new: tool} if new != key else {}
            self.write(f"{name}.yaml", spec)

    @rule(name=st.sampled_from(TOOLSETS), form=st.sampled_from(FORMS))
    def change_form(self, name: str, form: str) -> None:
        self.form = form
        spec = self.read(f"{name}.yaml")
        if spec is not None:
            self.write(f"{name}.yaml", spec)

    @rule(name=st.sampled_from(TOOLSETS), key=st.sampled_from(OUTERMOST), spelling=st.sampled_from(SPELLINGS))
    def spell_a_key(self, name: str, key: str, spelling: str) -> None:
        spec = self.read(f"{name}.yaml")
        self.spelling = {key: spelling}
        if spec is not None:
            self.write(f"{name}.yaml", spec)

    @rule(
        name=st.sampled_from(TOOLSETS),
        key=st.sampled_from(KEYS),
        method=st.none() | st.sampled_from(METHODS),
        spelling=st.sampled_from(SPELLINGS),
    )
    def bind_tool(self, name: str, key: str, method: Any, spelling: str) -> None:
        spec = self.read(f"{name}.yaml")
        if spec is not None and key in spec.get("tools", ()):
            spec["tools"][key].pop("bind", None)
            spec["tools"][key] |= {} if method is None else {"bind": "Find"}
            spec.pop("methods", None)
            self.spelling = {"methods": spelling}
            self.write(f"{name}.yaml", ({} if method is None else {"methods": {"Find": method}}) | spec)

    @rule(name=st.sampled_from(TOOLSETS), key=st.sampled_from(KEYS), is_own=st.booleans())
    def import_tool(self, name: str, key: str, is_own: bool) -> None:
        spec = self.read(f"{name}.yaml")
        if spec is not None and key in spec.get("tools", ()):
            spec["tools"][key].pop("imported", None)
            spec["tools"][key] |= {} if is_own else {"imported": "0a"}
            spec["imported"] = {**spec.get("imported", {}), key: f"b{len(spec['tools'])}"}
            self.write(f"{name}.yaml", spec)

    @rule(name=st.sampled_from(TOOLSETS), damage=st.sampled_from(("'", "{", "  x: &a 1\n", "tools:\n  y: {}\n")))
    def write_nonsense(self, name: str, damage: str) -> None:
        place = self.folder / "specs" / f"{name}.yaml"
        if place.exists() and (text := place.read_text("utf-8")):
            at = text.find("\n", len(text) // 2) + 1
            place.write_text(f"{text[:at]}{damage}{text[at:]}", encoding="utf-8")

    @rule(name=st.sampled_from(TOOLSETS), key=st.sampled_from(KEYS))
    def misspell_a_key(self, name: str, key: str) -> None:
        spec = self.read(f"{name}.yaml")
        if spec is not None and key in spec.get("tools", ()):
            spec["tools"][key]["permision"] = "write"
            self.write(f"{name}.yaml", spec)

    @rule(
        name=st.sampled_from(("shared", *TOOLSETS)),
        type_=st.sampled_from(("Person", "Money", "Order", "Add", "AddFilter")),
        schema=st.none() | st.sampled_from(TYPES),
    )
    def change_type(self, name: str, type_: str, schema: Any) -> None:
        spec = self.read(f"{name}.yaml")
        if spec is not None:
            kept = {name: each for name, each in spec["types"].items() if name != type_}
            spec["types"] = kept | ({} if schema is None else {type_: schema})
            self.write(f"{name}.yaml", spec)

    @rule(where=st.sampled_from(("shared", "c")), is_declared=st.booleans())
    def change_tags(self, where: str, is_declared: bool) -> None:
        spec = self.read(f"{where}.yaml")
        if spec is not None:
            spec["tags"] = {"billing": "Costs."} if is_declared else {}
            self.write(f"{where}.yaml", spec)

    @rule(name=st.sampled_from(sorted(OTHERS)), is_there=st.booleans())
    def add_or_remove_other_file(self, name: str, is_there: bool) -> None:
        if is_there:
            self.write(f"{name}.yaml", OTHERS[name])
        else:
            (self.folder / "specs" / f"{name}.yaml").unlink(missing_ok=True)

    @rule(name=st.sampled_from((*TOOLSETS, "shared")), new=st.sampled_from(("moved.yaml", "sub/c.yaml", "a.yaml")))
    def rename_file(self, name: str, new: str) -> None:
        place = self.folder / "specs" / f"{name}.yaml"
        if place.exists():
            (self.folder / "specs" / new).parent.mkdir(exist_ok=True)
            place.replace(self.folder / "specs" / new)

    @rule(name=st.sampled_from(TOOLSETS))
    def delete_file(self, name: str) -> None:
        (self.folder / "specs" / f"{name}.yaml").unlink(missing_ok=True)

    @rule(number=st.integers(0, len(CONFIGURATIONS) - 1))
    def configure(self, number: int) -> None:
        (self.folder / "toolgen.toml").write_text(f"[[targets]]\n{CONFIGURATIONS[number]}\n", encoding="utf-8")

    @precondition(lambda self: self.earlier)
    @rule(data=st.data())
    def revert(self, data: st.DataObject) -> None:
        self.revert_to(data.draw(st.integers(0, len(self.earlier) - 1)))

    def revert_to(self, number: int) -> None:
        shutil.rmtree(self.folder / "specs")
        for path, text in self.earlier[number].items():
            (self.folder / "specs" / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / "specs" / path).write_text(text, encoding="utf-8")

    @rule(number=st.sampled_from((1, 2, 5)))
    def compile_in_processes(self, number: int) -> None:
        self.processes = number

    @rule(seconds=st.sampled_from((0, 1_000_000_000, 4_000_000_000)))
    def turn_the_clock(self, seconds: int) -> None:
        for path in [*(self.folder / "specs").rglob("*"), *self.entries()]:
            os.utime(path, (seconds, seconds))

    @rule(data=st.data(), damage=st.sampled_from(("truncated", "changed", "swapped", "empty", "folder")))
    def damage_the_cache(self, data: st.DataObject, damage: str) -> None:
        if not (entries := self.entries()):
            return
        place = data.draw(st.sampled_from(entries))
        content = place.read_bytes()
        if damage == "swapped":
            other = data.draw(st.sampled_from(entries))
            content = other.read_bytes()
        elif damage == "folder":
            place.unlink()
            place.mkdir()
            return
        elif damage == "changed":
            content = content.replace(b"Does it.", b"Does harm.").replace(b"Changed.", b"Harmed.") or b"x"
        place.write_bytes({"truncated": content[: len(content) // 2], "empty": b""}.get(damage, content))

    @rule()
    def two_builds_at_once(self) -> None:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda _: self.build(), range(2)))

    @invariant()
    def an_incremental_build_equals_a_cold_one(self) -> None:
        if not (self.folder / "toolgen.toml").exists():
            return
        found, package = self.build()
        config = load_config(self.folder)
        sink = Diagnostics()
        compiled = compile_specs(self.folder, config.targets[0], sink)
        assert found in (None, list(sink))
        if not sink.has_errors:
            self.good = generate(compiled.catalog, export=config.targets[0].export)
            self.lint_equals_a_cold_one()
        assert package == self.good
        assert self.derived() == self.derived_anew()
        self.earlier.append(self.texts())

    def lint_equals_a_cold_one(self) -> None:
        config = load_config(self.folder)
        files = {target: read_files(self.folder, target, Diagnostics()) for target in config.targets}
        cold, cache = lint(config, files), open_cache(self.folder)
        for _ in range(2):
            kept = lint(config, files, cache=cache)
            assert (kept.findings, kept.fixes, kept.errors) == (cold.findings, cold.fixes, [])
        assert cache.hits["lint"] >= cache.misses["lint"], "what one run has found, the next one does not ask again"

    def build(self) -> tuple[list[Any] | None, dict[str, bytes]]:
        """Return the findings of a build, None if nothing was to do, and the package that it leaves."""
        config = load_config(self.folder)
        sink = Diagnostics()
        built = build_target(config, config.targets[0], sink, processes=self.processes)
        out = self.folder / "generated"
        files = (path for path in out.rglob("*") if path.is_file() and path.parent.name != "_derived")
        package = {path.relative_to(out).as_posix(): path.read_bytes() for path in files}
        package.pop("toolgen.lock", None)
        return None if built.cache is None else list(sink), package

    def derived(self) -> dict[str, bytes]:
        folder = self.folder / "generated" / DERIVED
        return {name: (folder / name).read_bytes() for name in (INDEX_FILE, STUBS_FILE) if self.good}

    def derived_anew(self) -> dict[str, bytes]:
        """Return the derived data that is made of the same package without a cache."""
        tree = Tree(self.folder, "generated")
        for name in self.derived():
            (self.folder / "generated" / DERIVED / name).unlink()
        if self.good:
            derive(tree, Cache(), "")
        return self.derived()

    def entries(self) -> list[Path]:
        return sorted(path for path in (self.folder / FOLDER).glob("*-*") if path.is_file())

    def texts(self) -> dict[str, str]:
        specs = self.folder / "specs"
        return {path.relative_to(specs).as_posix(): path.read_text("utf-8") for path in specs.rglob("*.yaml")}

    def read(self, name: str) -> Any:
        place = self.folder / "specs" / name
        try:
            return yaml.safe_load(place.read_text("utf-8")) if place.exists() else None
        except yaml.YAMLError:
            return None

    def write(self, name: str, spec: Any) -> None:
        (self.folder / "specs").mkdir(exist_ok=True)
        text = json.dumps(spec)
        if self.form != "json":
            text = yaml.safe_dump(json.loads(text), sort_keys=False)  # without anchors for equal parts
            text = "".join(map(self.spelled, text.splitlines(keepends=True)))
        if self.form == "commented":
            text = re.sub(r"^  (?=\w+:$)", "\n# The next one.\n  ", text, flags=re.MULTILINE)
        if self.form == "crlf":
            text = text.replace("\n", "\r\n")
        (self.folder / "specs" / name).write_bytes(text.encode())

    def spelled(self, line: str) -> str:
        key, colon, rest = line.partition(":")
        form = self.spelling.get(key) if colon else None
        return line if form is None else f"{form.format(key, ord(key[0]), key[1:])}{rest}"


def run(examples: int, steps: int) -> None:
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    chosen = settings(max_examples=examples, stateful_step_count=steps, deadline=None, suppress_health_check=checks)
    run_state_machine_as_test(Project, settings=chosen)


def two_of_three(parts: Sequence[Callable[[], T]]) -> list[T | None]:
    """Run parts as forked processes would, of which each third one fails: a test has threads, whose locks stay held."""
    return [None if number % 3 == 2 else part() for number, part in enumerate(parts)]


@pytest.fixture(autouse=True)
def own_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(toolsets, "_SMALL", 1)  # so that files of two tools are divided
    monkeypatch.setattr(toolsets, "_TOGETHER", 2)
    monkeypatch.setattr(view, "_TOGETHER", 2)
    monkeypatch.setattr(ahead, "SHARE", 1)
    monkeypatch.setattr(ahead, "run_forked", two_of_three)


@pytest.fixture(params=[1, pytest.param(5, marks=pytest.mark.long)])
def project(request: pytest.FixtureRequest) -> Iterator[Project]:
    made = Project()
    made.processes = request.param
    made.begin()
    made.an_incremental_build_equals_a_cold_one()
    yield made
    made.teardown()


def edit_types_of_another_toolset(project: Project) -> None:
    project.change_tool("a", "add", SCHEMAS[3], tag=False)
    project.an_incremental_build_equals_a_cold_one()
    project.change_type("b", "Order", TYPES[0])


def edit_a_shared_type(project: Project) -> None:
    project.change_tool("a", "add", SCHEMAS[2], tag=False)
    project.an_incremental_build_equals_a_cold_one()
    project.change_type("shared", "Person", TYPES[1])


def edit_a_type_behind_another_files_type(project: Project) -> None:
    project.change_tool("a", "add", SCHEMAS[3], tag=False)
    project.change_type("b", "Order", TYPES[3])
    project.an_incremental_build_equals_a_cold_one()
    project.change_type("shared", "Person", TYPES[1])


def name_a_shared_type_like_a_nested_class(project: Project) -> None:
    project.change_tool("a", "add", SCHEMAS[5], tag=False)
    project.an_incremental_build_equals_a_cold_one()
    project.change_type("shared", "AddArgsFilter", TYPES[0])


def remove_a_tag_that_is_used(project: Project) -> None:
    project.change_tool("a", "add", SCHEMAS[0], tag=True)
    project.change_tags("c", is_declared=True)
    project.change_tags("shared", is_declared=False)
    project.an_incremental_build_equals_a_cold_one()
    project.change_tags("c", is_declared=False)


def change_what_formats_mean(project: Project) -> None:
    project.change_tool("a", "add", SCHEMAS[6], tag=False)
    project.an_incremental_build_equals_a_cold_one()
    project.configure(1)


def show_warnings_again_after_another_file_changed(project: Project) -> None:
    project.change_tool("a", "add", SCHEMAS[4], tag=False)
    project.an_incremental_build_equals_a_cold_one()
    project.change_tool("b", "add", SCHEMAS[5], tag=False)


def move_a_file(project: Project) -> None:
    project.rename_file("b", "moved.yaml")


def write_tools(project: Project, name: str, tools: dict[str, Any], **head: Any) -> None:
    described = {key: {"description": "Does it.", **tool} for key, tool in tools.items()}
    project.write(f"{name}.yaml", {"toolgen": 1, "toolset": name, **head, "tools": described})


def add_a_tool_that_could_have_the_name_of_a_nested_class(project: Project) -> None:
    write_tools(project, "a", {"find": {}, "add": {"args": SCHEMAS[5]}})
    project.an_incremental_build_equals_a_cold_one()
    write_tools(project, "a", {"find": {}, "add": {"args": SCHEMAS[5]}, "add_args": {}})


def add_a_tool_that_is_called_like_a_class_of_a_type(project: Project) -> None:
    tools = {"find": {"args": {"thing": "Add"}}, "remove": {"args": {"thing": "AddFilter"}}}
    write_tools(project, "a", tools, types=LIKE_TOOLS)
    project.an_incremental_build_equals_a_cold_one()
    write_tools(project, "a", {**tools, "add": {}, "add_filter": {}}, types=LIKE_TOOLS)


def remove_a_tool_that_is_called_like_a_class_of_a_type(project: Project) -> None:
    tools = {key: {"args": {"thing": "Add"}} for key in ("get", "list")}  # each begins a piece
    write_tools(project, "a", {"add": {}, **tools}, types={"Add": TYPES[5]})
    project.an_incremental_build_equals_a_cold_one()
    write_tools(project, "a", tools, types={"Add": TYPES[5]})


def add_a_tool_that_is_called_like_a_class_of_server_data(project: Project) -> None:
    data = {"server_data": {"state": {"args": {"width": "integer"}}}}
    write_tools(project, "a", {"find": data, "remove": {}})
    project.an_incremental_build_equals_a_cold_one()
    write_tools(project, "a", {"find": data, "remove": {}, "find_state_data": {}})


def move_a_tool_with_a_warning(project: Project) -> None:
    write_tools(project, "a", {"find": {}, "add_args": {"args": SCHEMAS[4]}})  # which begins a piece
    project.an_incremental_build_equals_a_cold_one()
    write_tools(project, "a", {"find": {"args": SCHEMAS[5]}, "add_args": {"args": SCHEMAS[4]}})


def use_a_type_of_another_file_like_a_nested_class(project: Project) -> None:
    write_tools(project, "b", {"get": {}}, types={"FindArgsFilter": {"amount": "number"}})
    foreign = {"args": {"filter": {"$ref": "b.yaml#/types/FindArgsFilter"}}}
    write_tools(project, "a", {"add": {}, "find": {"args": SCHEMAS[5]}})
    project.an_incremental_build_equals_a_cold_one()
    write_tools(project, "a", {"add": foreign, "find": {"args": SCHEMAS[5]}})
    project.an_incremental_build_equals_a_cold_one()
    write_tools(project, "a", {"find": {"args": SCHEMAS[5]}, "add": foreign})


def nest_a_type_too_deep_after_it_was_used(project: Project) -> None:
    deep: Any = {"$ref": "#/types/Deep"}
    inner: Any = "integer"
    for _ in range(30):
        deep, inner = {"x": [deep]}, {"y": [inner]}
    write_tools(project, "a", {"add": {"args": {"deep": "Deep"}}, "find": {}}, types={"Deep": inner})
    project.an_incremental_build_equals_a_cold_one()
    write_tools(
        project, "a", {"find": {"args": {"deep": deep}}, "add": {"args": {"deep": "Deep"}}}, types={"Deep": inner}
    )


def misspell_a_key_where_nothing_of_the_file_is_known(project: Project) -> None:
    project.misspell_a_key("b", "add")
    project.configure(1)
    project.an_incremental_build_equals_a_cold_one()


def misspell_a_key_in_a_file_that_another_refers_to(project: Project) -> None:
    project.change_tool("a", "add", SCHEMAS[3], tag=False)
    project.an_incremental_build_equals_a_cold_one()
    project.misspell_a_key("b", "add")
    project.an_incremental_build_equals_a_cold_one()


def lint_a_misspelt_key(project: Project) -> None:
    project.misspell_a_key("b", "add")
    config = load_config(project.folder)
    files = {target: read_files(project.folder, target, Diagnostics()) for target in config.targets}
    lint(config, files, cache=open_cache(project.folder))


@pytest.mark.slow
@pytest.mark.parametrize(
    "edit",
    [
        add_a_tool_that_could_have_the_name_of_a_nested_class,
        add_a_tool_that_is_called_like_a_class_of_a_type,
        remove_a_tool_that_is_called_like_a_class_of_a_type,
        add_a_tool_that_is_called_like_a_class_of_server_data,
        move_a_tool_with_a_warning,
        use_a_type_of_another_file_like_a_nested_class,
        nest_a_type_too_deep_after_it_was_used,
        edit_types_of_another_toolset,
        edit_a_shared_type,
        edit_a_type_behind_another_files_type,
        name_a_shared_type_like_a_nested_class,
        remove_a_tag_that_is_used,
        change_what_formats_mean,
        show_warnings_again_after_another_file_changed,
        move_a_file,
        misspell_a_key_where_nothing_of_the_file_is_known,
        misspell_a_key_in_a_file_that_another_refers_to,
        lint_a_misspelt_key,
    ],
    ids=lambda edit: edit.__name__,
)
@pytest.mark.variants(5)
def test_an_edit_reaches_every_toolset_that_depends_on_it(project: Project, edit: Callable[[Project], None]) -> None:
    edit(project)
    before = project.good
    project.an_incremental_build_equals_a_cold_one()
    project.revert_to(0)
    project.an_incremental_build_equals_a_cold_one()

    assert before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "tools"),
    [
        ("TG302", {"add": {}, "find_it": {}, "findIt": {}}),
        (
            "TG302",
            {
                "add": {"args": {"order": {"$ref": "b.yaml#/types/Order"}}},
                "find": {"args": {"order": {"$ref": "c.yaml#/types/Order"}}},
            },
        ),
        ("TG302", {"find": {}, "add": {"args": {"order": {"$ref": "c.yaml#/types/FindArgs"}}}}),
        ("TG405", {"add": {}, "find": {"tags": ["unknown"]}}),
    ],
    ids=["names of two tools", "types of two files", "a type and a tool", "one tool"],
)
def test_errors_are_those_of_the_whole_file_each_time(project: Project, code: str, tools: dict[str, Any]) -> None:
    write_tools(project, "c", {"get": {}}, types={"Order": TYPES[1], "FindArgs": TYPES[1]})
    write_tools(project, "a", dict(list(tools.items())[:-1]))
    project.an_incremental_build_equals_a_cold_one()
    entries = project.entries()
    write_tools(project, "a", tools)
    first, _ = project.build()
    project.an_incremental_build_equals_a_cold_one()

    assert first is not None
    assert [each.code for each in first] == [code]
    assert project.entries() == entries or project.processes > 1, "other pieces are kept by then"


HEADS: Final[dict[str, Any]] = {
    "toolgen": 1,
    "toolset": "a",
    "types": {"Money": TYPES[0]},
    "tags": {"billing": "Costs money."},
    "methods": {"Find": METHODS[0]},
}
NEARLY_KEYS: Final = ('description: "a\nmethods: b"\n', "description: |\n  methods: b\n", "# methods: b\n", "\n")


def text_of_a_file(heads: Iterable[str] = HEADS, *, is_bound: bool = True, between: tuple[int, str] = (0, "")) -> str:
    """Return a toolset file with plain keys, and a text between two of them."""
    bound = {"bind": "Find"} if is_bound else {}
    tool = {"description": "Does it.", "args": SCHEMAS[0], "result": {"name": "string"}, "tags": ["billing"], **bound}
    spec = {**{key: HEADS[key] for key in heads}, "tools": dict.fromkeys(KEYS[:4], tool), "imported": {"add": "a1"}}
    # through JSON, without anchors for equal parts
    parts = [yaml.safe_dump({key: json.loads(json.dumps(value))}, sort_keys=False) for key, value in spec.items()]
    at, text = between
    return "".join((*parts[:at], text, *parts[at:]))


def respelled(text: str, key: str, spelling: str, indent: str = "") -> str:
    """Return a file where a key is written in another way."""
    form = spelling.format(key, ord(key[0]), key[1:])
    return re.sub(rf"^{indent}{key}:", lambda _: f"{indent}{form}", text, flags=re.MULTILINE)


@st.composite
def texts_of_a_file(draw: st.DrawFn) -> str:
    """Draw a toolset file, whose keys are written in any way, and with texts that look like keys between them."""
    heads = draw(st.permutations([*HEADS]))
    if draw(st.booleans()):
        heads.remove("methods")
    between = draw(st.tuples(st.integers(0, len(heads)), st.sampled_from(("", "", *NEARLY_KEYS))))
    text = text_of_a_file(heads, is_bound=draw(st.booleans()), between=between)
    for key in draw(st.lists(st.sampled_from(OUTERMOST), max_size=2, unique=True)):
        text = respelled(text, key, draw(st.sampled_from(SPELLINGS)))
    for key in draw(st.lists(st.sampled_from(KEYS), max_size=1)):
        text = respelled(text, key, draw(st.sampled_from(SPELLINGS[:4])), indent="  ")
    return text.replace("\n", draw(st.sampled_from(("\n", "\n", "\n", "\r\n", "\r"))))


@given(texts_of_a_file())
def test_a_file_compiles_to_the_same_in_pieces_however_it_is_written(text: str) -> None:
    compiles_to_the_same_in_pieces(text)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_file_compiles_to_the_same_in_pieces_in_each_spelling_of_each_key(spelling: str) -> None:
    for key in OUTERMOST:
        compiles_to_the_same_in_pieces(respelled(text_of_a_file(), key, spelling))


NAMES: Final = ("Outer", "OuterX", "OuterFilter", "OuterXFilter", "Filter")
CONTENTS: Final[tuple[Any, ...]] = (
    {"a": "integer"},
    {"filter": {"a": "integer"}},
    {"x": {"filter": {"a": "integer"}}},
    {"x_filter": {"a": "integer"}},
)
NAMED: Final = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(CONTENTS), min_size=1, max_size=3)


@settings(deadline=None)
@given(own=NAMED, others=NAMED, order=st.randoms(use_true_random=False))
def test_types_of_equal_content_are_the_same_in_pieces_wherever_they_come_from(
    own: dict[str, Any], others: dict[str, Any], order: Random
) -> None:
    used: list[Any] = [*own, *({"$ref": f"b.yaml#/types/{name}"} for name in others)]
    order.shuffle(used)
    keys = ("add", "find", "get", "list", "remove", "show")
    tools = {key: {"description": "Does it.", "args": {"it": each}} for key, each in zip(keys, used, strict=False)}
    specs = {"a": {"types": own, "tools": tools}, "b": {"types": others, "tools": {}}}
    whole = ({"toolgen": 1, "toolset": name, **each} for name, each in specs.items())
    a, b = (yaml.safe_dump(json.loads(json.dumps(each)), sort_keys=False) for each in whole)  # without anchors
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(toolsets, "_groups", lambda keys: [(key,) for key in keys])
        compiles_to_the_same_in_pieces(a, b=b)


def compiles_to_the_same_in_pieces(text: str, **others: str) -> None:
    with TemporaryDirectory() as name:
        root = Path(name)
        (root / "specs").mkdir()
        for key, each in {"a": text, **others}.items():
            (root / "specs" / f"{key}.yaml").write_bytes(each.encode())
        (root / "toolgen.toml").write_text("", encoding="utf-8")
        target = load_config(root).targets[0]
        expected, *found = (compiled(root, target, cache) for cache in (None, open_cache(root), open_cache(root)))

    assert found == [expected, expected]


def compiled(root: Path, target: Target, cache: Cache | None) -> tuple[Catalog | None, list[Diagnostic]]:
    sink = Diagnostics()
    catalog = compile_specs(root, target, sink, cache=cache).catalog
    return None if sink.has_errors else catalog, list(sink)


def test_a_toolset_that_does_not_depend_on_an_edit_is_not_compiled(project: Project) -> None:
    project.change_tool("b", "add", SCHEMAS[1], tag=False)
    config = load_config(project.folder)
    built = build_target(config, config.targets[0], Diagnostics(), processes=project.processes)

    assert built.cache is not None
    assert (built.cache.hits["toolset"], built.cache.misses["toolset"]) == (8, 1)  # heads, and a piece for each tool
    assert (built.cache.hits["output"], built.cache.misses["output"]) == (7, 2)  # that tool, and the package of `b`


def test_warnings_of_a_toolset_that_is_not_compiled_are_shown_again(project: Project) -> None:
    project.change_tool("a", "add", SCHEMAS[4], tag=False)
    project.build()
    project.change_tool("b", "add", SCHEMAS[1], tag=False)
    found, _ = project.build()

    assert found is not None
    assert [each.code for each in found] == ["TG208", "TG203"]


@pytest.mark.slow
def test_incremental_builds_equal_cold_ones() -> None:
    run(examples=4, steps=10)


@pytest.mark.long
def test_many_incremental_builds_equal_cold_ones() -> None:
    run(examples=50, steps=30)
