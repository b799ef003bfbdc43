"""A store in a Postgres database, for writers on many machines. Needs the extra `postgres`."""
