"""`python -m toolgen` is `toolgen`."""

from toolgen.cli import main

main()
