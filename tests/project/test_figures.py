"""Figures of the guides: each sentence here stands in a guide, and its figures are those of the code."""

from __future__ import annotations

import re
from inspect import signature
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT
from toolgen.cli.ending import TO_STOP
from toolgen.compiler.project.listing import LARGEST
from toolgen.engine.body import DEFAULT_RETRIES
from toolgen.engine.dbos import connections
from toolgen.engine.dbos.lease import DEAD_AFTER, LEASE_SECONDS
from toolgen.execute import user_tools
from toolgen.explore.screens import replay
from toolgen.explore.settings import ExploreSettings
from toolgen.llm.codeact import CodeActLimits
from toolgen.runtime import SqliteCounters
from toolgen.runtime.base.json_text import MAX_DEPTH
from toolgen.runtime.base.received import REQUEST_VALUES
from toolgen.serve import http
from toolgen.serve.bounds import CALLS, UNFINISHED

if TYPE_CHECKING:
    from collections.abc import Sequence

MB = 1024 * 1024
CODE = CodeActLimits()
HTTP = http.HttpSettings()
RUNS = connections.RUNS
OF_A_WORKER = RUNS.size + 1 + connections.LEASE.size + connections.ADOPTION.size + connections.BESIDE_WORKER.size
"""One more is that by which DBOS is notified."""

FIGURES: Sequence[tuple[str, str, tuple[object, ...]]] = [
    (
        "let-models-write-code",
        "arguments of the calls of a snippet may have {} MB",
        (CODE.argument_bytes // MB,),
    ),
    ("let-models-write-code", "Variables of up to {} MB are kept", (CODE.kept_bytes // MB,)),
    ("let-models-write-code", "{0:g} s of processor time for its code, {0:g} s for the type checker", (CODE.seconds,)),
    (
        "let-models-write-code",
        "{:g} s by the clock including its calls, {} MB, {} calls",
        (CODE.total_seconds, CODE.memory_bytes // MB, CODE.calls),
    ),
    (
        "serve-tools-by-mcp",
        "at most {} MiB and {:,} JSON values, at most {} levels deep (413)",
        (HTTP.body_bytes // MB, REQUEST_VALUES, MAX_DEPTH),
    ),
    ("serve-tools-by-mcp", "come within {:g} seconds (408)", (vars(http)["_BODY_SECONDS"],)),
    (
        "serve-tools-by-mcp",
        "at most {:,} a minute (429) and has at most {} sessions",
        (HTTP.per_minute, vars(http)["_SESSIONS"]),
    ),
    (
        "serve-tools-by-mcp",
        "Users share {} open requests, {} running calls, and {} MiB",
        (http.REQUESTS, CALLS, vars(http)["_BODIES"] // MB),
    ),
    ("serve-tools-by-mcp", "at most {:,} of all users, in shares too", (UNFINISHED,)),
    ("limit-calls", "After {:g} seconds", (signature(SqliteCounters).parameters["timeout"].default,)),
    ("run-durably", "`late`, after {:g} seconds without a beat", (LEASE_SECONDS,)),
    ("run-durably", "so that the worker begins no call; `dead`, after {:g}", (DEAD_AFTER,)),
    ("run-durably", "A worker has at most {} connections to Postgres", (OF_A_WORKER,)),
    (
        "run-durably",
        "A statement ends after {:g} seconds, the wait for a lock after {:g},",
        (RUNS.statement, RUNS.lock),
    ),
    ("run-durably", "a transaction that does nothing after {:g}", (connections.IDLE_IN_TRANSACTION,)),
    (
        "run-durably",
        "after {:g} and {:g} seconds or what `retry_after` says",
        (DEFAULT_RETRIES.delay(1, None), DEFAULT_RETRIES.delay(2, None)),
    ),
    ("run-commands", "at most {} MB, owned by the user or root", (vars(user_tools)["_LARGEST"] // MB,)),
    ("explore-in-a-browser", "for files of at most {}00 kB", (ExploreSettings().file_bytes // 100_000,)),
    (
        "explore-in-a-browser",
        "The first {:,} calls of a run are checked, for at most {:g} seconds",
        (vars(replay)["_MOST"], vars(replay)["_SECONDS"]),
    ),
    ("diagnostics", "A spec file is over {} MB", (LARGEST // MB,)),
    ("commands", "What still runs {:g} seconds after the end of the call", (TO_STOP,)),
]
"""Sentences of guides with their figures, by the name of the guide."""


@pytest.mark.parametrize(("guide", "sentence", "figures"), FIGURES)
def test_a_figure_of_a_guide_is_that_of_the_code(guide: str, sentence: str, figures: tuple[object, ...]) -> None:
    (path,) = [each for each in (ROOT / "docs").rglob(f"{guide}.md") if "api" not in each.parts]
    text = re.sub(r"\s+", " ", path.read_text(encoding="utf-8"))
    assert sentence.format(*figures) in text


def test_configuration_says_which_commands_use_executors_and_models() -> None:
    """Those whose modules read the key, or use the module that does."""
    commands = ROOT / "toolgen" / "cli" / "commands" / "calls"
    texts = {path.stem: path.read_text(encoding="utf-8") for path in commands.glob("*.py")}
    of_executors = sorted(name for name, text in texts.items() if "toolset_executor(" in text)
    of_models = sorted(name for name, text in texts.items() if "config.models" in text)
    assert (of_executors, of_models) == (["call", "explore", "serve"], ["eval"])
    told = re.sub(r"\s+", " ", (ROOT / "docs/reference/configuration.md").read_text(encoding="utf-8"))
    assert "`executors` is used by `toolgen call`, `toolgen serve` and `toolgen explore`" in told
    assert "`models` is used by `toolgen eval` only" in told
