from __future__ import annotations

from cases.injected_fields.tools import mail

assert mail.codecs.args(mail.CLOSED).decode(b'{"to":"a"}').account is None
assert mail.Draft(to="a", account="b").account == "b"

payload = mail.to_method_payload_payload(mail.PayloadArgs(to="a"), account="b")
assert (payload.to, payload.account) == ("a", "b")
