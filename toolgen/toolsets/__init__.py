"""Toolsets that come with toolgen: their generated packages, written as specs under `specs/builtin`."""
