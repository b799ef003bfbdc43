"""Shared foundations of the runtime: errors, JSON text, generated packages, timeouts."""
