"""Observed requests: the requests of a conversation to its model, in spans, if the runtime has telemetry."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from toolgen.providers.apis.turns import TURN_FORMATS
from toolgen.schema.json_values import compact_json

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from toolgen.llm.presentations.protocol import Turn
    from toolgen.runtime.runs.run import Run
    from toolgen.runtime.telemetry import Operation

PROVIDER_NAMES: Final[Mapping[str, str]] = {"gemini": "gcp.gemini", "bedrock": "aws.bedrock"}
"""Names of the conventions for providers, by our own; all others are the same without what follows a hyphen."""


class Observed:
    """The spans of one conversation, with a provider of a name. Without a run, or its telemetry, they do nothing."""

    def __init__(self, run: Run | None, provider: str) -> None:
        self._run: Final = run
        self._telemetry: Final = None if run is None else run.telemetry
        self._format: Final = TURN_FORMATS.get(provider)  # a provider of a host's own has none
        self._provider: Final = PROVIDER_NAMES.get(provider, provider.partition("-")[0])

    @contextmanager
    def conversation(self) -> Generator[Callable[[str], None]]:
        """Be in the span of the run; yields a function that takes why the conversation stopped."""
        if self._telemetry is None or self._run is None:
            yield _ignore
            return
        with self._telemetry.agent_run(self._run) as operation:
            yield lambda stopped: None if stopped == "completed" else operation.failed(stopped)

    @contextmanager
    def request(self) -> Generator[Callable[[Mapping[str, Any], Turn], None]]:
        """Be in the span of a request; yields a function that takes the response, and how it was read."""
        if self._telemetry is None:
            yield _ignore
            return
        with self._telemetry.model_request(self._provider) as operation:
            yield lambda response, turn: self._describe(operation, response, turn)

    def _describe(self, operation: Operation, response: Mapping[str, Any], turn: Turn) -> None:
        from toolgen.runtime.telemetry.names import OUTPUT_MESSAGES, RESPONSE_MODEL

        model = next((response[name] for name in ("model", "modelVersion", "model_version") if response.get(name)), "")
        if model and isinstance(model, str):
            operation.labels[RESPONSE_MODEL] = model
            operation.set({RESPONSE_MODEL: model})
        tokens = self._format.tokens_of(response) if self._format is not None else {}
        operation.used(tokens.get("input_tokens"), tokens.get("output_tokens"))
        if self._telemetry is not None and self._telemetry.contents and operation.is_recording:
            operation.set({OUTPUT_MESSAGES: compact_json([self._answer(turn)])})

    def _answer(self, turn: Turn) -> dict[str, Any]:
        """Return what a model answered, as the conventions have it, without the args of its calls."""
        from toolgen.runtime.redact.call_secrets import hide_data
        from toolgen.runtime.redact.secrets import NO_SECRETS

        parts = [{"type": "text", "content": turn.text}] if turn.text else []
        parts += [{"type": "tool_call", "id": call.asked.tool_call_id, "name": call.asked.name} for call in turn.calls]
        answer = {"role": "assistant", "parts": parts, "finish_reason": "stop" if turn.is_final else "tool_call"}
        hidden: dict[str, Any] = hide_data(
            answer, NO_SECRETS._replace(values=None if self._run is None else self._run.secrets)
        )
        return hidden


def _ignore(*_: object) -> None:
    pass
