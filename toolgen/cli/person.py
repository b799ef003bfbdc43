"""Who runs a command."""

from __future__ import annotations

import grp
import os
import pwd
from contextlib import suppress

from toolgen.runtime.policy.approvers import Approver


def user_here() -> Approver:
    """Return who runs this command, and their groups, as the system knows them: variables can say anything."""
    groups: list[str] = []
    for number in {os.getgid(), *os.getgroups()}:
        with suppress(KeyError):  # a group without a name
            groups.append(grp.getgrgid(number).gr_name)
    try:
        name = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # the user has no name on this machine
        name = f"user {os.getuid()}"
    return Approver(name, tuple(sorted(groups)), "command line")
