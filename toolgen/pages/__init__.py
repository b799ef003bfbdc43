"""Pages: what the site and the explorer share, so that both show one thing in one way: styles, and tables of fields."""
