"""What a record is made of, and what a store and an archive of artifacts must do."""
