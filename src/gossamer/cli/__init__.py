"""The command line: one file a command. Everything a command does is done elsewhere.

Whatever is slow to import (arrays, kernels, tables, pictures) is imported where
a command needs it, so that ``gossamer --help`` answers at once.
"""
