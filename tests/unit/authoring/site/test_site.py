"""The site: what its pages show, that they are well-formed, that links resolve, and that text of specs stays text."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from itertools import cycle, pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.hostile.building import compiled, toolset
from tests.hostile.positions import POSITIONS
from tests.hostile.texts import MEGABYTE, TEXTS
from tests.project.checkout import ROOT
from tests.unit.authoring.site.html_page import Page, broken_links
from tests.unit.authoring.site.project import SHOP, part_of, site_of
from toolgen.authoring.site.build import site_files
from toolgen.authoring.site.contents import Part
from toolgen.authoring.site.tool import Shown
from toolgen.compiler.ir.catalog import ToolsetKind
from toolgen.pages.rendering import line
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DESCRIPTIONS = {name: text for name, text in TEXTS.items() if "surrogate" not in name and text.strip()}


@cache
def shop() -> Mapping[str, str]:
    return site_of(SHOP)


def text_of(path: str) -> str:
    """Return the text of a page, with single spaces."""
    return " ".join(Page.of(shop()[path]).text.split())


def test_there_is_a_page_for_each_part_of_a_project() -> None:
    assert sorted(shop()) == [
        "agents/chat.html",
        "catalogs/all.html",
        "index.html",
        "policies/careful.html",
        "search-data.js",
        "search.js",
        "site.js",
        "style.css",
        "tools/mcp.clock.now.html",
        "tools/shop.orders.find.html",
        "tools/shop.orders.refund.html",
        "toolsets/mcp.clock.html",
        "toolsets/shop.orders.html",
    ]


def test_links_of_all_pages_resolve_and_nothing_is_outside() -> None:
    assert [*broken_links(shop())] == []


def test_a_broken_link_is_found() -> None:
    broken = {"a/b.html": '<a href="../c.html"></a><a href="#x"></a><a href="https://e.example/"></a><a href="b.html">'}
    broken["a/b.html"] += "</a>"
    assert [link for _, link in broken_links(broken)] == ["../c.html", "#x", "https://e.example/"]


@pytest.mark.parametrize("path", [path for path in shop() if path.endswith(".html")])
def test_a_page_forbids_all_but_its_own_files_and_its_headings_are_in_order(path: str) -> None:
    assert "default-src 'none'; style-src 'self'; script-src 'self'" in shop()[path]
    levels = Page.of(shop()[path]).headings
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(deeper <= level + 1 for level, deeper in pairwise(levels))


def test_the_page_of_a_tool_shows_all_that_is_known_about_it() -> None:
    page = text_of("tools/shop.orders.find.html")
    for expected in (
        "Find the orders of a customer, the newest first.",
        "customer string required at least 1 character Whose orders; a name.",
        "limit integer 10 ≥ 1 ≤ 50",
        'Args { "customer": "Ada", "limit": 5 }',
        "Wire name shop__orders__find",
        "careful.rules: +network: ask",
        "The hosts of each call are checked too",
        "chat main ask",
        "all : order / find",
        "from generated.shop.tools.orders import FIND, FindArgs",
        'result = await runtime.call(FIND, FindArgs(customer="Ada", limit=5))',
        "Builder of calls new_find_call",
        "def shop__orders__find(",
        "Next shop.orders.refund",
    ):
        assert expected in page, expected
    assert "Previous" not in page
    assert "plan main, sub, fork, worker exclude" in text_of("tools/shop.orders.refund.html")


def test_a_named_type_has_a_table_of_its_own_that_fields_link_to() -> None:
    page = Page.of(shop()["tools/shop.orders.refund.html"])
    text = " ".join(page.text.split())
    assert "amount Money" in text
    assert (
        'fields of Money Name Type Required Bounds amount number required currency string required one of "EUR" "USD"'
        in text
    )
    anchor = next(link for link in page.links if link.startswith("#args-fields-"))
    assert anchor[1:] in page.ids


def test_each_provider_and_presentation_shows_the_tool_with_its_bytes() -> None:
    part = part_of(SHOP)
    tool = next(tool for tool in part.catalog.tools if tool.key == "find")
    shown = Shown(part)
    forms = {form.label: form for form in (*shown.by_provider(tool), *shown.by_presentation(tool))}
    assert {"openai", "openai-strict", "anthropic", "gemini", "bedrock", "mcp", "codeact"} <= forms.keys()
    assert {
        "universal-category (all), listed",
        "universal-category (all), described",
        "retrieval, when found",
    } <= forms.keys()
    assert json.loads(forms["openai"].text)["tools"][0]["function"]["name"] == "shop__orders__find"
    assert json.loads(forms["anthropic"].text)["tools"][0]["input_schema"]["required"] == ["customer"]
    page = text_of("tools/shop.orders.find.html")
    for label, form in forms.items():
        assert f"{label} {len(form.text.encode()):,} bytes" in page
    assert "is described, not enforced" in " ".join(forms["openai-strict"].differences)


def test_what_a_provider_cannot_represent_is_named_with_the_reason() -> None:
    part = part_of({"a.json": toolset("a", {"args": {"type": "object", "properties": {"x y": {"type": "string"}}}})})
    forms = Shown(part).by_provider(part.catalog.tools[0])
    problems = [form for form in forms if form.problem]
    assert problems
    page = " ".join(
        Page.of(
            site_of({"a.json": toolset("a", {"args": {"type": "object", "properties": {"x y": {"type": "string"}}}})})[
                "tools/a.act.html"
            ]
        ).text.split()
    )
    assert f"{problems[0].label} It cannot be offered: {problems[0].problem}" in page


def test_the_other_pages_show_their_parts() -> None:
    index = text_of("index.html")
    assert "3 tools in 2 toolsets, used by 1 agent." in index
    assert "shop.orders 2 Orders of a small shop. service" in index
    agent = text_of("agents/chat.html")
    assert "mcp.clock 1 tool Tools of mcp.clock Tool Answer Description now allow The time. readonly" in agent
    assert "find ask Find the orders of a customer, the newest first. readonly network" in agent
    assert "Be brief." in agent
    policy = text_of("policies/careful.html")
    assert "Rules for all Rules for all Selector Answer +network ask" in policy
    assert "Rules in the mode plan Rules in the mode plan Selector Answer +write exclude" in policy
    assert "Hosts Hosts Host Answer * ask" in policy
    catalog = text_of("catalogs/all.html")
    assert "pay_back shop.orders.refund write" in catalog
    server = text_of("toolsets/mcp.clock.html")
    assert "MCP server https://clock.example/mcp" in server
    assert not any("CLOCK_TOKEN" in text for text in shop().values())


def test_the_diagram_links_what_runs_toolsets_and_agents_to_their_pages() -> None:
    page = Page.of(shop()["index.html"])
    assert page.skeleton.count("rect") == 5
    assert page.skeleton.count("path") == 4
    assert {"toolsets/mcp.clock.html", "agents/chat.html"} <= {*page.links}


@pytest.mark.parametrize("kind", ToolsetKind)
def test_the_diagram_has_what_runs_each_kind_of_toolset(kind: ToolsetKind) -> None:
    part = part_of(SHOP)
    toolsets = tuple(replace(each, kind=kind) for each in part.catalog.toolsets)
    files = dict(site_files([replace(part, catalog=replace(part.catalog, toolsets=toolsets))]))
    assert Page.of(files["index.html"]).skeleton.count("path") == 4


def test_the_diagram_has_lines_only_to_what_an_agent_uses() -> None:
    files = site_of({**SHOP, "b.json": {"toolgen": 1, "agent": "clock", "use": ["mcp.clock"]}})
    assert Page.of(files["index.html"]).skeleton.count("path") == 5


def test_what_an_agent_uses_but_may_not_call_has_its_reason() -> None:
    policy = {"toolgen": 1, "policy": "strict", "rules": {"mcp.*": "exclude"}}
    worker = {"toolgen": 1, "agent": "worker", "role": "worker", "use": ["shop.orders", "mcp.clock"]}
    files = site_of({**SHOP, "strict.json": policy, "worker.json": worker})
    tool = " ".join(Page.of(files["tools/mcp.clock.now.html"]).text.split())
    assert "worker worker a policy excludes it" in tool
    agent = " ".join(Page.of(files["agents/worker.html"]).text.split())
    assert "Tool Reason Description mcp.clock.now a policy excludes it The time. readonly" in agent


def test_an_arg_that_the_host_injects_is_no_argument_of_a_call() -> None:
    tool = {"args": {"name": "string", "tenant": "string"}, "inject": ["tenant"]}
    page = " ".join(Page.of(site_of({"a.json": toolset("a", tool)})["tools/a.act.html"]).text.split())
    assert "ActArgs(name=...))" in page
    assert "Injected by the host tenant" in page


def test_tools_that_describe_others_have_no_forms_of_their_own() -> None:
    listing = {"list_actions": {"description": "Lists.", "permission": "readonly", "args": {}}}
    files = site_of({"a.json": {"toolgen": 1, "toolset": "actions", "tools": listing}})
    assert "As models see it" not in files["tools/actions.list_actions.html"]
    assert "As models see it" in shop()["tools/mcp.clock.now.html"]


def test_the_search_data_has_each_page_with_its_words() -> None:
    rows = search_rows(shop())
    assert [row[1] for row in rows] == [
        *("mcp.clock", "shop.orders", "chat", "all", "careful"),
        *("mcp.clock.now", "shop.orders.find", "shop.orders.refund"),
    ]
    find = rows[6]
    assert find[2] == "Find the orders of a customer, the newest first."
    assert find[3].split() == ["find", "orders", "shop"]
    assert {"customer", "newest", "limit", "name", "network"} <= set(find[4].split())


NODE = shutil.which("node")
RANKED = """
const { readFileSync } = require("fs");
const [ranking, data, query] = process.argv.slice(1);
eval(readFileSync(ranking, "utf-8"));
globalThis.toolgenSearch = (kinds, found, vocabulary) => {
  const rows = found.map(([kind, name, about, names, others]) => ({
    kind: kinds[kind], name, exact: name.toLowerCase(), names: ` ${names} `, others: ` ${others} `,
  }));
  const rank = toolgenRanking(rows, vocabulary);
  console.log(JSON.stringify(JSON.parse(query).map((each) => rank(each).map((row) => row.name))));
};
eval(readFileSync(data, "utf-8"));
"""


def found_by(tmp_path: Path, *queries: str) -> list[list[str]]:
    """Return the names that the site's own script finds for queries, best first."""
    tools = {
        "issues_create": {"description": "Creates an issue in a repository of GitHub."},
        "issues_list": {"description": "Lists the issues of a repository."},
        "mail_send": {"description": "Delivers a message to one recipient."},
        "weather": {"description": "Tells the forecast of a city.", "args": {"constructor": "string"}},
    }
    files = site_of({"a.json": {"toolgen": 1, "toolset": "work", "tools": tools}})
    for name in ("search.js", "search-data.js"):
        (tmp_path / name).write_text(files[name], encoding="utf-8")
    command = [str(NODE), "-e", RANKED, str(tmp_path / "search.js"), str(tmp_path / "search-data.js")]
    made = subprocess.run([*command, json.dumps(queries)], capture_output=True, text=True, timeout=60, check=True)
    ranked: list[list[str]] = json.loads(made.stdout)
    return ranked


