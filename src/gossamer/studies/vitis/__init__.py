"""Vitis (IPDPS 2011): every figure and what the text says of it."""
