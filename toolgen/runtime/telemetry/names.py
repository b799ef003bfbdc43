"""Names of spans, attributes and metrics.

`gen_ai.*` and `error.type` are those of the GenAI semantic conventions (open-telemetry/semantic-conventions-genai,
v0.1.0), whose Python constants are in private modules of a package that changes with each release. `toolgen.*` are our
own, where the conventions have nothing.
"""

from __future__ import annotations

from typing import Final

SCOPE: Final = "toolgen"
"""The instrumentation scope of all spans and metrics."""

OPERATION: Final = "gen_ai.operation.name"
AGENT: Final = "gen_ai.agent.name"
CONVERSATION: Final = "gen_ai.conversation.id"
TOOL: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
CALL_ID: Final = "gen_ai.tool.call.id"
ARGUMENTS: Final = "gen_ai.tool.call.arguments"
RESULT: Final = "gen_ai.tool.call.result"
PROVIDER: Final = "gen_ai.provider.name"
RESPONSE_MODEL: Final = "gen_ai.response.model"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
TOKEN_TYPE: Final = "gen_ai.token.type"  # noqa: S105  # a kind of tokens
ERROR_TYPE: Final = "error.type"

ERROR_CODE: Final = "toolgen.error.code"
RUN_ID: Final = "toolgen.run.id"
STAGE: Final = "toolgen.stage"
ATTEMPT: Final = "toolgen.attempt"
DECISION: Final = "toolgen.decision"

OTHER: Final = "_OTHER"
"""The value of an attribute of a metric for all names that are not known: models invent names of tools."""

TOOL_DURATION: Final = "gen_ai.execute_tool.duration"
AGENT_DURATION: Final = "gen_ai.invoke_agent.duration"
REQUEST_DURATION: Final = "gen_ai.client.operation.duration"
TOKENS: Final = "gen_ai.client.token.usage"

SECONDS_BUCKETS: Final = tuple(0.01 * 2**power for power in range(14))
TOKEN_BUCKETS: Final = tuple(4**power for power in range(14))
"""The boundaries that the conventions recommend for durations and for tokens."""

EXTENSIONS: Final = frozenset({"http", "mcp"})
"""Kinds of toolsets whose tools are of the type `extension`, as they call other services; all others are functions."""
