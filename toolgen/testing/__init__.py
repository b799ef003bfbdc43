"""Tests of tools and agents without servers and without models.

`stub_executors` answers calls in place of what runs the toolsets; all else of the runtime stays real. The modules below
are private. Nothing here needs pytest; its fixtures are a plugin that pytest finds by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.testing.answers import Answer as Answer
    from toolgen.testing.answers import When as When
    from toolgen.testing.answers import when as when
    from toolgen.testing.models import ModelRequest as ModelRequest
    from toolgen.testing.models import ModelTurn as ModelTurn
    from toolgen.testing.models import ScriptedModel as ScriptedModel
    from toolgen.testing.models import ScriptError as ScriptError
    from toolgen.testing.recordings import Recording as Recording
    from toolgen.testing.recordings import RecordingError as RecordingError
    from toolgen.testing.recordings import recorded as recorded
    from toolgen.testing.stubs import StubbedCall as StubbedCall
    from toolgen.testing.stubs import StubError as StubError
    from toolgen.testing.stubs import Stubs as Stubs
    from toolgen.testing.stubs import stub_executors as stub_executors
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "stub_executors": ".stubs",
            "Stubs": ".stubs",
            "StubbedCall": ".stubs",
            "StubError": ".stubs",
            "ScriptedModel": ".models",
            "ModelRequest": ".models",
            "ModelTurn": ".models",
            "ScriptError": ".models",
            "recorded": ".recordings",
            "Recording": ".recordings",
            "RecordingError": ".recordings",
            "when": ".answers",
            "When": ".answers",
            "Answer": ".answers",
        },
    )
