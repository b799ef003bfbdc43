from __future__ import annotations

from cases.injected_fields.tools import mail

mail.new_closed_call(to="a", account="b")  # error
mail.to_method_payload_payload(mail.PayloadArgs(to="a"))  # error
