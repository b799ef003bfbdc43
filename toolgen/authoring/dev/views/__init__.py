"""Views: the page as lines of text, on a terminal and as a log."""
