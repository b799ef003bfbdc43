"""Codecs: JSON to typed values and back, exactly as the schema defines."""
