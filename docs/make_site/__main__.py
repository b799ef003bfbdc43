"""Writes the documentation as a static site. Run by `make docs-site`; the argument is the folder."""

from __future__ import annotations

import sys
from pathlib import Path

from docs_files import docs_files

from toolgen.authoring.site.write import write_site

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    count, size = write_site(folder, docs_files())
    print(f"{folder}/index.html: {count} files, {size / 1e6:.1f} MB")
