"""Durable runs on DBOS: in an SQLite file for one machine, in Postgres for many. Needs the extra `dbos`."""

from toolgen.contract.extras import MissingExtra

try:
    import dbos as _dbos
except ImportError:
    raise MissingExtra("durable runs need DBOS", "dbos") from None

from toolgen.engine.dbos.database import database_url, prepare_database
from toolgen.engine.dbos.engine import DbosEngine
from toolgen.engine.dbos.worker import DbosWorker

__all__ = ["DbosEngine", "DbosWorker", "database_url", "prepare_database"]

del _dbos
