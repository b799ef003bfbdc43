"""What each page shows, as frozen records made from the compiled catalogs. Nothing is read or written here."""
