"""The wheel, as a fixture."""

from tests.project.wheels import wheel

__all__ = ["wheel"]
