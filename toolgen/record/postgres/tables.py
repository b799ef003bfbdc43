"""The tables of a Postgres store."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.base.postgres import PostgresTables
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    import psycopg

STORE_TABLES: Final = PostgresTables(
    name="store",
    migrations=(
        """
        CREATE TABLE toolgen.events (
          run_id text COLLATE "C" NOT NULL, sequence bigint NOT NULL, body bytea NOT NULL, digest bytea,
          PRIMARY KEY (run_id, sequence)
        );
        CREATE TABLE toolgen.results (
          run_id text COLLATE "C" NOT NULL, sequence bigint NOT NULL, body bytea NOT NULL,
          PRIMARY KEY (run_id, sequence)
        );
        CREATE TABLE toolgen.runs (
          run_id text COLLATE "C" PRIMARY KEY, began text COLLATE "C" NOT NULL, last text COLLATE "C" NOT NULL,
          events bigint NOT NULL, completed bigint NOT NULL, failed bigint NOT NULL, denied bigint NOT NULL
        );
        """,
    ),
    error=StoreError,
)
"""`runs` is only an index for lists; the other two are authoritative."""

_EXPECTED: Final = frozenset(
    {
        ("events", "r", "run_id text, sequence bigint, body bytea, digest bytea"),
        ("results", "r", "run_id text, sequence bigint, body bytea"),
        (
            "runs",
            "r",
            "run_id text, began text, last text, events bigint, completed bigint, failed bigint, denied bigint",
        ),
    }
)

_PARTS: Final = """
WITH tables AS (
  SELECT c.oid, c.relname::text AS name, c.relkind::text AS kind, c.relrowsecurity AS has_policies
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'toolgen' AND c.relname IN ('events', 'results', 'runs')
)
SELECT name, kind, (
  SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum)
  FROM pg_attribute a WHERE a.attrelid = tables.oid AND a.attnum > 0 AND NOT a.attisdropped
) FROM tables
UNION ALL SELECT name, 'row security', '' FROM tables WHERE has_policies
UNION ALL SELECT name, 'trigger', tgname::text FROM tables JOIN pg_trigger ON tgrelid = tables.oid
  WHERE NOT tgisinternal
UNION ALL SELECT name, 'rule', rulename::text FROM tables JOIN pg_rewrite r ON r.ev_class = tables.oid
UNION ALL SELECT name, 'child', '' FROM tables JOIN pg_inherits ON tables.oid IN (inhparent, inhrelid)
UNION ALL SELECT name, 'constraint', conname::text FROM tables JOIN pg_constraint ON conrelid = tables.oid
  WHERE contype IN ('c', 'f')
"""
"""What the three tables are made of: columns, and whatever changes rows as they are written or read."""


def has_other_parts(connection: psycopg.Connection[Any]) -> bool:
    """Whether the tables of the store are not as it created them, or have triggers, rules or policies of others."""
    return frozenset(connection.execute(_PARTS).fetchall()) != _EXPECTED


def channel_of(run_id: str) -> str:
    """Return the channel on which new events of a run are announced: an identifier without special characters."""
    return f"toolgen_{_digest(run_id).hex()[:32]}"


def lock_of(run_id: str) -> int:
    """Return the advisory lock that a writer of a run holds until it has committed, a signed number of 64 bits."""
    return int.from_bytes(_digest(run_id)[:8], signed=True)


def _digest(run_id: str) -> bytes:
    return sha256(run_id.encode()).digest()
