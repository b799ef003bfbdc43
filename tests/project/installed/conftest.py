"""The wheel, as a fixture."""

from tests.project.installed.wheels import wheel

__all__ = ["wheel"]
