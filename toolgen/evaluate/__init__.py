"""Evaluations: does a model choose the right tool, and will it still after a change. The modules below are private."""
