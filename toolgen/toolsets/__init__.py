"""Handlers of the built-in toolsets, for any package that they are compiled into.

Their specs are in `specs/builtin` of a checkout, and in `specs` of an installed toolgen. `generated` is toolgen's
package of them.
"""
