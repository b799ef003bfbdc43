"""Validation of `access`, compiled or registered: it names only args that are there when a call is judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from toolgen.runtime.base.errors import CatalogError


def check_access(ident: str, access: Mapping[str, Any], injected: Collection[str]) -> None:
    """Raise `CatalogError` for `access` that names a field which the host injects, as it does once a call may run."""
    for key, names in access.items():
        wrong = [name for name in ([names] if isinstance(names, str) else names) if name in injected]
        if wrong and key != "hosts":
            message = f"the access of {ident} names `{wrong[0]}` in `{key}`, which the host injects"
            raise CatalogError(f"{message}: a call is judged by the args that its caller gives; name only those")
