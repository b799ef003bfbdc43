"""Grants of sessions: answers that also allow later calls, in memory, in a file, or in Postgres."""
