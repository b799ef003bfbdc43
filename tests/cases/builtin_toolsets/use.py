"""What toolgen runs the built-in toolset with is for any package that has it."""

from typing import assert_type

from cases.builtin_toolsets.tools import internal
from toolgen.contract.ident import Ident
from toolgen.runtime import Runtime, deny_all, load
from toolgen.toolsets.internal import InternalTools, Skills
from toolgen.toolsets.internal.memory import Memories

tools = InternalTools(skills=Skills("skills"), memory=Memories("memories"))
Runtime(
    load("cases.builtin_toolsets"),
    executors=[tools.registration()],
    missing=["tickets"],
    permission=deny_all,
)
assert_type(internal.LOAD_SKILL, Ident[internal.LoadSkillArgs, internal.LoadSkillResult])
