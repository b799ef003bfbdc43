"""Suspicions: what in the texts of an offered tool may be meant to mislead a model, or the person who reviews it.

A finding is a reason to read the text, not a verdict: a text that no check knows can mislead as well.
"""

from toolgen.changes.suspicions.tool import OtherTools, Reviewed, Suspicion, suspicions_of

__all__ = ["OtherTools", "Reviewed", "Suspicion", "suspicions_of"]
