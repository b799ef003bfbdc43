"""Toolsets that come with toolgen: what runs them, in any package that they are compiled into.

Their specs lie in `specs/builtin` of a checkout, and in `specs` beside this where toolgen is installed. `generated` is
toolgen's own package of them.
"""
