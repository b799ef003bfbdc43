"""The engines, as fixtures."""

from tests.unit.engine.engines import durable, engines

__all__ = ["durable", "engines"]
