from __future__ import annotations

from cases.odd_parameter_names.tools import odd

args = odd.RenamedArgs(padded_asset_id="a", asset_id=1, dashed_asset_id=True)
assert odd.codecs.args(odd.RENAMED).encode(args) == b'{" asset_id ":"a","asset-id":true,"asset_id":1}'