@pytest.mark.skipif(NODE is None, reason="node is not installed: sh tests/programs/install.sh")
def test_the_search_finds_some_of_the_words_stems_and_synonyms(tmp_path: Path) -> None:
    create, list_, mail, weather = "work.issues_create", "work.issues_list", "work.mail_send", "work.weather"
    queries = {
        "create github issue": create,
        "creating issues": create,
        "please open an issue for the new bug on github": create,
        "show me all the issues": list_,
        "lists": list_,
        "sending a mail": mail,
        "deliver messages": mail,
        "forecasts for Berlin": weather,
        "weath": weather,
        "constructor": weather,
    }
    found = found_by(tmp_path, *queries)
    assert {query: names[0] for query, names in zip(queries, found, strict=True)} == queries
    nothing, whole = found_by(tmp_path, "xyzzy <b>", "issues repository list")
    assert nothing == []
    assert whole[0] == list_


def search_rows(files: Mapping[str, str]) -> list[list[Any]]:
    script = files["search-data.js"]
    call, _, rest = script.partition(", [\n")
    assert call.startswith("toolgenSearch([")
    assert "<" not in script
    rows: list[list[Any]] = json.loads(f"[{rest.rpartition(chr(10) + '], {')[0]}]")
    return rows


def described(text: str) -> dict[str, Any]:
    """A project with a text at every place that takes any text."""
    field = {"type": "string", "title": text, "description": text, "default": text, "enum": [text], "examples": [text]}
    tool = {
        "title": text,
        "description": text,
        "args": {"type": "object", "properties": {"x": field, "z": {"pattern": "x", "description": text}}},
        "result": {"type": "object", "description": text, "properties": {"y": field}},
        "examples": [{"args": {"x": text}, "result": {"y": text}}],
        "reminder": text,
    }
    catalog = {"description": text, "actions": {"act": "a.act"}}
    return {
        "a.json": toolset("a", tool, description=text),
        "agent.json": {"toolgen": 1, "agent": "b", "description": text, "system": text, "use": ["a"]},
        "catalog.json": {"toolgen": 1, "catalog": "c", "from": "a", "prompt": text, "categories": {"one": catalog}},
    }


