"""`toolgen eval`, as a team uses it: calls become cases, a model over HTTP is asked, and a gate stops a worse text."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python
from toolgen.cli.commands.calls.eval import _deselection

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOOLS = {
    "tools": [
        {
            "name": name,
            "description": description,
            "inputSchema": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
        }
        for name, description in (
            ("refund", "Give back the money of an order."),
            ("cancel", "Stop an order that is not shipped yet."),
            ("track", "Tell where the parcel of an order is."),
        )
    ]
}
WORDS = {"money": "refund", "stop": "cancel", "parcel": "track"}
"""What users say, and the tool that is right; the model calls the tool whose description has the word."""

RECORD = """
import asyncio, json
from toolgen.record import SqliteStore
from toolgen.runtime import Runtime, ToolRequest, allow_all, load
from toolgen.testing import stub_executors

async def record() -> None:
    catalog, store = load("generated"), SqliteStore("calls.db")
    runtime = Runtime(catalog, executors=stub_executors(catalog), permission=allow_all, store=store)
    run = runtime.start_run()
    for number in range(10):
        name = ("refund", "cancel", "track")[number % 3]
        await runtime.turn([ToolRequest(name=f"mcp.shop.{name}", payload=json.dumps({"order_id": f"o-{number}"}))], run)
    await runtime.end_run(run)
    await store.close()
    print(run.meta.run_id)

asyncio.run(record())
"""

MODELS = """
import json, os, urllib.request

def ask(messages, request):
    body = json.dumps({"messages": messages, **request}).encode()
    with urllib.request.urlopen(os.environ["FAKE_PROVIDER"], body, timeout=30) as response:
        return json.load(response)
"""


class _Provider(BaseHTTPRequestHandler):
    """A model behind the API of OpenAI: it calls the first tool whose description has a word of the question."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        question = request["messages"][-1]["content"]
        word = next(each for each in WORDS if each in question)
        order = next(each.strip("?.,") for each in question.split() if each.startswith("o-"))
        tools = [each["function"] for each in request["tools"] if word in each["function"]["description"].lower()]
        message: dict[str, Any] = {"role": "assistant", "content": "I cannot help." if not tools else None}
        if tools:
            function = {"name": tools[0]["name"], "arguments": json.dumps({"order_id": order})}
            message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        answer = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name of the base class
        """Print nothing."""


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Provider)
    thread = Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("FAKE_PROVIDER", f"http://127.0.0.1:{server.server_port}/")
    yield
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with an imported server, and a model in its configuration."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "tools.json").write_text(json.dumps(TOOLS))
    (folder / "toolgen.toml").write_text(
        'targets = [{specs = "specs", out = "generated"}]\n'
        'models.fake = {ask = "models:ask", input_price = 3.0, output_price = 15.0}\n'
    )
    (folder / "models.py").write_text(MODELS)
    (folder / "evals").mkdir()
    assert toolgen(folder, "import", "mcp", "tools.json", "--toolset", "mcp.shop").code == 0
    assert toolgen(folder, "build").code == 0
    return folder


@pytest.fixture
def shop(built: Path, tmp_path: Path) -> Path:
    """Return a copy of the project, for one test."""
    return shutil.copytree(built, tmp_path, dirs_exist_ok=True)


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=n@example.com", *arguments], cwd=folder, check=True)


