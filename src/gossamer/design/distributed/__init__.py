"""Partitioned designs: tasks, proposals and the merge state that accepts them."""