@cache
def plain_skeleton(path: str) -> list[str]:
    return without_text_markup(site_of(described("plain"))[path])


def without_text_markup(page: str) -> list[str]:
    """Return the structure of a page without what depends on the number of paragraphs, lines, and parts of names."""
    dropped = {"p", "/p", "wbr", "code", "/code"}
    return [tag for tag in Page.of(page).skeleton if tag not in dropped]


@pytest.mark.parametrize("name", DESCRIPTIONS)
@pytest.mark.variants(20)
def test_hostile_text_stays_text(name: str) -> None:
    text = DESCRIPTIONS[name]
    files = site_of(described(text))
    assert [*broken_links(files)] == []
    search_rows(files)
    for path in ("tools/a.act.html", "agents/b.html", "catalogs/c.html", "toolsets/a.html"):
        assert without_text_markup(files[path]) == plain_skeleton(path)
    shown = "".join(Page.of(files["tools/a.act.html"]).text.split()).replace("`", "")
    assert all(visible(word) in shown for word in text.replace("`", "").split())
    assert all(is_visible(page) for page in files.values())


HOSTILE = ("<script>alert(1)</script>", '"><b a="', "../../x", "con", "a\u202eb\x00", "plain")


@pytest.mark.parametrize(("position", "turn"), [*zip(POSITIONS, cycle(HOSTILE[1:]), strict=False)], ids=POSITIONS)
@pytest.mark.variants(30)
def test_hostile_text_at_every_position_of_a_spec_gives_a_well_formed_site(position: str, turn: str) -> None:
    """A script is at each position, the other texts take turns."""
    for text in (HOSTILE[0], turn):
        check_site_with(position, text)