def questions(text: str) -> str:
    """Complete drafts: each question has the word of its tool."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith("    question:"):
            word = next(word for word, tool in WORDS.items() if f'"{tool}-' in lines[-1])
            number = int(lines[-1].split("-")[1].split('"')[0]) - 1
            line = f"    question: the {word} of o-{number}, please"  # it is replaced
        lines.append(line)
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.usefixtures("provider")
def test_the_day_of_a_team(shop: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    recorded = subprocess.run(
        [forked_python(), "-c", RECORD], cwd=shop, env=environment, check=True, capture_output=True, text=True
    )
    drafts = toolgen(shop, "eval", "from-log", recorded.stdout.strip(), "--store", "calls.db")
    assert (drafts.code, drafts.out.count("question:")) == (0, 10)
    (shop / "evals" / "shop.eval.yaml").write_text(questions(drafts.out))

    found = toolgen(shop, "eval", "--model", "fake", "--record", "model.jsonl", "--fail-under", "0.9")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith("fake, enumerate-all: 10 of 10 cases right, 100.0 % (72.2 % to 100.0 %)\n")
    assert "1,000 input and 100 output tokens, cost 0.0045" in found.out
    git(shop, "init", "-q", ".")
    git(shop, "add", ".")
    git(shop, "commit", "-qm", "one")
    assert toolgen(shop, "eval", "--model", "fake", "--replay", "model.jsonl", "--not-worse-than", "HEAD").code == 0

    spec = shop / "specs" / "shop.yaml"
    spec.write_text(spec.read_text().replace("Give back the money of an order", "Reimburse an order"))
    assert toolgen(shop, "build").code == 0
    stale = toolgen(shop, "eval", "--model", "fake", "--replay", "model.jsonl")
    assert (stale.code, stale.err) == (1, "10 of the cases were not judged, so they are not right\n")
    flipped = toolgen(shop, "eval", "--model", "fake", "--against", "HEAD", "--record", "model.jsonl")
    assert flipped.code == 0
    assert "6 of 10 cases right" in flipped.out
    assert "no difference seen in 10 cases: 100.0 % before, 60.0 % now; 0 fixed, 4 broken, p = 0.125" in flipped.out
    assert "  broken: recorded/refund-1\n" in flipped.out
    gated = toolgen(shop, "eval", "--model", "fake", "--replay", "model.jsonl", "--fail-under", "0.9")
    assert (gated.code, gated.err) == (1, "fake, enumerate-all is right in 60.0% of the cases, under 90.0%\n")

    spec.write_text(spec.read_text().replace("Stop an order", "Abort an order"))
    assert toolgen(shop, "build").code == 0
    worse = toolgen(shop, "eval", "--model", "fake", "--record", "model.jsonl", "--not-worse-than", "HEAD")
    assert worse.code == 1
    assert worse.err.startswith("fake, enumerate-all is worse than HEAD (")
    junit = toolgen(shop, "eval", "--model", "fake", "--replay", "model.jsonl", "--format", "junit")
    assert ElementTree.fromstring(junit.out)[0].get("failures") == "7"  # noqa: S314  # it is our own


def test_the_model_that_comes_with_toolgen_needs_no_key(shop: Path) -> None:
    (shop / "evals" / "new.eval.yaml").write_text(
        "", encoding="utf-8"
    )  # as a shell makes it for `> evals/new.eval.yaml`
    suggested = toolgen(shop, "eval", "suggest")
    (shop / "evals" / "new.eval.yaml").unlink()
    assert suggested.code == 0
    (shop / "evals" / "shop.eval.yaml").write_text(suggested.out)
    found = toolgen(shop, "eval", "--format", "json")
    assert (found.code, found.err) == (0, "")
    (summary,) = found.json["models"]
    assert (summary["model"], summary["cases"], [each["recall"] for each in summary["tools"]]) == (
        "search",
        3,
        [1, 1, 1],
    )
    assert summary["passed"] == 0  # the drafts name no order
    assert found.json["uncovered"] == []
    before = shop / "report.json"
    before.write_text(found.out)
    (shop / "other.json").write_text((shop / "report.json").read_text().replace('"model": "', '"model": "other-'))
    for other in ("other.json", "none.json"):
        (shop / "none.json").write_text('{"toolgen_eval": 1, "models": []}')
        nothing = toolgen(shop, "eval", "--not-worse-than", other)
        assert nothing.code == 1
        assert f" has no case in common with {other}, so nothing was compared\n" in nothing.err
    compared = toolgen(shop, "eval", "--against", "report.json", "--format", "markdown")
    assert "no difference seen in 3 cases" in compared.out
    page = toolgen(shop, "eval", "evals/shop.eval.yaml", "--format", "html")
    assert page.out.count("<details>") == 3


EVALUATION = "toolgen: 1\neval: %s\ncases:\n"
CASE = "  %s: {question: Refund it., tags: [%s], avoid: [mcp.shop]}\n"


def test_a_gate_fails_where_cases_of_its_report_are_gone(shop: Path) -> None:
    one, two = shop / "evals" / "one.eval.yaml", shop / "evals" / "two.eval.yaml"
    whole = EVALUATION % "one" + CASE % ("a", "x") + CASE % ("b", "y")
    one.write_text(whole)
    two.write_text(EVALUATION % "two" + CASE % ("c", "x"))
    (shop / "report.json").write_text(toolgen(shop, "eval", "--format", "json").out)
    gate = ("--not-worse-than", "report.json")

    def lost(*arguments: str) -> tuple[int, list[str]]:
        compared = toolgen(shop, "eval", *arguments, "--against", "report.json", "--format", "json")
        (comparison,) = compared.json["comparisons"]
        found = toolgen(shop, "eval", *arguments, *gate)
        assert found.err.count(" of report.json: write a new report if they were removed on purpose\n") == found.code
        return found.code, comparison["removed"]

    selections = ((), ("--tag", "x"), ("evals/one.eval.yaml",))
    assert [lost(*each) for each in selections] == [(0, [])] * 3
    one.write_text(whole.replace("  b:", "  renamed:"))
    assert [lost(*each) for each in selections] == [(1, ["one/b"])] * 3
    one.write_text(whole)
    two.unlink()
    assert [lost(*each) for each in selections] == [(1, ["two/c"]), (1, ["two/c"]), (0, [])]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "fak"], "There is no model `fak`: `models` of the configuration names them. Did you mean `fake`?"),
        (["notes.yaml"], "notes.yaml is no evaluation. Its name ends in .eval.yaml"),
        (["sugest"], "sugest is no evaluation. Did you mean `suggest`?"),
        *((["--" + name, ""], "it is empty: is a variable not set?") for name in ("record", "replay", "against")),
        (["--against", "x" * 300], "is no commit of a git repository here, no folder and no package"),
        (["--record", "a", "--replay", "b"], "--record and --replay exclude each other."),
        (["--against", "a", "--not-worse-than", "b"], "exclude each other: both compare."),
        (["--replay", "gone.jsonl"], "gone.jsonl is missing: record it with `--record gone.jsonl`."),
        (["--max-cost", "nan"], "'nan' is no finite number"),
        (["--fail-under", "90"], "'90' is not a share from 0 to 1, such as 0.9"),
        (["--tag", "gone"], "No case has the tag gone."),
        (["--against", "nowhere"], "`nowhere` is no commit of a git repository here, no folder and no package"),
        (["--against", "tools.json"], "tools.json: it is no report of `toolgen eval --format json`."),
        (["--against", "models.py"], "models.py is not JSON"),
    ],
)
def test_what_cannot_be_run_is_told(shop: Path, arguments: list[str], message: str) -> None:
    (shop / "evals" / "a.eval.yaml").write_text(
        "toolgen: 1\neval: a\ncases: {one: {question: Track o-1, expect: []}}\n"
    )
    found = toolgen(shop, "eval", *arguments)
    assert found.code == 2
    assert message in " ".join(found.err.split())


def test_a_link_to_nothing_is_reported_as_what_cannot_be_read(shop: Path) -> None:
    (shop / "evals" / "gone.eval.yaml").symlink_to("nowhere")
    for arguments in (("eval",), ("eval", "suggest")):
        found = toolgen(shop, *arguments)
        assert (found.code, "Traceback" in found.err) == (1, False)
        assert "evals/gone.eval.yaml" in found.err


def test_one_evaluation_that_is_named_twice_is_read_once(shop: Path) -> None:
    (shop / "evals" / "a.eval.yaml").write_text(
        "toolgen: 1\neval: a\ncases: {one: {question: Track o-1, expect: []}}\n"
    )
    found = toolgen(shop, "eval", "evals/a.eval.yaml", "evals/../evals/a.eval.yaml", "--format", "json")
    assert found.code == 0, found.err
    assert [each["cases"] for each in found.json["models"]] == [1]


def test_without_evaluations_a_draft_is_offered(shop: Path) -> None:
    assert "or print drafts: `toolgen eval suggest`" in toolgen(shop, "eval").err
    (shop / "evals" / "a.eval.yaml").write_text("toolgen: 1\neval: a\ncases: {}\n")
    assert "There are no cases in evals/a.eval.yaml." in toolgen(shop, "eval").err


def test_suggestions_compare_the_vectors_of_the_embedding_class_once_a_person_agrees(shop: Path) -> None:
    with (shop / "toolgen.toml").open("a") as file:
        file.write('[action_retrieval]\nembedding_class = "own"\nclasses.own.function = "own_vectors:embed"\n')
    (shop / "own_vectors.py").write_text("def embed(texts):\n    return [[1.0, len(text) / 1e9] for text in texts]\n")
    refused = toolgen(shop, "eval", "suggest")
    assert (refused.code, refused.out) == (2, "")
    assert "the embedding class own runs the code of own_vectors:embed" in refused.err
    found = toolgen(shop, "eval", "suggest", "--yes")
    assert (found.code, "by vectors with" in found.out) == (0, True)
    (shop / "own_vectors.py").write_text("def embed(texts):\n    raise ValueError('secret')\n")
    shutil.rmtree(shop / ".toolgen", ignore_errors=True)
    broken = toolgen(shop, "eval", "suggest", "--yes")
    assert (broken.code, broken.out) == (2, "")
    assert "own_vectors:embed did not return one vector of the same length for each text." in broken.err


def test_a_published_set_becomes_an_evaluation(shop: Path) -> None:
    (shop / "set.jsonl").write_text(
        '{"id": "1", "question": [[{"role": "user", "content": "Give me my money for o-1 back."}]]}\n'
        '{"id": "2", "question": [[{"role": "user", "content": "Sing!"}]]}\n'
        + '{"id": "3", "question": "user: Hello!"}\n'
        * 60
    )
    (shop / "answers.jsonl").write_text(
        '{"id": "1", "ground_truth": [{"refund": {"order_id": ["o-1"]}}]}\n{"id": "2", "ground_truth": []}\n'
    )
    found = toolgen(shop, "eval", "from-dataset", "set.jsonl", "--answers", "answers.jsonl")
    assert found.code == 0
    told = found.err.splitlines()
    assert told[0] == "left out: set.jsonl:3: it has no `ground_truth`: --answers names the file that has it"
    assert (len(told), told[-1]) == (51, "left out: 10 more")
    (shop / "evals" / "published.eval.yaml").write_text(found.out)
    assert toolgen(shop, "eval", "--format", "json").json["models"][0]["cases"] == 2


RECORD_MANY = """
import asyncio, json
from toolgen.record import SqliteStore
from toolgen.runtime import CallFailed, FailureKind, Runtime, ToolRequest, allow_all, load
from toolgen.testing import stub_executors, when

