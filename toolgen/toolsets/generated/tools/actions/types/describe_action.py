"""Types of the tool `describe_action`, in `actions`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class DescribeActionArgs(ClosedModel):
    """Args of `describe_action`: Describe one action, with its input schema and what it leads to."""

    action_name: str
    """A name that list_actions gave."""


DescribeActionResult: TypeAlias = dict[str, JsonValue]
