"""Settings that name what is not in the specs: reported by a build, at the setting, and nothing is published."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolgen.compiler.build import build_target, check_target
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.config import load_config

if TYPE_CHECKING:
    from pathlib import Path

SHOP = """
toolgen: 1
toolset: shop
tools:
  find: {description: Find an order by its number., permission: readonly}
"""
CATALOG = """
toolgen: 1
catalog: menu
categories:
  orders: {description: Orders of this year., needs: region, actions: {find: shop.find}}
"""


def project(folder: Path, settings: str) -> Path:
    (folder / "specs").mkdir(exist_ok=True)
    (folder / "specs" / "shop.yaml").write_text(SHOP)
    (folder / "specs" / "menu.yaml").write_text(CATALOG)
    (folder / "toolgen.toml").write_text(settings)
    return folder


def built(folder: Path) -> tuple[bool, list[str]]:
    """Build every target; return whether all were published, and what was found, with its fix."""
    config = load_config(folder)
    sink = Diagnostics()
    done = [build_target(config, target, sink).published is not None for target in config.targets]
    return all(done), [f"{each.code} {each.span} {each.message} ({each.fix})" for each in sink]


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        (
            'tool_use = {catalog = "menus"}',
            "TG709 toolgen.toml:1:13 there is no action catalog `menus` (did you mean `menu`?)",
        ),
        (
            'action_retrieval = {base = ["shop.fnd"]}',
            ("TG710 toolgen.toml:1:21 `action_retrieval.base` names `shop.fnd`, and there is no such tool"
            " (did you mean `shop.find`?)"),
        ),
        (
            'executors = {shp = "app:shop"}',
            "TG711 toolgen.toml:1:14 `executors` names `shp`, and there is no such toolset (did you mean `shop`?)",
        ),
    ],
)  # fmt: skip
def test_a_name_that_is_not_there_keeps_a_target_from_being_built(settings: str, found: str, tmp_path: Path) -> None:
    assert built(project(tmp_path, settings)) == (False, [found])
    assert built(tmp_path) == (False, [found])  # again: nothing was noted as up to date


def test_a_setting_that_no_condition_looks_at_is_a_warning(tmp_path: Path) -> None:
    done, found = built(project(tmp_path, 'settings = {regoin = "eu"}'))
    assert done
    (warning,) = found
    assert warning.startswith("TG712 toolgen.toml:1:13 no condition of an action catalog looks at the setting `regoin`")
    assert warning.endswith("(did you mean `region`?)")


def test_a_silence_of_a_toolset_that_is_not_there_is_a_warning(tmp_path: Path) -> None:
    settings = 'silence = [{codes = ["TG504"], toolsets = ["shp", "s*", "code"]}]'
    done, found = built(project(tmp_path, settings))
    assert done
    says = "`silence.toolsets` names `shp`, and there is no such toolset (did you mean `shop`?)"
    assert found == [f"TG713 toolgen.toml:1:32 {says}"]


def test_names_that_are_there_are_not_reported(tmp_path: Path) -> None:
    settings = """
        tool_use = {catalog = "menu"}
        action_retrieval = {base = ["shop.find"]}
        executors = {shop = "app:shop"}
        settings = {region = "eu"}
    """
    assert built(project(tmp_path, settings)) == (True, [])


def test_a_name_may_be_in_another_target(tmp_path: Path) -> None:
    targets = 'targets = [{specs = "other", out = "one"}, {specs = "specs", out = "two"}]\n'
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "bot.yaml").write_text(SHOP.replace("shop", "bot"))
    project(tmp_path, f'{targets}executors = {{shop = "app:shop", bot = "app:bot"}}')
    assert built(tmp_path) == (True, [])


def test_a_changed_setting_is_checked_though_no_spec_changed(tmp_path: Path) -> None:
    assert built(project(tmp_path, 'tool_use = {catalog = "menu"}')) == (True, [])
    project(tmp_path, 'tool_use = {catalog = "manu"}')
    config, sink = load_config(tmp_path), Diagnostics()
    assert check_target(config, config.targets[0], sink).changes is None
    assert [each.code for each in sink] == ["TG709"]