async def record() -> None:
    catalog, store = load("generated"), SqliteStore("calls.db")
    gone = CallFailed(FailureKind.DOMAIN_REJECTION, "gone", "there is no such order")
    stubs = stub_executors(catalog, when("mcp.shop.cancel").raises(gone))
    runtime = Runtime(catalog, executors=stubs, permission=allow_all, store=store)
    run = runtime.start_run()
    calls = [("refund", {"order_id": f"o-{number}"}) for number in range(1_010)]
    for name, args in [("track", {"order": 1}), ("cancel", {"order_id": "o-1"}), *calls]:
        await runtime.turn([ToolRequest(name=f"mcp.shop.{name}", payload=json.dumps(args))], run)
    await runtime.end_run(run)
    await store.close()
    print(run.meta.run_id)

asyncio.run(record())
"""


@pytest.mark.slow
def test_calls_that_become_no_case_are_told(shop: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    recorded = subprocess.run(
        [forked_python(), "-c", RECORD_MANY], cwd=shop, env=environment, check=True, capture_output=True, text=True
    )
    found = toolgen(shop, "eval", "from-log", recorded.stdout.strip(), "--store", "calls.db")
    assert (found.code, found.out.count("question:")) == (0, 1_000)
    assert ", where it failed (domain_rejection): there is no such order\n" in found.out
    more, rejected = found.err.splitlines()
    assert more.startswith("left out: 11 cases, first mcp.shop.refund (recorded: ")
    assert ": mcp.shop.track: it was not made (invalid_call): " in rejected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1", "set.json:1:3 is no JSON: Expecting ',' delimiter."),
        ('{"id": "1", "question": "Hello!"}', "set.json has no tasks that became cases."),
    ],
)
def test_a_file_that_is_no_published_set_is_told(shop: Path, text: str, message: str) -> None:
    (shop / "set.json").write_text(text)
    found = toolgen(shop, "eval", "from-dataset", "set.json")
    assert (found.code, message in " ".join(found.err.split())) == (2, True)


def test_a_cost_that_cannot_be_counted_is_refused(shop: Path) -> None:
    with (shop / "toolgen.toml").open("a", encoding="utf-8") as file:
        file.write('models.cheap = {ask = "models:ask", input_price = 3.0}\n')
    (shop / "evals" / "one.eval.yaml").write_text("toolgen: 1\neval: one\ncases: {a: {question: Find., expect: []}}\n")
    refused = toolgen(shop, "eval", "--model", "cheap", "--max-cost", "1")
    assert refused.code == 2
    assert "--max-cost needs the prices of `cheap`" in refused.err


def test_what_a_reply_costs_that_cannot_be_read_is_within_the_bound(shop: Path) -> None:
    (shop / "dear.py").write_text("""
