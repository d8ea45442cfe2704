"""Command line: one module a command, which calls the library and prints the result.

Modules that are slow to import (arrays, kernels, tables, pictures) are imported in the function
that needs them, so that ``gossamer --help`` is fast.
"""
