"""The straightforward versions that ours are compared with: NumPy, NetworkX, SciPy, csv.

Each is what one writes first: right, readable, built on a good library, without tricks.
"""
