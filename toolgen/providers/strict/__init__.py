"""Strict schemas of model APIs: the way there, and back."""
