"""The cache of builds: what toolsets compiled to, by the content of everything that determines it."""
