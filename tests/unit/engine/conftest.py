"""The engines, as fixtures."""

from tests.unit.engine.engines import durable, engines, prepared_postgres

__all__ = ["durable", "engines", "prepared_postgres"]
