"""Golden digests: what the program computes, pinned.

``digests.json`` has a short digest for each value that the modules of this package compute;
``test_golden.py`` compares. Names of fields, classes and options are in no digest, so that a
rename changes none. ``python -m tests.golden`` prints what differs, and with ``--regenerate
--reason "…"`` rewrites the file.
"""
