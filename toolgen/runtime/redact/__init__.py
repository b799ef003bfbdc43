"""Secrets of calls, and their redaction from everything that is stored, logged or shown."""
