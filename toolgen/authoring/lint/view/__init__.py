"""View: a compiled target as rules see it, with the places that findings are at."""
