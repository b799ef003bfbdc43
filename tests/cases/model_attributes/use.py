from __future__ import annotations

from cases.model_attributes.tools import attributes

request = attributes.new_parameters_call(self="a", args=["b"], meta={}, cls="c")
assert request.payload == b'{"args":["b"],"cls":"c","meta":{},"self":"a"}'

args = attributes.codecs.args(attributes.PARAMETERS).decode(request.payload)
assert (args.self, args.args, args.cls) == ("a", ["b"], "c")
