from __future__ import annotations

from cases.typed_defaults.tools import defaults

args = defaults.DrawArgs(level="high")
assert (args.text, args.count, args.ratio, args.on, args.nothing) == ('say "hi"\n\\', 3, 1, True, None)
assert (args.words, args.empty, args.any_list, args.map, args.no_map) == (["a", "b"], [], [], {"a": 1}, {})
assert args.point == defaults.Point(x=2)
assert args.point.y == 0.5
assert args.points == [defaults.Point(), defaults.Point(y=1)]
assert (args.beside, args.mixed, args.anything, args.either) == ("high", 1, {"a": [1]}, "x")
assert args.big == 123456789012345678901234567890

# Defaults are values of their own.
args.words.append("c")
assert defaults.DrawArgs(level="low").words == ["a", "b"]

# And they are not sent.
assert defaults.codecs.args(defaults.DRAW).encode(defaults.DrawArgs(level="high")) == b'{"level":"high"}'
assert defaults.new_draw_call(level="low").payload == b'{"level":"low"}'
