"""Events and results of a record, and the protocols of stores and of artifact stores."""
