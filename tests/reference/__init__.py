"""Slow and obviously correct versions, one module per subject, for the tests to compare with."""
