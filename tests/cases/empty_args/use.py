from __future__ import annotations

from cases.empty_args.tools import empty

assert empty.new_left_out_call().payload == b"{}"
assert empty.codecs.args(empty.RAW).encode(empty.codecs.args(empty.RAW).decode(b'{"x":1}')) == b'{"x":1}'
