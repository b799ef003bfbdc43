from __future__ import annotations

from cases.transforms_that_do_not_fit.crm.tools import misfits

misfits.to_method_payload_renamed  # error
misfits.to_tool_return_renamed  # error
