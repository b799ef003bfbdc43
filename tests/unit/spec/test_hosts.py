"""A rule for an address holds for each way to write it, at every door of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.compiler.specs import resolved
from toolgen.runtime.policy.policy import Policies, PolicyAnswer
from toolgen.spec.hosts import UNCLEAR, host_named, host_of

if TYPE_CHECKING:
    from ipaddress import IPv4Address


def spellings(address: IPv4Address) -> list[str]:
    """Return hosts of URLs with which clients reach an IPv4 address."""
    number, parts = int(address), address.packed
    low, high = f"{number & 0xFFFF:x}", f"{number >> 16:x}"
    return [
        *(str(address), f"{address}.", str(number), hex(number), hex(number).upper().replace("0X", "0x")),
        *(f"{parts[0]}.{number & 0xFFFFFF}", f"{parts[0]}.{parts[1]}.{number & 0xFFFF}"),
        *(".".join(map(hex, parts)), ".".join(f"0{part:o}" for part in parts)),
        *(f"[::ffff:{address}]", f"[::ffff:{high}:{low}]", f"[0:0:0:0:0:FFFF:{high}:{low}]"),
        *(f"[64:ff9b::{address}]", f"[64:ff9b::{high}:{low}]", f"[64:FF9B:0::{high}:{low}]"),
        f"[64:ff9b:1::{high}:{low}]",
    ]


@given(st.ip_addresses(v=4), st.data())
def test_reg_75_a_rule_for_an_address_holds_for_each_spelling(address: IPv4Address, data: st.DataObject) -> None:
    host = data.draw(st.sampled_from(spellings(address)))
    policies = Policies({"p": {"network": {"*": "allow", str(address): "deny"}}})
    for found in (host_of(f"http://{host}:8080/latest?a=b"), host_of(f"https://{host}"), host_named(host)):
        assert found in (str(address), UNCLEAR)
        assert policies.judge_hosts([found]).answer is PolicyAnswer.DENY


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "0", "[64:ff9b:1::7f00:1]", "[::ffff:0.0.0.0]"])  # noqa: S104  # a URL
def test_an_address_that_a_network_may_send_elsewhere_is_unclear(host: str) -> None:
    assert host_of(f"http://{host}/") == UNCLEAR


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("Evil.Example", "evil.example"),
        ("evil.example.", "evil.example"),
        ("[::1]", "::1"),
        ("::1", "::1"),
        ("[0:0::1]", "::1"),
        ("[::ffff:7f00:1]", "127.0.0.1"),
        ("db_1.internal", "db_1.internal"),
        ("evil.example:8080", "evil.example"),
    ],
)
def test_reg_75_a_rule_holds_for_its_host_as_it_is_written(name: str, host: str) -> None:
    policies = Policies({"p": {"network": {"*": "allow", name: "deny"}}})
    assert host_named(name) == host
    for spelled in (name, host):
        assert policies.judge_hosts([spelled]).answer is PolicyAnswer.DENY


def test_of_two_rules_for_one_host_the_strictest_counts() -> None:
    for network in ({"Evil.example": "deny", "evil.example": "allow"}, {"[::1]": "allow", "::1": "deny"}):
        assert Policies({"p": {"network": network}}).judge_hosts([next(iter(network))]).answer is PolicyAnswer.DENY


@pytest.mark.parametrize("name", ["2130706433", "127.1", "*.1", "evil.example:8080"])
def test_a_rule_that_holds_for_no_host_is_refused(name: str) -> None:
    found = resolved(f'toolgen: 1\npolicy: p\nnetwork: {{"{name}": deny}}\n')
    assert [each for each in found.messages if f"`{name}` is not a host" in each]


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("https://API.example:8080/v1", ("api.example",)),
        ("http://2130706433/", (UNCLEAR,)),
        ("http://[::ffff:7f00:1]:80", ("127.0.0.1",)),
        ("https://$env.PLACE/v1", ()),
        ("https://api.example/$env.VERSION", ("api.example",)),
    ],
)
def test_the_hosts_of_a_compiled_tool_are_those_that_policies_judge(url: str, hosts: tuple[str, ...]) -> None:
    tool = "find: {description: x, permission: readonly, args: {}, http: {method: GET, path: /}}"
    found = resolved(f'toolgen: 1\ntoolset: shop\nkind: http\napi: {{base_url: "{url}"}}\ntools: {{{tool}}}\n')
    assert not found.has_errors, found.messages
    assert found.catalog.toolsets[0].tools[0].access.hosts == hosts
