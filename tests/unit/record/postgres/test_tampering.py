"""`verify_chain` detects every change of the tables of a Postgres store, as it does for the file of an SQLite store."""

# ruff: noqa: S608  # statements are built from constants

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.record.postgres.checking import change, use
from tests.unit.record.sample import KEY, one_call, progress, write
from tests.unit.record.test_chain import CHANGES
from tests.unit.record.verifying import verified
from toolgen.record.chain import ChainError, ChainHead, ChainKey, ChainVerdict, verify_chain
from toolgen.record.postgres import PostgresReader
from toolgen.runtime.events.records import StoreError

if TYPE_CHECKING:
    from tests.programs.postgres import PostgresServer
    from toolgen.record.postgres import PostgresStore

IN_POSTGRES = {
    "replace(body, 'c1', 'c9')": "convert_to(replace(convert_from(body, 'UTF8'), 'c1', 'c9'), 'UTF8')",
    "replace(body, 'true', 'false')": "convert_to(replace(convert_from(body, 'UTF8'), 'true', 'false'), 'UTF8')",
    "zeroblob(32)": "decode(repeat('00', 32), 'hex')",
}


def record(url: str, calls: int = 3, run: str = "r1") -> ChainHead:
    """Write calls and return the head of the run."""

    async def check(store: PostgresStore) -> None:
        for number in range(calls):
            await one_call(store, f"c{number}", run)

    use(url, check, key=KEY)
    with closing(PostgresReader(url)) as reader:
        return reader.head(run)


def findings(url: str, head: ChainHead, key: ChainKey = KEY) -> list[str]:
    with closing(PostgresReader(url)) as reader:
        return [finding.message for finding in verified(reader, "r1", head, key)]


@pytest.mark.parametrize(("statements", "expected"), CHANGES)
def test_every_change_is_detected_and_described(postgres_url: str, statements: list[str], expected: list[str]) -> None:
    head = record(postgres_url)
    for statement in statements:
        for sqlite, postgres in IN_POSTGRES.items():
            statement = statement.replace(sqlite, postgres)
        with psycopg.connect(postgres_url, options="-c search_path=toolgen") as connection:
            assert connection.execute(statement.encode()).rowcount
    assert findings(postgres_url, head) == expected


def test_a_changed_list_of_runs_another_key_and_a_run_without_a_chain_are_distinguished(postgres_url: str) -> None:
    head = record(postgres_url)
    other = ChainKey(b"another key that is long enough, or so")
    with closing(PostgresReader(postgres_url)) as reader:
        assert [found.verdict for found in verified(reader, "r1", head, other)] == [ChainVerdict.OTHER_KEY]
        change(postgres_url, "UPDATE toolgen.runs SET failed = 1")
        assert findings(postgres_url, head) == ["the list of runs was edited: `failed` is not what the events say (0)"]
        use(postgres_url, lambda store: one_call(store, run="plain"))
        assert [found.verdict for found in verify_chain(reader.chain("plain"), head, KEY)][:1] == [
            ChainVerdict.NO_CHAIN
        ]
        with pytest.raises(ChainError, match="written without a key"):
            reader.head("plain")


PARTS = [
    """CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER t BEFORE INSERT ON toolgen.events FOR EACH ROW EXECUTE FUNCTION f()""",
    "CREATE RULE r AS ON INSERT TO toolgen.results DO INSTEAD NOTHING",
    "ALTER TABLE toolgen.events ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE toolgen.events ADD COLUMN more text",
    "ALTER TABLE toolgen.runs DROP COLUMN denied",
    "ALTER TABLE toolgen.runs ADD CHECK (events < 9)",
    "CREATE TABLE child () INHERITS (toolgen.events)",
    "ALTER TABLE toolgen.events RENAME TO kept; CREATE VIEW toolgen.events AS SELECT * FROM toolgen.kept",
    """CREATE FUNCTION f(bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1; END';
    CREATE INDEX i ON toolgen.events (f(body))""",
    "CREATE INDEX i ON toolgen.runs (began) WHERE events > 1",
    "ALTER TABLE toolgen.results SET UNLOGGED",
    "ALTER TABLE toolgen.events DROP CONSTRAINT events_pkey",
    "ALTER TABLE toolgen.events ALTER body DROP NOT NULL",
    "ALTER TABLE toolgen.events ALTER digest SET DEFAULT 'x'",
]


@pytest.mark.parametrize("statement", PARTS)
def test_tables_with_other_parts_are_not_written_to_and_are_reported(postgres_url: str, statement: Any) -> None:
    head = record(postgres_url)
    change(postgres_url, statement)
    with pytest.raises(StoreError, match="has other columns, keys, triggers, rules, policies or computed indexes"):
        use(postgres_url, one_call)
    if "DROP COLUMN" not in statement:  # the list of runs cannot be read
        assert any("has tables, views, indexes or triggers" in found for found in findings(postgres_url, head))


