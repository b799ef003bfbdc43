from __future__ import annotations

from cases.transforms_that_fit.crm.tools import contacts

args = contacts.SaveArgs(name="Ada")
contacts.to_method_payload_save(args)  # error
contacts.to_method_payload_save(args, tenant_id=1)  # error
contacts.to_method_payload_same(args)  # error
contacts.to_tool_return_save(args)  # error
