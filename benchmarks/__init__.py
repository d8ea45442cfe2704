"""How fast it is, and beside what: a file here is a benchmark, and is found by itself.

A benchmark is a function marked with :func:`benchmarks.harness.benchmark` that gives the
cases to time. How they are run and shown is in ``harness``; the straightforward versions
that ours are compared with are in ``alternatives``. ``script/bench`` runs it all.
"""
