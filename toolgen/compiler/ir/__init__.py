"""The intermediate representation: frozen, complete, and the only input to rules and emitters."""
