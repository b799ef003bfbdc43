"""Commands that compile specs into packages."""
