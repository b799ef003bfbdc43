from __future__ import annotations

from cases.null_and_nullable.tools import nullable

# What is not set is not sent; null is.
kept = nullable.SetArgs(age=None)
assert nullable.codecs.args(nullable.SET).encode(kept) == b'{"age":null}'
cleared = nullable.SetArgs(age=None, email=None)
assert nullable.codecs.args(nullable.SET).encode(cleared) == b'{"age":null,"email":null}'

# `None` for a field that may be absent, and never null, is absence.
silent = nullable.SetArgs(age=3, note=None)
assert nullable.codecs.args(nullable.SET).encode(silent) == b'{"age":3}'

# The typed value answers with the default; only what was given is sent on.
assert kept.level is None
assert kept.mode == "fast"

assert nullable.new_set_call(age=None).payload == b'{"age":null}'
assert nullable.new_set_call(age=1, email=None, note=None).payload == b'{"age":1,"email":null}'