def test_an_index_for_other_readers_changes_nothing(postgres_url: str) -> None:
    head = record(postgres_url)
    change(postgres_url, "CREATE INDEX i ON toolgen.runs (began)")
    use(postgres_url, lambda store: one_call(store, "c9"), key=KEY)
    assert findings(postgres_url, head) == []


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE toolgen.events ALTER body TYPE text USING encode(body, 'escape')",
        "ALTER TABLE toolgen.events ALTER body TYPE int USING 1",
        "ALTER TABLE toolgen.events ALTER body DROP NOT NULL; UPDATE toolgen.events SET body = NULL",
        "ALTER TABLE toolgen.events ALTER digest TYPE text USING 'x'",
        "ALTER TABLE toolgen.events ALTER digest TYPE int USING 3",
        "ALTER TABLE toolgen.events ALTER sequence TYPE text USING sequence::text",
        "ALTER TABLE toolgen.events ALTER sequence TYPE numeric",
        "ALTER TABLE toolgen.results ALTER sequence TYPE numeric",
        "ALTER TABLE toolgen.results ALTER body TYPE text USING 'x'",
    ],
)
def test_a_column_of_another_type_is_reported(postgres_url: str, statement: Any) -> None:
    head = record(postgres_url)
    change(postgres_url, statement)
    found = findings(postgres_url, head)
    assert any("has tables, views, indexes or triggers" in each for each in found)
    assert any("a row was added that stores do not write: a" in each for each in found)
    if "events" in statement:
        with closing(PostgresReader(postgres_url)) as reader, pytest.raises(StoreError, match="damaged"):
            reader.head("r1")


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE toolgen.versions ALTER version TYPE text USING 'abc'",
        "ALTER TABLE toolgen.versions ALTER version DROP NOT NULL; UPDATE toolgen.versions SET version = NULL",
    ],
)
def test_a_version_that_is_no_number_is_an_error_for_all(postgres_url: str, statement: Any) -> None:
    record(postgres_url)
    change(postgres_url, statement)
    with pytest.raises(StoreError, match="the version of the store is not a number"):
        use(postgres_url, one_call)
    with closing(PostgresReader(postgres_url)) as reader, pytest.raises(StoreError, match="is not a number"):
        reader.runs()


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("DELETE FROM toolgen.events", "the record of the run was removed while the run continued"),
        ("DELETE FROM toolgen.events WHERE sequence = 1", "was truncated or edited while the run continued"),
        ("UPDATE toolgen.events SET digest = 'x' WHERE sequence = 1", "was truncated or edited while the run"),
    ],
)
def test_a_run_that_was_changed_while_it_is_written_is_not_continued_and_others_are(
    postgres_url: str, statement: Any, why: str
) -> None:
    async def check(store: PostgresStore) -> None:
        await one_call(store)
        change(postgres_url, statement)
        fine = store.append(progress(run="another"))
        with pytest.raises(StoreError, match=why):
            await write(store, progress())
        await fine

    use(postgres_url, check, key=KEY)


@pytest.mark.parametrize(
    ("first", "then", "why"),
    [
        (KEY, None, "started with a key"),
        (None, KEY, "started without a key"),
        (KEY, ChainKey(b"another key that is long enough, or so"), "started with another key, or the end of its"),
    ],
)
def test_a_run_stays_with_its_key(postgres_url: str, first: ChainKey | None, then: ChainKey | None, why: str) -> None:
    use(postgres_url, one_call, key=first)

    async def check(store: PostgresStore) -> None:
        fine = store.append(progress(run="another"))
        with pytest.raises(StoreError, match=why):
            await write(store, progress())
        await fine

    use(postgres_url, check, key=then)
    with closing(PostgresReader(postgres_url)) as reader:
        assert [(summary.run_id, summary.events) for summary in reader.runs()] == [("r1", 2), ("another", 1)]


NUMBERS = st.integers(0, 5)
EDITS = st.one_of(
    st.tuples(st.just("UPDATE events SET body = set_byte(body, %s, 64) WHERE sequence = %s"), NUMBERS, NUMBERS),
    st.tuples(st.just("UPDATE events SET digest = set_byte(digest, %s, 64) WHERE sequence = %s"), NUMBERS, NUMBERS),
    st.tuples(st.just("DELETE FROM events WHERE sequence BETWEEN %s AND %s"), NUMBERS, NUMBERS),
    st.tuples(st.just("DELETE FROM results WHERE sequence BETWEEN %s AND %s"), NUMBERS, NUMBERS),
    st.tuples(st.just("UPDATE results SET body = set_byte(body, %s, 64) WHERE sequence = %s"), NUMBERS, NUMBERS),
    st.tuples(st.just("UPDATE events SET sequence = %s WHERE sequence = %s"), st.integers(6, 9), NUMBERS),
    st.tuples(st.just("UPDATE runs SET completed = %s, failed = %s"), NUMBERS, NUMBERS),
)


@pytest.fixture(scope="module")
def recorded(shared_postgres: PostgresServer) -> tuple[str, ChainHead]:
    url = shared_postgres.new_database()
    return url, record(url)


@settings(max_examples=40, deadline=None)
@given(edits=st.lists(EDITS, max_size=3))
def test_exactly_tampering_is_found(recorded: tuple[str, ChainHead], edits: list[tuple[Any, ...]]) -> None:
    """Edits are made in a transaction in which the run is also read, and then undone."""
    url, head = recorded
    tables = "SELECT * FROM {} ORDER BY 1, 2"
    reader = PostgresReader(url)
    with psycopg.connect(url, autocommit=True, options="-c search_path=toolgen") as connection:

        def state() -> list[Any]:
            return [connection.execute(tables.format(name)).fetchall() for name in ("events", "results", "runs")]

        written = state()
        connection.execute("CREATE SCHEMA kept")
        for name in ("events", "results", "runs"):
            connection.execute(f"CREATE TABLE kept.{name} AS SELECT * FROM toolgen.{name}")
        for statement, *values in edits:
            try:
                connection.execute(statement, values)
            except psycopg.errors.UniqueViolation:
                continue
        found = verified(reader, "r1", head, KEY)
        is_intact = state() == written
        for name in ("events", "results", "runs"):
            connection.execute(f"TRUNCATE toolgen.{name}")
            connection.execute(f"INSERT INTO toolgen.{name} SELECT * FROM kept.{name}")
        connection.execute("DROP SCHEMA kept CASCADE")
    reader.close()
    assert (found == []) == is_intact, found
