"""Gossamer: interest-aware overlays for topic-based publish/subscribe."""

__version__ = "0.1.0"
