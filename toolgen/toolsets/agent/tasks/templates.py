"""Templates of plans and of tasks, by kind. Text in angle brackets is for the model to fill in."""

from __future__ import annotations

from typing import Any, Final

GENERAL: Final = "general"

_PLAN: Final = """\
# Plan: <what is to be achieved, in one line>

## Done when
- <what can be observed then, and how it is checked>

## Known
- <facts that were checked, each with where it is from>

## Unknown
- <question> -> <how it will be answered, or what is assumed until then>

{sections}## Steps
1. <step>: <what it gives>, needs <numbers of steps, or nothing>

## Not part of this
- <what could be expected, and is left alone>
"""

_CHANGE: Final = """\
## What changes
- <file or part>: <now> -> <then>

## What must not change
- <behaviour, interface or figure>, checked by <test or command>

## Way back
- <how the change is undone>

"""

_BUG: Final = """\
## What happens
- <input and steps> -> <what happens>, expected <what should>; seen in <version, place>

## Possible causes
- <cause>: <what would show that it is, or is not, this one>

## Proof
- <a test that fails now, and passes then>

"""

_RESEARCH: Final = """\
## Questions
- <question>: <what the answer decides>

## Sources
- <source>: <what it can answer, and how far it is to be trusted>

## Answer
- <form and length of the report, and who reads it>

"""

PLANS: Final[dict[str, str]] = {
    kind: _PLAN.format(sections=sections)
    for kind, sections in {GENERAL: "", "change": _CHANGE, "bug": _BUG, "research": _RESEARCH}.items()
}
"""Plans, as Markdown."""


def _step(step_id: str, title: str, instructions: str, *needs: str) -> dict[str, Any]:
    return {"id": step_id, "title": title, "instructions": instructions, "needs": list(needs)}


_REPORT: Final = "note <what those who go on from here have to know>"

TASKS: Final[dict[str, dict[str, Any]]] = {
    GENERAL: {
        "title": "<what is to be achieved>",
        "steps": [
            _step("prepare", "<find out what is needed>", f"<what to look at>; {_REPORT}"),
            _step("part-1", "<one part>", "<what to do, and how to tell that it is done>", "prepare"),
            _step("part-2", "<another part, independent of the first>", "<what to do, how to tell>", "prepare"),
            _step("check", "Check the whole", "<command or question that shows it>", "part-1", "part-2"),
        ],
    },
    "change": {
        "title": "<what changes, and for whom>",
        "steps": [
            _step("read", "Read the code that changes", f"<files, callers, tests>; {_REPORT}"),
            _step("tests", "Write tests for the new behaviour", "<cases>; they fail until the change is made", "read"),
            _step("change", "Make the change", "<files>; change nothing else", "read"),
            _step("verify", "Run all checks", "<command>; note what failed, and its output", "tests", "change"),
            _step("describe", "Describe the change", "<changelog, docs>", "verify"),
        ],
    },
    "bug": {
        "title": "<what is wrong, where>",
        "steps": [
            _step("reproduce", "Reproduce it", "<input, steps, version>; note the shortest way that shows it"),
            _step("find", "Find the cause", f"<where to look first>; {_REPORT}", "reproduce"),
            _step("test", "Write a test that fails because of it", "<file of the tests>", "reproduce"),
            _step("fix", "Fix the cause", "<files>; not the symptom alone", "find", "test"),
            _step("verify", "Run all checks, and look for the same mistake elsewhere", "<command>", "fix"),
        ],
    },
    "research": {
        "title": "<the question>",
        "steps": [
            _step("source-1", "<look into one source>", f"<what to find>; note each fact with its place; {_REPORT}"),
            _step(
                "source-2", "<look into another source>", f"<what to find>; note each fact with its place; {_REPORT}"
            ),
            _step("compare", "Compare what was found", "note what agrees, and what does not", "source-1", "source-2"),
            _step("answer", "Write the answer", "<form and length>; name a source for each claim", "compare"),
        ],
    },
}
"""Tasks, as the arguments of `task_create`."""
