"""Durable runs on DBOS: in an SQLite file for one machine, in Postgres for many. Needs `toolgen[dbos]`."""

try:
    import dbos as _dbos
except ImportError:
    raise ImportError('durable runs need DBOS: pip install "toolgen[dbos]"') from None

from toolgen.engine.dbos.database import database_url, prepare_database
from toolgen.engine.dbos.engine import DbosEngine
from toolgen.engine.dbos.worker import DbosWorker

__all__ = ["DbosEngine", "DbosWorker", "database_url", "prepare_database"]

del _dbos
