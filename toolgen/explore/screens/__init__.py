"""Screens: what each page shows, as JSON; a page and its endpoint are made from the same."""