from pathlib import Path

def ask(messages, request):
    with Path("asked.txt").open("a") as file:
        file.write("x")
    return {"choices": [], "score": float("nan"), "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 0}}
""")
    with (shop / "toolgen.toml").open("a", encoding="utf-8") as file:
        file.write('models.dear = {ask = "dear:ask", input_price = 1.0, output_price = 1.0}\n')
    rows = "".join(f"  case{number}: {{question: Find., expect: []}}\n" for number in range(5))
    (shop / "evals" / "one.eval.yaml").write_text(f"toolgen: 1\neval: one\ncases:\n{rows}")
    found = toolgen(shop, "eval", "--model", "dear", "--max-cost", "1.5", "--concurrency", "1", "--retries", "5")
    assert (found.code, (shop / "asked.txt").read_text()) == (1, "xx")
    assert "cost 2.0000" in found.out


def test_the_cases_of_evaluations_are_listed_once_however_many_a_report_has() -> None:
    listed = 0

    class Cases(dict[str, Any]):
        def __iter__(self) -> Iterator[str]:
            nonlocal listed
            listed += 1
            return super().__iter__()

    documents: Any = [SimpleNamespace(file=SimpleNamespace(eval="shop", cases=Cases.fromkeys(["a", "b", "asked"])))]
    report: Any = SimpleNamespace(questions={"shop/asked": "?"})
    is_deselected = _deselection(report, documents, ["shop"])
    found = [name for name in ("shop/a", "shop/b", "shop/asked", "shop/gone", "other/a") if is_deselected(name)]
    assert (found, listed) == (["shop/a", "shop/b", "other/a"], 1)
