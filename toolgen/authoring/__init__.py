"""Authoring: what authors of specs use beside the build. It imports the compiler, and only the command line imports it."""