@pytest.mark.long
@pytest.mark.parametrize("position", POSITIONS)
def test_every_hostile_text_at_every_position_of_a_spec_gives_a_well_formed_site(position: str) -> None:
    for text in HOSTILE:
        check_site_with(position, text)


def check_site_with(position: str, text: str) -> None:
    found = compiled(POSITIONS[position].files("own", text))
    if not found.errors:
        files = dict(site_files([Part("generated", found.catalog)]))
        assert [*broken_links(files)] == []
        search_rows(files)
        assert all(is_visible(page) for page in files.values())
        assert all(path == path.strip("./ ") and ".." not in path and path.isascii() for path in files)


def is_visible(page: str) -> bool:
    """Return whether each character can be seen, or moves what follows."""
    return page.translate(dict.fromkeys(map(ord, "\n\t\u3000"))).isprintable()


@pytest.mark.parametrize("name", MEGABYTE)
@pytest.mark.long
def test_a_page_can_hold_a_megabyte(name: str) -> None:
    files = site_of({"a.json": toolset("a", {"description": MEGABYTE[name]})})
    assert [*broken_links(files)] == []


def test_a_name_of_several_targets_is_that_of_the_first() -> None:
    first = part_of({"a.json": toolset("a", {"description": "The first."})})
    second = part_of({"a.json": toolset("a", {"description": "The second."}), "b.json": toolset("b", {})})
    files = dict(site_files([first, second]))
    assert "The first." in files["tools/a.act.html"]
    assert not any("The second." in text for text in files.values())
    assert "tools/b.act.html" in files


def test_a_project_without_tools_has_a_first_page() -> None:
    files = dict(site_files([part_of({"a.json": {"toolgen": 1, "policy": "empty"}})]))
    assert "There are no tools yet." in files["index.html"]
    assert [*broken_links(files)] == []


@pytest.mark.long
def test_the_site_is_the_same_under_any_hash_seed() -> None:
    code = (
        "import hashlib; from tests.unit.authoring.site.project import *; "
        "print(hashlib.sha256(repr(sorted(site_of(SHOP).items())).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_only_text_between_backticks_is_code() -> None:
    assert line("a < `b < c` d `e`") == "a &lt; <code>b &lt; c</code> d <code>e</code>"
