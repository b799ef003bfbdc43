from __future__ import annotations

from cases.methods_of_another_file.shop.tools import cart

args = cart.AddArgs(item=cart.Item(sku="a"))
assert cart.to_method_payload_add(args) == cart.AddItemPayload(item=cart.Item(sku="a"))
