"""The engines, as fixtures."""

from tests.unit.engine.engines import durable, engines, prepared_postgres, prepared_url

__all__ = ["durable", "engines", "prepared_postgres", "prepared_url"]
