from __future__ import annotations

from cases.types_called_like_fields.tools import addresses

home = addresses.Address(Street="Main Street", Zip="1")
args = addresses.MoveArgs(Address_=home)
assert args.Address_.Street == "Main Street"
assert addresses.codecs.args(addresses.MOVE).encode(args) == b'{"Address":{"Street":"Main Street","Zip":"1"}}'
