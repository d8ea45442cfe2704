"""Kernels that draw synthetic data: subscriptions, follower graphs and publishers."""
