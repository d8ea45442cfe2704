"""Compiled kernels: functions on plain arrays, grouped by subject."""
