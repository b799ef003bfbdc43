"""Configuration: its defaults, its two locations, and all errors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from toolgen.compiler.project.config import Config, ConfigError, ModelSettings, Target, load_config
from toolgen.providers.table import PROVIDERS

if TYPE_CHECKING:
    from pathlib import Path

NAMES = list(PROVIDERS)


def problems(folder: Path) -> list[str]:
    """Load a wrong configuration; return its problems as `code file:line:column message (fix)`."""
    with pytest.raises(ConfigError) as caught:
        load_config(folder)
    assert str(caught.value) == "\n".join(f"{each.span.file}: {each.message}" for each in caught.value.diagnostics)
    return [
        f"{each.code} {each.span} {each.message}" + (f" ({each.fix})" if each.fix else "")
        for each in caught.value.diagnostics
    ]


def problem(folder: Path, text: str) -> str:
    """Return the one problem of a `toolgen.toml` with this text."""
    (folder / "toolgen.toml").write_text(text)
    (found,) = problems(folder)
    return found


def test_without_a_file_the_defaults_apply(tmp_path: Path) -> None:
    assert load_config(tmp_path) == Config(root=tmp_path, targets=(Target(specs="specs", out="generated"),))


def test_both_files_support_the_same_settings(tmp_path: Path) -> None:
    settings = """
        targets = [
          {specs = "specs/shop", out = "shop_tools"},
          {specs = "./specs/bot/", out = "src//bot_tools", formats = "typed", profile = "core", builtin = ["code"]},
        ]
        executors = {"shop.orders" = "app:orders", "bot" = "bot.handlers:Handlers.bot"}
    """
    (tmp_path / "own").mkdir()
    (tmp_path / "own/toolgen.toml").write_text(settings)
    (tmp_path / "project").mkdir()
    (tmp_path / "project/pyproject.toml").write_text(f'[project]\nname = "x"\n[tool.toolgen]\n{settings}')

    own, project = load_config(tmp_path / "own"), load_config(tmp_path / "project")

    assert (
        own.targets
        == project.targets
        == (
            Target("specs/shop", "shop_tools"),
            Target("specs/bot", "src/bot_tools", formats="typed", profile="core", builtin=("code",)),
        )
    )
    assert (
        own.executors
        == project.executors
        == {
            "shop.orders": "app:orders",
            "bot": "bot.handlers:Handlers.bot",
        }
    )


def test_targets_can_be_written_in_either_table_syntax(tmp_path: Path) -> None:
    (tmp_path / "toolgen.toml").write_text('[[targets]]\nout = "a"\n[[targets]]\nout = "b"\n')

    assert load_config(tmp_path).targets == (Target(out="a"), Target(out="b"))


def test_the_order_of_built_in_toolsets_has_no_effect(tmp_path: Path) -> None:
    (tmp_path / "toolgen.toml").write_text('targets = [{builtin = ["internal", "agent", "internal"]}]\n')

    assert load_config(tmp_path).targets == (Target(builtin=("agent", "internal")),)


def test_files_without_toolgen_settings_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "toolgen.toml").write_text("# nothing yet\n")
    (tmp_path / "pyproject.toml").write_text('[tool.toolgen]\ntargets = [{out = "here"}]\n')

    assert load_config(tmp_path).targets == (Target(out="here"),)


def test_a_relative_folder_gives_an_absolute_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert load_config(type(tmp_path)(".")).root == tmp_path


def test_two_configurations_are_refused_with_both_names(tmp_path: Path) -> None:
    (tmp_path / "toolgen.toml").write_text('targets = [{out = "a"}]\n')
    (tmp_path / "pyproject.toml").write_text('[tool.toolgen]\ntargets = [{out = "b"}]\n')

    assert problems(tmp_path) == [
        "TG703 toolgen.toml:1:1 both toolgen.toml and `[tool.toolgen]` of pyproject.toml configure toolgen"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('targets = [\n  {out = "a",, }\n]', "TG702 toolgen.toml:2:14 "),
        ("executors = {", "TG702 toolgen.toml:1:14 "),
        ('builtin = ["actions",\n\n', "TG702 toolgen.toml:1:22 "),
        ("a = 1\na = 2\n", "TG702 toolgen.toml:2:6 "),
        ("\na." + "a." * 50 + "b = 1\n", "TG702 toolgen.toml:2:1 A key has more than 50 parts"),
        ("a = " + "[" * 5_000, "TG702 toolgen.toml:1:1 values are nested too deeply"),
    ],
)
def test_broken_toml_is_reported_with_its_location(tmp_path: Path, text: str, expected: str) -> None:
    assert problem(tmp_path, text).startswith(expected)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "toolgen.toml").write_bytes(b'a = "\xff"')

    assert problems(tmp_path) == ["TG701 toolgen.toml:1:1 the file is not UTF-8 text: invalid start byte at byte 5"]


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "toolgen.toml").write_text('\ufefftargets = [{out = "here"}]\n', encoding="utf-8")

    assert load_config(tmp_path) == Config(tmp_path, (Target(out="here"),), file="toolgen.toml")


def test_a_file_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").mkdir()

    assert problems(tmp_path) == [
        "TG701 pyproject.toml:1:1 the file cannot be read: it is a folder, not a regular file"
    ]


def test_a_section_that_is_not_a_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool]\ntoolgen = 3\n")

    assert problems(tmp_path) == ["TG705 pyproject.toml:2:1 `tool.toolgen` must be a table, not an integer"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("target = []", "TG704 toolgen.toml:1:1 unknown key `target` (did you mean `targets`?)"),
        (
            'targets = [{output = "a"}]',
            "TG704 toolgen.toml:1:13 unknown key `targets[0].output` (did you mean `out`?)",
        ),
        ("zzz = 1", "TG704 toolgen.toml:1:1 unknown key `zzz`"),
        ("targets = 3", "TG705 toolgen.toml:1:1 `targets` must be an array of tables, not an integer"),
        ("targets = []", "TG705 toolgen.toml:1:1 `targets` must be an array of tables, not an empty array"),
        ("targets = [1979-05-27]", "TG705 toolgen.toml:1:1 `targets[0]` must be a table, not a date or time"),
        ("targets = [{out = true}]", "TG705 toolgen.toml:1:13 `targets[0].out` must be a string, not a boolean"),
        ("targets = [{specs = [1]}]", "TG705 toolgen.toml:1:13 `targets[0].specs` must be a string, not an array"),
        (
            'targets = [{formats = "asert"}]',
            (
                "TG705 toolgen.toml:1:13 `targets[0].formats` must be 'annotate' or 'assert' or 'typed', not 'asert' "
                "(did you mean `assert`?)"
            ),
        ),
        (
            "targets = [{profile = 1.5}]",
            "TG705 toolgen.toml:1:13 `targets[0].profile` must be 'full' or 'core', not a number",
        ),
        (
            'targets = [{export = ["open-ai"]}]',
            (
                f"TG705 toolgen.toml:1:13 `targets[0].export` is a list of {', '.join(map(repr, NAMES[:-1]))} or "
                f"{NAMES[-1]!r}, not 'open-ai' (did you mean `openai`?)"
            ),
        ),
        (
            'targets = [{builtin = "code"}]',
            (
                "TG705 toolgen.toml:1:13 `targets[0].builtin` must be an array of toolsets, not a string "
                '(write `["code"]`)'
            ),
        ),
        (
            "targets = [{builtin = {}}]",
            "TG705 toolgen.toml:1:13 `targets[0].builtin` must be an array of toolsets, not a table",
        ),
        (
            'targets = [{builtin = ["codes", "agent"]}]',
            (
                "TG705 toolgen.toml:1:13 `targets[0].builtin` is a list of 'actions', 'agent', 'code' or 'internal', "
                "not 'codes' (did you mean `code`?)"
            ),
        ),
        (
            "targets = [{builtin = [[]]}]",
            (
                "TG705 toolgen.toml:1:13 `targets[0].builtin` is a list of 'actions', 'agent', 'code' or 'internal', "
                "not an array"
            ),
        ),
        (
            "executors = 1",
            "TG705 toolgen.toml:1:1 `executors` must be a table of toolset to `module:name`, not an integer",
        ),
        (
            'executors = {"shop" = "app.orders"}',
            "TG705 toolgen.toml:1:15 `executors.shop` must be a string `module:name`, not 'app.orders'",
        ),
        (
            'executors = {shop.orders = "app:orders"}',
            (
                "TG705 toolgen.toml:1:14 `executors.shop` must be a string `module:name`, not a table "
                '(write `"shop.…" = "module:name"`: a dotted key needs quotes)'
            ),
        ),
    ],
)
def test_a_wrong_setting_is_reported_with_its_key(tmp_path: Path, text: str, expected: str) -> None:
    assert problem(tmp_path, text) == expected


@pytest.mark.parametrize("key", ["specs", "out"])
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("/etc", "is absolute"),
        ("C:/x", "is absolute"),
        ("../x", "has a `..`"),
        ("a/../../x", "has a `..`"),
        ("a\\\\b", "has a `\\`; write `/`"),
        ("", "is not the name of a folder"),
        ("a\\u0000b", "is not the name of a folder"),
        (f"a/{'x' * 256}", "has a name of more than 255 bytes, which no file system takes"),
    ],
)
def test_a_folder_outside_the_project_is_refused(tmp_path: Path, key: str, value: str, reason: str) -> None:
    found = problem(tmp_path, f'targets = [{{{key} = "{value}"}}]')

    assert found.startswith(f"TG706 toolgen.toml:1:13 `targets[0].{key}` must be a folder inside the project, and ")
    assert found.endswith(reason)


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("my-tools", "`my-tools` is not one"),
        ("src/class", "`class` is not one"),
        ("src/1st", "`1st` is not one"),
        (".", "the project folder itself cannot be one"),
    ],
)
def test_an_output_that_is_not_a_valid_package_is_refused(tmp_path: Path, out: str, reason: str) -> None:
    assert problem(tmp_path, f'targets = [{{out = "{out}"}}]') == (
        f"TG707 toolgen.toml:1:13 `targets[0].out` must end in the name of a Python package, and {reason}"
    )


@pytest.mark.parametrize("out", ["json", "toolgen"])
def test_a_package_may_not_shadow_a_module(tmp_path: Path, out: str) -> None:
    assert problem(tmp_path, f'targets = [{{out = "{out}"}}]') == (
        f"TG707 toolgen.toml:1:13 `targets[0].out` is `{out}`, and would hide the module of that name (rename it)"
    )


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ('{out = "a"}, {out = "a"}', "`targets[1].out` (a) and `targets[0].out` (a) overlap"),
        ('{out = "a"}, {out = "a/b"}', "`targets[1].out` (a/b) and `targets[0].out` (a) overlap"),
        ('{out = "a/b"}, {out = "A"}', "`targets[1].out` (A) and `targets[0].out` (a/b) overlap"),
        ('{specs = "a", out = "a"}', "`targets[0].out` (a) and `targets[0].specs` (a) overlap"),
        ('{specs = "a/b", out = "a"}', "`targets[0].out` (a) and `targets[0].specs` (a/b) overlap"),
        ('{specs = "a", out = "a/b"}', "`targets[0].out` (a/b) and `targets[0].specs` (a) overlap"),
        ('{specs = ".", out = "a"}', "`targets[0].out` (a) and `targets[0].specs` (.) overlap"),
        ('{out = "a"}, {specs = "a/b", out = "c"}', "`targets[0].out` (a) and `targets[1].specs` (a/b) overlap"),
    ],
)
def test_overlapping_folders_are_refused(tmp_path: Path, targets: str, message: str) -> None:
    assert message in problem(tmp_path, f"targets = [{targets}]")


def test_folders_beside_each_other_do_not_overlap(tmp_path: Path) -> None:
    (tmp_path / "toolgen.toml").write_text('targets = [{out = "tools"}, {out = "tools_2"}, {specs = "a", out = "b/a"}]')

    assert [target.out for target in load_config(tmp_path).targets] == ["tools", "tools_2", "b/a"]


def test_every_problem_is_reported_in_one_run(tmp_path: Path) -> None:
    (tmp_path / "toolgen.toml").write_text(
        'colour = 1\ntargets = [{out = "../x"}, {formats = 3}]\n[executors]\nshop = "nowhere"\n'
    )

    assert [found.split()[0] for found in problems(tmp_path)] == ["TG704", "TG706", "TG705", "TG705"]


def test_models_are_functions_or_tables(tmp_path: Path) -> None:
    (tmp_path / "toolgen.toml").write_text(
        'models.small = "app:ask"\nmodels.large = {ask = "app:models.ask", provider = "anthropic", input_price = 3}\n'
    )
    models = load_config(tmp_path).models
    assert models["small"] == ModelSettings("app:ask")
    assert models["large"] == ModelSettings("app:models.ask", "anthropic", 3.0, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models = 1", "`models` must be a table of name to `module:name`, not an integer"),
        ('models.small = "app"', "`models.small` must name a function, not 'app'"),
        ("models.small = {}", "`models.small` must name a function, not nothing"),
        ('models.search = "app:ask"', "`models.search` has the name of the model that comes with toolgen"),
        ('models.small = {ask = "a:b", provider = "opnai"}', "`models.small.provider` must be a provider, not 'opnai'"),
        ('models.small = {ask = "a:b", input_price = -1}', "`models.small.input_price` must be the price of a million"),
        pytest.param(
            f'models.small = {{ask = "a:b", input_price = {10**400}}}',
            "`models.small.input_price` must be the price of a million",
            id="a price beyond a double",
        ),
        ('models.small = {ask = "a:b", price = 1}', "unknown key `models.small.price`"),
    ],
)
def test_models_that_cannot_be_asked_are_told(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "toolgen.toml").write_text(text)
    with pytest.raises(ConfigError, match=re.escape(message)):
        load_config(tmp_path)
