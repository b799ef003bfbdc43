"""write_file: writes a whole file, new or replacing another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.execute.paths.access import failures
from toolgen.toolsets.code.text import encoded
from toolgen.toolsets.generated.tools.code.models.write_file import WriteFileResult

if TYPE_CHECKING:
    from toolgen.execute.paths.access import PathAccess
    from toolgen.toolsets.generated.tools.code.models.write_file import WriteFileArgs


def write_file(args: WriteFileArgs, access: PathAccess) -> WriteFileResult:
    """Write a file as UTF-8. An existing one is replaced atomically, if `overwrite` is set.

    Raises `CallFailed` with `path_conflict`, `not_a_file`, `file_not_found` (a folder, with `create_dirs` False), and
    as `check_write` does.
    """
    content = encoded(args.content)
    answer = access.check_write(args.path)
    with access.open_parent(answer, create=args.create_dirs) as (folder, name), failures(args.path):
        try:
            folder.create_file(name, content)
        except FileExistsError:
            if not args.overwrite:
                raise
            folder.replace_file(name, content)
            return WriteFileResult(bytes_written=len(content), created=False)
    return WriteFileResult(bytes_written=len(content), created=True)
