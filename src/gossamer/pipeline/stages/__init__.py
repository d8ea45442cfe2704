"""Frames to frames: each stage is a function that neither reads nor writes."""
