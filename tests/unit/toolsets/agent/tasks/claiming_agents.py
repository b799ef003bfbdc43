"""Script: an agent that claims every step it can get. `claiming_agents.py FILE AGENT`.

It prints `ready`, waits for a line, and then prints each step of task t0 as soon as it has claimed it.
"""

from __future__ import annotations

import os
import sys
from contextlib import closing

from toolgen.runtime.base.errors import CallFailed
from toolgen.toolsets.agent.tasks.task import TaskGraph


def main(path: str, agent: str) -> None:
    with closing(TaskGraph(path)) as graph:
        steps = [step.id for step in graph.get("t0").steps]
        os.write(1, b"ready\n")
        sys.stdin.readline()
        for step_id in steps:
            try:
                graph.claim("t0", step_id, agent)
            except CallFailed as failure:
                if failure.code != "step_claimed":
                    raise
            else:
                os.write(1, f"{step_id}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
